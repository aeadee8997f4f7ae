#include <cmath>

#include "ardea/lower/functions/coefficients.h"
#include "ardea/lower/functions/functions.h"
#include "ardea/lower/functions/reduction.h"

/// exp and what is made of it: x = n log 2 + r, exp(x) = 2^n (1 + expm1(r)).

namespace ardea::lower::functions {

namespace {

/// n = x · per_unit rounded to an integer, rest = x - n · (high + low). The product n · high is exact in
/// float64, and fused in float32.
Power split_by(Terms& t, const Expr& x, const Expr& per_unit, const Expr& high, const Expr& low) {
  const Expr shifted = t.keep("shifted", t.fma(x, per_unit, t.shifter()));
  const Expr n = t.keep("n", shifted - t.shifter());
  const Expr most = t.keep("most", t.fma(-n, high, x));
  return {shifted, t.keep("r", t.fma(-n, low, most))};
}

/// 2^n as two factors, so that a result that underflows is rounded once: first to 2^(n + 64) or so, then by
/// 2^-64: the exponents of both add up to n.
struct Scale {
  Expr power, back;
};

Scale scale_of(Terms& t, const Expr& shifted, const Expr& is_negative) {
  const auto exponent = [&](std::int64_t offset) {
    return t.word((t.bias() + static_cast<std::uint64_t>(offset)) << t.mantissa_bits());
  };
  const Expr offset =
      t.keep("offset", make_select(is_negative, exponent(t.single() ? 64 : 128), exponent(-1)));
  const Expr both = t.word(2 * t.bias() << t.mantissa_bits());
  return {t.keep("power", t.power_of_two(shifted, offset)), t.keep("back", t.from_bits(both - offset))};
}

Expr exp_from(Terms& t, const Power& power, const Expr& x) {
  const Expr e = expm1_of_rest(t, power.rest).high;
  if (t.scaling()) return make_call("scalbn", {e + t.constant(1), power.shifted - t.shifter()});
  const Scale scale = scale_of(t, power.shifted, x < t.constant(0));
  // (e + 1) · 2^m, with the same bits: a power of two moves the place where the sum is rounded.
  const Expr scaled = t.fused() ? t.fma(e, scale.power, scale.power) : (e + t.constant(1)) * scale.power;
  return scaled * scale.back;
}

/// exp(x), and what its rounding lost.
Pair long_exp(Terms& t, const Expr& x) {
  const Power power = split_power(t, x);
  const Pair e = expm1_of_rest(t, power.rest);
  const Pair value = t.quick_sum(t.constant(1), e.high);
  const Scale scale = scale_of(t, power.shifted, x < t.constant(0));
  return {t.keep("exp", value.high * scale.power * scale.back),
          t.keep("exp_low", (value.low + e.low) * scale.power * scale.back)};
}

/// expm1(x) / 2^halvings for x whose n - halvings is the exponent of a normal number.
Pair expm1_divided(Terms& t, const Expr& x, int halvings) {
  const Power power = split_power(t, x);
  const Pair e = expm1_of_rest(t, power.rest);
  const Expr scale = t.keep("scale", t.power_of_two(power.shifted, -halvings));
  const Expr less_one = t.keep("less_one", scale - t.constant(1.0 / (1 << halvings)));
  const Expr high = t.keep("expm1", t.fma(scale, e.high, less_one));  // the product is exact
  return {high, t.keep("expm1_low", t.fma(scale, e.high, less_one - high) + scale * e.low)};
}

Expr bounded_for_exp(Terms& t, const Expr& x) {
  // Beyond these the result is 0 or infinite.
  return t.keep("x", t.single() ? t.clamped(x, -104, 89) : t.clamped(x, -746, 710));
}

}  // namespace

Power split_power(Terms& t, const Expr& x) {
  return split_by(t, x, t.constant(0x1.71547652b82fep+0), t.constant(0x1.62e43p-1, 0x1.62e42fefa3p-1),
                  t.constant(-0x1.05c61p-29, 0x1.3de6af278ece6p-42));
}

Pair expm1_of_rest(Terms& t, const Expr& r) {
  const Expr square = t.keep("square", r * r), tail = t.keep("tail", t.polynomial(r, exp_32, exp_64));
  const Expr e = t.keep("e", t.fma(square, tail, r));
  return {e, t.keep("e_low", t.fma(square, tail, r - e))};
}

Expr exp_of(Terms& t, const Expr& x) {
  const Expr inside = bounded_for_exp(t, x);
  return exp_from(t, split_power(t, inside), inside);
}

Expr exp2_of(Terms& t, const Expr& x) {
  const Expr inside = t.keep("x", t.single() ? t.clamped(x, -151, 128) : t.clamped(x, -1076, 1024));
  const Expr shifted = t.keep("shifted", inside + t.shifter());
  const Expr r = t.keep("r", (inside - (shifted - t.shifter())) * t.constant(0x1.62e42fefa39efp-1));
  return exp_from(t, {shifted, r}, inside);
}

Expr exp10_of(Terms& t, const Expr& x) {
  const Expr inside = t.keep("x", t.single() ? t.clamped(x, -46, 38.6) : t.clamped(x, -324, 308.3));
  const Power power =
      split_by(t, inside, t.constant(0x1.a934f0979a371p+1), t.constant(0x1.344136p-2, 0x1.34413509f7p-2),
               t.constant(-0x1.ec10cp-27, 0x1.3fde623e2566bp-43));
  const Expr r = t.keep("r", power.rest * t.constant(0x1.26bb1bbb55516p+1));
  return exp_from(t, {power.shifted, r}, inside);
}

Expr expm1_of(Terms& t, const Expr& x) {
  const Expr inside = t.keep("x", t.single() ? t.clamped(x, -18, 89) : t.clamped(x, -40, 710));
  const Pair halves = expm1_divided(t, inside, 1);
  const Expr half = t.keep("half", halves.high + halves.low);
  // Below, expm1(x) is x: the sign of zero and the bits of subnormal numbers stay.
  return make_select(absolute(x) < t.constant(0x1p-25, 0x1p-54), x, half + half);
}

// Near 0 x + x³ p(x²), further out 1 - 2 / (exp(2 |x|) + 1): there the quotient is at most 0.4, so that its
// errors hardly count.
Expr tanh_of(Terms& t, const Expr& x) {
  if (t.tables()) return odd_by_pieces(t, x, {tanh_width, tanh_end, tanh_pieces_32});
  const Expr a = t.keep("a", absolute(x)), square = t.keep("square", a * a);
  const Expr near = t.fma(square * t.polynomial(square, tanh_32, tanh_64), a, a);
  // Half of 2 |x| = n log 2 + 2 r, and exp(2 r) by the polynomial of exp(r).
  const Expr inside = t.keep("inside", t.at_most(a, t.single() ? 9.02 : 19.1));
  const Expr shifted = t.keep("shifted", t.fma(inside, t.constant(0x1.71547652b82fep+1), t.lifted_shifter()));
  const Expr n = t.keep("n", shifted - t.lifted_shifter());
  const Expr most = t.fma(-n, t.constant(0x1.62e43p-2, 0x1.62e42fefa3p-2), inside);
  const Expr r = t.keep("r", t.single() ? most : t.fma(-n, t.constant(0x1.3de6af278ece6p-43), most));
  std::vector<double> terms = {1, 2};
  for (const double c : t.single() ? std::span<const double>(exp_32) : std::span<const double>(exp_64))
    terms.push_back(std::ldexp(c, static_cast<int>(terms.size())));
  const Expr far =
      t.constant(1) - t.constant(2) / t.fma(t.polynomial(r, terms), t.lifted_power(shifted), t.constant(1));
  return with_sign_of(make_select(a < t.constant(0.7), near, far), x);
}

// With x = n log 2 - r, the sigmoid is 2^n / (2^n + exp(r)): no power overflows where n is at most 29, beyond
// which it is 1. The residue e of the quotient takes the parts of the divisor as they were before they were
// added up, so that neither that sum's rounding nor the quotient's remains.
Expr sigmoid_of_single(Terms& t, const Expr& x) {
  constexpr double lift =
      64;  // 2^(n + 64) is a normal number, and the last product rounds to a subnormal one
  const Expr one = t.constant(1), lower = t.constant(std::ldexp(1.0, -lift));
  const Expr shifter = t.constant(0x1.8p23 + 127 + lift), inside = t.keep("x", t.clamped(x, -104, 20));
  const Expr shifted = t.keep("shifted", t.fma(inside, t.constant(0x1.715476p+0), shifter));
  const Expr n = t.keep("n", shifted - shifter);
  const Expr most = t.fma(n, t.constant(0x1.62e43p-1), -inside);
  const Expr r = t.keep("r", t.fma(n, t.constant(-0x1.05c61p-29), most));
  const Expr less_one = t.keep("less_one", t.fma(r * r, t.polynomial(r, exp_32), r));
  const Expr lifted = t.keep("lifted", t.lifted_power(shifted)), power = t.keep("power", lifted * lower);
  const Expr q = t.keep("q", one / ((power + one) + less_one));
  const Expr e = t.fma(-less_one, q, t.fma(-power, q, one - q));
  const Expr scaled = t.keep("scaled", q * lifted);
  return t.fma(scaled, e, scaled) * lower;
}

// 1 / (1 + exp(-x)). The rounding errors of the power and of the sum change the quotient q by their share of
// its square.
Expr sigmoid_of(Terms& t, const Expr& x) {
  if (t.single()) return sigmoid_of_single(t, x);
  // Where exp(-x) overflows, the reference is 0.
  const Pair e = long_exp(t, bounded_for_exp(t, -x)), below = t.sum(t.constant(1), e.high);
  const Expr q = t.keep("q", t.constant(1) / below.high);
  return make_select(q > t.constant(0x1p-60), t.fma(-q * q, below.low + e.low, q), q);
}

// With q = expm1(|x|) / 4, sinh|x| = 2 (q + q / (4 q + 1)): nothing overflows before the result does.
Expr sinh_of(Terms& t, const Expr& x) {
  const Expr inside = t.keep("x", t.at_most(absolute(x), t.single() ? 89.5 : 710.6));
  const Pair q = expm1_divided(t, inside, 2);
  const Expr quotient = q.high / t.fma(q.high, t.constant(4), t.constant(1));
  const Expr half = t.keep("half", q.high + (quotient + q.low));
  return make_select(inside < t.constant(0x1p-13, 0x1p-27), x, with_sign_of(half + half, x));
}

// With q = exp(|x|) / 4, cosh(x) = 2 (q + 1 / (16 q)).
Expr cosh_of(Terms& t, const Expr& x) {
  const Expr inside = t.keep("x", t.at_most(absolute(x), t.single() ? 89.5 : 710.6));
  const Power power = split_power(t, inside);
  const Expr scale = t.power_of_two(power.shifted, -2);
  const Expr q = t.keep("q", (expm1_of_rest(t, power.rest).high + t.constant(1)) * scale);
  const Expr half = t.keep("half", q + t.constant(0.0625) / q);
  return half + half;
}

}  // namespace ardea::lower::functions
