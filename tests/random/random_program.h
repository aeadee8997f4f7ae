#pragma once

#include <cstdint>

#include "ardea/ir/function.h"
#include "ardea/support/random.h"

/// Random tensor programs for campaigns: valid by construction, small enough to interpret, and between them
/// using every construct of the IR that a CPU runs (features.h lists and counts them).

namespace ardea::random_programs {

/// What may be done with floats.
enum class FloatUse {
  /// Any operation whose result is fixed to the bit: rounding, comparisons, casts to integers, NaN and
  /// infinity included,
  /// library functions left out. For comparisons bit by bit.
  bit_exact,
  /// Library functions too, but nothing that could turn a rounding error into a jump, and no overflow. For
  /// comparisons
  /// under a derived tolerance.
  smooth,
};

struct RandomProgramOptions {
  FloatUse floats = FloatUse::bit_exact;
  int most_stages = 5;
  std::int64_t largest_extent = 13;
  /// Extents read from the arrays. They are called n and m; every size of at least 1 is valid for them.
  bool symbolic_shapes = true;
  /// Splits with guards, fused loops, shifted starts, permuted nests and loop kinds. Without them every block
  /// iterator has one serial loop of its own, the form in which a schedule begins.
  bool transformed_loops = true;
  /// Ramps, masks and shuffles inside blocks.
  bool vector_code = true;
};

/// A program of blocks whose regions are complete. The same generator state and options give the same program
/// on every machine. Every element of every output is written; nothing is read before it is written; every
/// index stays inside.
Function random_program(Random& random, const RandomProgramOptions& options = {});

/// A program of plain loops over allocations and their views, as lowering writes it: no blocks.
Function random_lowered_program(Random& random, const RandomProgramOptions& options = {});

}  // namespace ardea::random_programs
