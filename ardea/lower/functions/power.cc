#include <limits>

#include "ardea/lower/functions/coefficients.h"
#include "ardea/lower/functions/functions.h"
#include "ardea/lower/functions/reduction.h"

/// pow(x, y) = exp(y log|x|) with a sign. The logarithm must carry as many extra bits as the exponent has:
/// float32 computes in float64, float64 in pairs.

namespace ardea::lower::functions {

namespace {

/// |x|^y for float32 |x| > 0 and finite y, in float64.
Expr magnitude_single(Terms& t, const Expr& x, const Expr& y) {
  const DataType wide_type = float64.with_lanes(t.type().lanes);
  Terms w(wide_type, {t.fused(), false, t.in_pairs()});
  // As a float64 a subnormal number is a normal one.
  const Binade parts = split_normal_binade(w, w.keep("a", make_cast(wide_type, absolute(x))));
  const Expr &f = parts.fraction, s = w.keep("s", f / (f + w.constant(2)));
  const Expr z = w.keep("z", s * s);
  const Expr log2 = w.fma(s, w.polynomial(z, power_log2_32), parts.exponent);
  const Expr exponent = w.keep("exponent", w.clamped(log2 * make_cast(wide_type, y), -200, 200));
  const Expr shifted = w.keep("shifted", exponent + w.shifter());
  const Expr r = w.keep("r", exponent - (shifted - w.shifter()));
  const Expr result = w.polynomial(r, power_exp2_32) * w.power_of_two(shifted, 0);
  return w.finish(make_cast(t.type(), result));
}

/// log(x) for x > 0, to some 15 bits more than float64 has.
Pair long_log(Terms& t, const Expr& x) {
  const Binade parts = split_binade(t, x);
  const Expr &f = parts.fraction, &e = parts.exponent;
  // s = f / (2 + f) as a pair; the sum is rounded, and what it lost counts in the remainder.
  const Pair below = t.quick_sum(t.constant(2), f);
  const Expr reciprocal = t.keep("reciprocal", t.constant(1) / below.high);
  const Expr s = t.keep("s", f * reciprocal);
  const Pair back = t.product(s, below.high);
  const Expr s_low = t.keep("s_low", (((f - back.high) - back.low) - s * below.low) * reciprocal);
  // log(1 + f) = 2 s + s³ (2/3 + s² (…)).
  const Pair square = t.product(s, s);
  const Expr square_low = t.keep("square_low", square.low + t.constant(2) * s * s_low);
  const Pair third =
      t.quick_sum(t.constant(0x1.5555555555555p-1), square.high * t.polynomial(square.high, log_tail_64));
  const Expr third_low = t.keep("third_low", third.low + t.constant(0x1.5555555555555p-55));
  const Pair cube = t.product(s, square.high);
  const Expr cube_low = t.keep("cube_low", cube.low + s * square_low + s_low * square.high);
  const Pair term = t.product(cube.high, third.high);
  const Expr term_low = term.low + cube.high * third_low + cube_low * third.high;
  const Pair log_f = t.quick_sum(t.constant(2) * s, term.high);
  const Expr low = log_f.low + (t.constant(2) * s_low + term_low);
  const Pair total = t.quick_sum(t.keep("most", e * t.constant(0x1.62e42fefa3p-1)), log_f.high);
  return t.quick_sum(total.high, total.low + (low + e * t.constant(0x1.3de6af278ece6p-42)));
}

Expr magnitude_double(Terms& t, const Expr& x, const Expr& y) {
  const Pair log_x = long_log(t, absolute(x));
  // Beyond 2^70 every power but those of 1 is 0 or infinite, and products of halves must not overflow.
  const Expr bounded = t.keep("y", t.clamped(y, -0x1p70, 0x1p70));
  const Pair exponent = t.product(log_x.high, bounded);
  const Expr inside = t.keep("inside", t.clamped(exponent.high, -746, 710));
  const Expr low =
      make_select(equals(inside, exponent.high), exponent.low + log_x.low * bounded, t.constant(0));
  Power power = split_power(t, inside);
  power.rest = t.keep("r", power.rest + low);
  const Expr value = expm1_of_rest(t, power.rest).high + t.constant(1);
  // In two steps of half the exponent each: the second one rounds, where the result is subnormal.
  const Expr n = t.keep("n", t.bits(power.shifted) - t.word(0x4338000000000000));
  const Expr half = t.keep("half", shift_right(n + t.word(2048), 1) - t.word(1024));
  const auto power_of_two = [&](const Expr& k) { return t.from_bits(shift_left(k + t.word(1023), 52)); };
  return value * power_of_two(half) * power_of_two(n - half);
}

/// Whether y is an integer, and whether that is odd. From 2^mantissa_bits on every number is an integer, and
/// the last bit tells; twice that and above all are even.
struct Parity {
  Expr integer, odd;
};

Parity parity(Terms& t, const Expr& y) {
  const double step = t.single() ? 0x1p23 : 0x1p52;
  const Expr a = t.keep("abs_y", absolute(y));
  const Expr small = t.keep("small", a < t.constant(step));
  const Expr moved = t.keep("moved", a + t.constant(step));
  const Expr integer = logical_or(equals(moved - t.constant(step), a), logical_not(small));
  const Expr last = bit_and(make_select(small, t.bits(moved), t.bits(a)), t.word(1));
  const Expr odd = logical_and(not_equals(last, t.word(0)), a < t.constant(2 * step));
  return {t.keep("integer", integer), logical_and(integer, odd)};
}

}  // namespace

Expr pow_of(Terms& t, const Expr& x, const Expr& y) {
  const Expr zero = t.constant(0), one = t.constant(1), infinite = t.constant(infinity);
  const Expr a = t.keep("abs_x", absolute(x));
  const Expr ordinary =
      t.single() ? magnitude_single(t, x, t.clamped(y, -0x1p70, 0x1p70)) : magnitude_double(t, x, y);
  // Powers of 0 and of infinity: infinite where both or neither of base and exponent are "above".
  const Expr extreme = logical_or(equals(a, zero), equals(a, infinite));
  const Expr grows = equals(make_cast(t.word_type(), a > one), make_cast(t.word_type(), y > zero));
  Expr result = t.keep("magnitude", make_select(extreme, make_select(grows, infinite, zero), ordinary));
  const Parity of_y = parity(t, y);
  const Expr odd = t.keep("odd", of_y.odd);
  result = make_select(odd, with_sign_of(result, x), result);
  const Expr no_number =
      logical_or(logical_and(logical_and(x<zero, x> - infinite), logical_not(of_y.integer)),
                 logical_or(not_equals(x, x), not_equals(y, y)));
  result = make_select(no_number, t.constant(std::numeric_limits<double>::quiet_NaN()), result);
  return make_select(logical_or(equals(y, zero), equals(x, one)), one, result);
}

}  // namespace ardea::lower::functions
