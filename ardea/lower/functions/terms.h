#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ardea/ir/intrinsics.h"

/// The language in which the vector functions are written: float32 or float64 expressions, the same for a
/// scalar and for each lane of a vector, whose steps are named once and used often.

namespace ardea::lower::functions {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// An unevaluated sum, high + low, of twice the type's precision.
struct Pair {
  Expr high, low;
};

/// One expression under construction. Every step that is used more than once is kept as a let: the expression
/// stays as small as its text, in whatever way it is evaluated.
///
/// The backend may fuse a product with a sum that uses it (docs/semantics.md). So a rounded product whose
/// error is needed comes from `product`, which no backend fuses; elsewhere the algorithms are right both
/// ways.
class Terms {
 public:
  /// `type` is float32 or float64, of any lanes; `fused`: the target has a fused multiply-add; `scaling`: one
  /// instruction multiplies by powers of two (T.scalbn); `in_pairs`: polynomials are computed in pairs of
  /// terms, for machines whose fused operation overwrites its summand, so that Horner's scheme would copy
  /// every constant, or that look ahead over few instructions, so that a long chain would stop them;
  /// `tables`: one instruction looks up 32 numbers of this type (T.lookup).
  struct Machine {
    bool fused = false, scaling = false, in_pairs = false, tables = false;
  };
  Terms(DataType type, Machine machine) : type_(type), machine_(machine) {}

  DataType type() const { return type_; }
  bool single() const { return type_.bits == 32; }
  bool fused() const { return machine_.fused; }
  bool scaling() const { return machine_.scaling; }
  bool in_pairs() const { return machine_.in_pairs; }
  bool tables() const { return machine_.tables; }
  DataType word_type() const { return (single() ? uint32 : uint64).with_lanes(type_.lanes); }
  int mantissa_bits() const { return single() ? 23 : 52; }
  std::uint64_t bias() const { return single() ? 127 : 1023; }

  /// The value under a name; use the answer, not the value, from then on.
  Expr keep(const std::string& name, const Expr& value);
  /// The result inside the lets of all that was kept.
  Expr finish(Expr result) const;
  /// A new expression of the same type: a side that is evaluated lazily keeps its own steps.
  Terms side() const { return {type_, machine_}; }

  Expr constant(double value) const { return make_const(value, type_); }
  /// The first of a float32 expression, the second of a float64 one.
  Expr constant(double of_single, double of_double) const {
    return constant(single() ? of_single : of_double);
  }
  Expr word(std::uint64_t value) const { return make_int(static_cast<std::int64_t>(value), word_type()); }

  /// a * b + c: rounded once where the target can, else twice.
  Expr fma(const Expr& a, const Expr& b, const Expr& c) const;
  /// c[0] + c[1] x + c[2] x² + …; the first table of a float32 expression, the second of a float64 one.
  Expr polynomial(const Expr& x, std::span<const double> c);
  Expr polynomial(const Expr& x, std::span<const double> of_single, std::span<const double> of_double) {
    return polynomial(x, single() ? of_single : of_double);
  }

  Expr bits(const Expr& x) const;       ///< of a float, as an unsigned word
  Expr from_bits(const Expr& w) const;  ///< and back
  /// Where the integer in the low bits of `shifted` begins to be a number: 1.5 · 2^mantissa_bits.
  Expr shifter() const { return constant(0x1.8p23, 0x1.8p52); }
  /// 2^(n + offset), n the integer in the low bits of `shifted`, as adding the shifter leaves it there.
  Expr power_of_two(const Expr& shifted, std::int64_t offset) const;
  Expr power_of_two(const Expr& shifted, const Expr& biased_offset) const;

  /// A shifter that leaves n + bias in the low bits, so that one shift makes 2^n of them (`lifted_power`).
  Expr lifted_shifter() const { return constant(0x1.8p23 + 127, 0x1.8p52 + 1023); }
  Expr lifted_power(const Expr& shifted) const;

  /// The value whose number stands in the low bits of `shifted`.
  Expr looked_up(const Expr& shifted, std::span<const double> values) const;

  /// x inside [low, high]; NaN stays NaN.
  Expr clamped(const Expr& x, double low, double high) const;
  Expr at_most(const Expr& x, double high) const;

  /// a + b, exactly. `quick_sum` needs |a| >= |b|, or a = 0.
  Pair sum(const Expr& a, const Expr& b);
  Pair quick_sum(const Expr& a, const Expr& b);
  /// a * b, exactly.
  Pair product(const Expr& a, const Expr& b);

 private:
  Pair halves(const Expr& x);

  DataType type_;
  Machine machine_;
  std::vector<std::pair<Var, Expr>> kept_;
};

Expr absolute(const Expr& x);
Expr with_sign_of(const Expr& magnitude, const Expr& sign);
Expr shift_left(const Expr& a, int amount);
Expr shift_right(const Expr& a, int amount);
Expr bit_and(const Expr& a, const Expr& b);
Expr bit_or(const Expr& a, const Expr& b);
Expr bit_xor(const Expr& a, const Expr& b);

}  // namespace ardea::lower::functions
