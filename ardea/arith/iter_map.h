#pragma once

#include <optional>
#include <vector>

#include "ardea/arith/analyzer.h"

/// Affine iterator maps: values built from loop variables by splits and fuses, as mixed-radix numbers.

namespace ardea::arith {

/// One digit: (source // divisor) % extent, times `weight`.
struct Digit {
  Var source;
  Expr divisor, extent, weight;
};

/// base + Σ digits, sorted by falling weight. Regular: each weight is the next digit's weight times its
/// extent and the last is 1, so that the value without `base` runs over [0, extent) without gaps.
struct MixedRadix {
  std::vector<Digit> digits;
  Expr base;
  bool regular = false;
  Expr extent;  ///< product of the digits' extents where regular
};

/// e as a mixed-radix number of the loop variables in `loops` (each with its range), or nothing where it is
/// not one.
std::optional<MixedRadix> mixed_radix(const Expr& e, const std::vector<std::pair<Var, Range>>& loops,
                                      const Analyzer& facts);

/// Bindings as functions of the loops.
struct IterMap {
  std::vector<MixedRadix> bindings;
  bool injective = false;   ///< different loop values (where the predicate holds) give different bindings
  bool surjective = false;  ///< every point of the box of extents is reached where there is no predicate
};
std::optional<IterMap> iter_map(const std::vector<Expr>& bindings,
                                const std::vector<std::pair<Var, Range>>& loops, const Expr& predicate,
                                const Analyzer& facts);

/// The loop values as expressions of the binding values `values` (one each): the inverse of a bijective map,
/// or nothing.
std::optional<std::vector<std::pair<Var, Expr>>> inverse(const IterMap& map, const std::vector<Expr>& values,
                                                         const std::vector<std::pair<Var, Range>>& loops,
                                                         const Analyzer& facts);

}  // namespace ardea::arith
