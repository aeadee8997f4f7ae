#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ardea/arith/analyzer.h"

/// Affine iterator maps: values built from loop variables by splits and fuses, as mixed-radix numbers.

namespace ardea::arith {

/// One digit: (source // divisor) % extent, times `weight`. A source counts from the start of its range.
struct Digit {
  Var source;
  Expr divisor, extent, weight;
};

/// A sum of loops that is cut where none of them ends, such as (io * 4 + ii) // 5 or (i + 3) // 4: a source
/// of digits, as a loop is.
struct Fused {
  Var var;                    ///< stands for the sum in the digits that are cut from it
  std::vector<Digit> digits;  ///< the sum without `base`: regular, sorted by falling weight
  Expr base;                  ///< at least 0
  Expr extent;                ///< its values lie in [base, extent)
};

/// base + Σ digits, sorted by falling weight. Regular: each weight is the next digit's weight times its
/// extent and the last is 1, so that the value without `base` lies in [0, extent) and tells its digits.
struct MixedRadix {
  std::vector<Digit> digits;
  Expr base;
  bool regular = false;
  Expr extent;  ///< product of the digits' extents where regular
  /// It is regular and the value without `base` takes every value in [0, extent), where all loops run and no
  /// predicate cuts them: no digit restricts another, and no range depends on another loop.
  bool fills = false;
  std::vector<Fused> fused = {};
};

/// e as a mixed-radix number of the loop variables in `loops` (each with its range), or nothing where it is
/// not one.
std::optional<MixedRadix> mixed_radix(const Expr& e, const std::vector<std::pair<Var, Range>>& loops,
                                      const Analyzer& facts);

/// Bindings as functions of the loops.
struct IterMap {
  std::vector<MixedRadix> bindings;  ///< with digits of loops and of `fused`
  std::vector<Fused> fused;
  bool injective = false;  ///< different loop values (where the predicate holds) give different bindings
  /// There is no predicate, no range depends on another loop, and every point of the box of extents is
  /// reached (where all loops run).
  bool surjective = false;
  /// For each loop: equal bindings mean an equal value of it, whatever the other loops do.
  std::vector<bool> determined = {};
};

/// The bindings under `predicate` (empty means true), which cuts the tails of splits that do not divide;
/// nothing where some binding is no mixed-radix number. The loops stand outermost first; their ranges may
/// depend on loops around them.
std::optional<IterMap> iter_map(const std::vector<Expr>& bindings,
                                const std::vector<std::pair<Var, Range>>& loops, const Expr& predicate,
                                const Analyzer& facts);

/// The loop values as expressions of the binding values `values` (one each), in the order of `loops`: the
/// inverse of an injective map whose bindings are regular, or nothing, as where a range depends on another
/// loop. `facts` may know the ranges of the values.
std::optional<std::vector<std::pair<Var, Expr>>> inverse(const IterMap& map, const std::vector<Expr>& values,
                                                         const std::vector<std::pair<Var, Range>>& loops,
                                                         const Analyzer& facts);

}  // namespace ardea::arith
