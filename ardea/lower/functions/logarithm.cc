#include <limits>

#include "ardea/lower/functions/coefficients.h"
#include "ardea/lower/functions/functions.h"
#include "ardea/lower/functions/reduction.h"

/// Logarithms: x = 2^e (1 + f), log(x) = e log 2 + log(1 + f). float32 has a polynomial for log(1 + f),
/// float64 the series of atanh(f / (2 + f)), whose terms fall twice as fast.

namespace ardea::lower::functions {

namespace {

Binade split_bits(Terms& t, const Expr& w, const Expr& exponent_of_zero) {
  const std::uint64_t root_half = t.single() ? 0x3f3504f3 : 0x3fe6a09e667f3bcd;
  const std::uint64_t one = t.bias() << t.mantissa_bits();
  // Counted from sqrt(1/2) on, the exponent field steps where the fraction shall begin anew.
  const Expr biased = t.keep("biased", shift_right(w + t.word(one - root_half), t.mantissa_bits()));
  const Expr field = t.keep("field", shift_left(biased, t.mantissa_bits()));
  const Expr fraction = t.keep("f", t.from_bits(w + t.word(one) - field) - t.constant(1));
  // An integer below the shifter's bits is a number once the shifter is subtracted.
  const std::uint64_t shifter_bits = t.single() ? 0x4b400000 : 0x4338000000000000;
  const Expr exponent = t.keep("exponent", t.from_bits(biased + t.word(shifter_bits)) - exponent_of_zero);
  return {exponent, fraction, t.from_bits(t.word(2 * one) - field)};
}

double zero_exponent(const Terms& t, double scale_bits) {
  return (t.single() ? 0x1.8p23 : 0x1.8p52) + static_cast<double>(t.bias()) + scale_bits;
}

/// log(1 + f) as high + low with a high part of few bits, for float64.
Pair log_of_fraction(Terms& t, const Expr& f) {
  const Expr s = t.keep("s", f / (f + t.constant(2)));
  const Expr z = t.keep("z", s * s);
  const Expr half_square = t.keep("half_square", t.constant(0.5) * f * f);
  const Expr series = t.keep("series", s * (half_square + z * t.polynomial(z, log_quotient_64)));
  const Expr high =
      t.keep("high", t.from_bits(bit_and(t.bits(f - half_square), t.word(~((std::uint64_t{1} << 27) - 1)))));
  return {high, t.keep("low", ((f - high) - half_square) + series)};
}

/// A base: 1 / log(base) as high + low, and log 2 to that base. The products of the high parts with what they
/// meet are exact in float64, and fused in float32.
struct Base {
  Expr factor_high, factor_low, two_high, two_low;
};

Expr log_to_base(Terms& t, const Binade& x, const Base& base) {
  const Expr &e = x.exponent, &f = x.fraction;
  if (t.single()) {
    const Expr rest = t.keep("rest", f * f * t.polynomial(f, log_32));  // log(1 + f) - f
    const Expr low = t.fma(rest, base.factor_high, f * base.factor_low);
    return t.fma(e, base.two_high, t.fma(e, base.two_low, t.fma(f, base.factor_high, low)));
  }
  const Pair part = log_of_fraction(t, f);
  const Expr low = (part.high + part.low) * base.factor_low + part.low * base.factor_high + e * base.two_low;
  const Expr first = t.keep("first", e * base.two_high),
             second = t.keep("second", part.high * base.factor_high);
  const Expr sum = t.keep("sum", first + second);
  return sum + (low + (second - (sum - first)));
}

Expr natural_log(Terms& t, const Binade& x) {
  const Expr &e = x.exponent, &f = x.fraction;
  if (t.single()) {
    const Expr part = t.fma(f * f, t.polynomial(f, log_32), f);
    return t.fma(e, t.constant(0x1.62e43p-1), t.fma(e, t.constant(-0x1.05c61p-29), part));
  }
  const Expr s = t.keep("s", f / (f + t.constant(2)));
  const Expr z = t.keep("z", s * s);
  const Expr half_square = t.keep("half_square", t.constant(0.5) * f * f);
  const Expr series = s * (half_square + z * t.polynomial(z, log_quotient_64));
  const Expr low = series + e * t.constant(0x1.3de6af278ece6p-42);
  return e * t.constant(0x1.62e42fefa3p-1) - ((half_square - low) - f);
}

/// `result` for positive numbers; -infinity at zero, NaN below it, infinity and NaN as they are.
Expr with_special_values(Terms& t, const Expr& x, const Expr& result) {
  const std::uint64_t largest = t.single() ? 0x7f7fffff : 0x7fefffffffffffff;
  const Expr ordinary = t.bits(x) - t.word(1) < t.word(largest);  // zero wraps around, and is none
  const Expr special =
      make_select(equals(x, t.constant(0)), t.constant(-infinity),
                  make_select(x < t.constant(0), t.constant(std::numeric_limits<double>::quiet_NaN()), x));
  return make_select(ordinary, result, special);
}

}  // namespace

Binade split_normal_binade(Terms& t, const Expr& x) {
  return split_bits(t, t.keep("bits", t.bits(x)), t.constant(zero_exponent(t, 0)));
}

Binade split_binade(Terms& t, const Expr& x) {
  const Expr tiny = t.keep("tiny", x < t.constant(0x1p-126, 0x1p-1022));
  const Expr normal = make_select(tiny, x * t.constant(0x1p24, 0x1p54), x);
  Binade parts = split_bits(
      t, t.keep("bits", t.bits(normal)),
      make_select(tiny, t.constant(zero_exponent(t, t.single() ? 24 : 54)), t.constant(zero_exponent(t, 0))));
  parts.scale = {};
  return parts;
}

Expr log_of(Terms& t, const Expr& x) { return with_special_values(t, x, natural_log(t, split_binade(t, x))); }

Expr log2_of(Terms& t, const Expr& x) {
  const Base base{t.constant(0x1.715476p+0), t.constant(0x1.4ae0cp-26, 0x1.4ae0bf85ddf44p-26), t.constant(1),
                  t.constant(0)};
  return with_special_values(t, x, log_to_base(t, split_binade(t, x), base));
}

Expr log10_of(Terms& t, const Expr& x) {
  const Base base{
      t.constant(0x1.bcb7b2p-2, 0x1.bcb7b1p-2), t.constant(-0x1.5b235ep-27, 0x1.49b9438ca9aaep-28),
      t.constant(0x1.344136p-2, 0x1.34413509f7p-2), t.constant(-0x1.ec10cp-27, 0x1.3fde623e2566bp-43)};
  return with_special_values(t, x, log_to_base(t, split_binade(t, x), base));
}

// 1 + x is rounded; what the rounding lost is added to the fraction.
Expr log1p_of(Terms& t, const Expr& x) {
  const Pair u = t.sum(t.constant(1), x);
  Binade parts = split_normal_binade(t, u.high);
  // Where the 1 is lost altogether it does not count, and the scale may be no number.
  const Expr lost = make_select(u.high < t.constant(0x1p100), u.low * parts.scale, t.constant(0));
  parts.fraction = t.keep("f", lost + parts.fraction);
  const Expr result = with_special_values(t, u.high, natural_log(t, parts));
  return make_select(absolute(x) < t.constant(0x1p-25, 0x1p-54), x, result);
}

}  // namespace ardea::lower::functions
