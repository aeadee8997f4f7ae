#pragma once

#include <cstdint>
#include <string>

#include "ardea/ir/function.h"
#include "ardea/target/target.h"

/// A matrix product as kernels are written: both operands packed into panels, a tile of sums in registers,
/// the sums of its tails in smaller tiles. Everything by schedule steps on a plain program.

namespace ardea::tiles {

struct Gemm {
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t rows = 1, columns = 1;  ///< of the register tile
  std::int64_t steps = 1;              ///< of the sum that are written out one after another
  bool symbolic = false;               ///< the program does not know m, n and k

  bool has_right() const { return n % columns != 0; }
  bool has_bottom() const { return m % rows != 0; }
  /// The nests that remain: main, right, bottom and corner, as far as there are any.
  int kernels() const;
  /// The loops over the sum in each: whole rounds of `steps`, and the rest.
  int loops() const;
};

/// The largest tile whose sums and operands fit the registers of the target, with so many steps written out.
Gemm tile_for(const target::Target& target, std::int64_t steps);

/// Random sizes for such a tile.
Gemm random_gemm(std::uint64_t seed, const target::Target& target);

/// The program and the steps, as text.
std::string program_text(const Gemm& gemm);
std::string steps_text(const Gemm& gemm);

/// The steps applied.
Function scheduled(const Gemm& gemm);

std::string describe(const Gemm& gemm);

}  // namespace ardea::tiles
