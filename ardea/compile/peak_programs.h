#pragma once

#include <cstdint>

#include "ardea/ir/function.h"
#include "ardea/target/target.h"

/// The programs that measure_peaks times, written as vector IR.

namespace ardea::compile {

/// A tile of accumulators in registers and the panels that feed it.
struct PeakTile {
  std::int64_t rows = 1, vectors = 2, lanes = 1, depth = 256;

  std::int64_t operations() const { return 2 * rows * vectors * lanes * depth; }
};

/// As many accumulators as the registers hold beside two vectors of one panel and a broadcast of the other.
PeakTile peak_tile(const target::Target& target, DataType type);

/// peak(A, B, C, repeats): on each of `tiles` threads C[t] = repeats × the product of A[t] and B[t].
/// `fused`: by T.fma; else by a product and a sum.
Function peak_product(const PeakTile& tile, DataType type, std::int64_t tiles, bool fused);

/// sum(A, S): S[t] = the sum of the vectors of A[t], float32.
Function memory_sum(std::int64_t tiles, std::int64_t vectors, std::int64_t lanes);

}  // namespace ardea::compile
