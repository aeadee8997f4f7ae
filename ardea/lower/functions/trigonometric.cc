#include <limits>

#include "ardea/lower/functions/coefficients.h"
#include "ardea/lower/functions/functions.h"
#include "ardea/lower/functions/reduction.h"

/// sin, cos and tan: the argument becomes a quadrant and an angle of at most pi / 4, by multiples of pi / 2
/// to three parts for ordinary arguments, by large_angles.cc for the others. That way is long, and taken only
/// where some lane needs it.

namespace ardea::lower::functions {

namespace {

double large(const Terms& t) { return t.single() ? 0x1p16 : 0x1p22; }

Angle reduce_ordinary_angle(Terms& t, const Expr& x) {
  const Expr shifted = t.keep("shifted", t.fma(x, t.constant(0x1.45f306dc9c883p-1), t.shifter()));
  const Expr n = t.keep("n", shifted - t.shifter()), quadrant = t.bits(shifted);
  if (t.single()) {
    const Expr first = t.fma(-n, t.constant(0x1.921fb6p+0), x);
    const Expr second = t.fma(-n, t.constant(-0x1.777a5cp-25), first);
    return {quadrant, t.keep("r", t.fma(-n, t.constant(-0x1.ee59dap-50), second)), {}};
  }
  // Parts of 31 bits, so that their products with n are exact.
  const Expr first = t.keep("first", x - n * t.constant(0x1.921fb544p+0));
  const Pair second = t.sum(first, t.keep("part", -n * t.constant(0x1.0b4611a4p-34)));
  const Pair third = t.sum(second.high, t.keep("part", -n * t.constant(0x1.13198a2cp-65)));
  const Expr low = (second.low + third.low) - n * t.constant(0x1.01b839a25204ap-96);
  const Pair r = t.quick_sum(third.high, low);
  return {quadrant, r.high, r.low};
}

struct SineCosine {
  Expr sine, cosine;
};

SineCosine sine_and_cosine(Terms& t, const Angle& a) {
  const Expr& r = a.angle;
  const Expr one = t.constant(1), half = t.constant(0.5), z = t.keep("z", r * r);
  const Expr sine_tail = t.polynomial(z, sin_32, sin_64), cosine_tail = t.polynomial(z, cos_32, cos_64);
  if (t.single())
    return {t.keep("sine", t.fma(r * z, sine_tail, r)),
            t.keep("cosine", t.fma(z * z, cosine_tail, -half * z) + one)};
  const Expr half_square = t.keep("half_square", half * z);
  const Expr sine = r + t.fma(r * z, sine_tail, a.rest - half_square * a.rest);
  const Expr most = t.keep("most", one - half_square);
  const Expr cosine = most + (((one - most) - half_square) + (z * z * cosine_tail - r * a.rest));
  return {t.keep("sine", sine), t.keep("cosine", cosine)};
}

Expr flipped_where(const Terms& t, const Expr& x, const Expr& word_with_flag, int flag_bit) {
  const int to_sign = t.type().bits - 1 - flag_bit;
  const Expr flag = bit_and(word_with_flag, t.word(std::uint64_t{1} << flag_bit));
  return t.from_bits(bit_xor(t.bits(x), shift_left(flag, to_sign)));
}

enum class CircularFunction { sine, cosine, tangent };

Expr of_angle(Terms& t, CircularFunction function, const Angle& angle) {
  const SineCosine both = sine_and_cosine(t, angle);
  // The cosine is the sine a quadrant later.
  const Expr q =
      t.keep("quadrant", function == CircularFunction::cosine ? angle.quadrant + t.word(1) : angle.quadrant);
  const Expr swapped = t.keep("swapped", not_equals(bit_and(q, t.word(1)), t.word(0)));
  const Expr above = make_select(swapped, both.cosine, both.sine);
  if (function != CircularFunction::tangent) return flipped_where(t, above, q, 1);
  return flipped_where(t, above / make_select(swapped, both.sine, both.cosine), q, 0);
}

Expr any_lane(const Expr& mask) {
  const int lanes = mask.type().lanes;
  if (lanes == 1) return mask;
  // As bytes, in words as wide as the lanes allow.
  const int bytes = lanes % 8 == 0 ? 8 : lanes % 4 == 0 ? 4 : lanes % 2 == 0 ? 2 : 1;
  const DataType word = bytes == 8 ? uint64 : bytes == 4 ? uint32 : bytes == 2 ? uint16 : uint8;
  const Expr flags = make_cast(uint8.with_lanes(lanes), mask);
  const Expr words = bytes == 1 ? flags : make_call("reinterpret", word.with_lanes(lanes / bytes), {flags});
  if (lanes == bytes) return not_equals(words, make_int(0, word));
  Expr all = make_shuffle({words}, {0});
  for (int i = 1; i < lanes / bytes; ++i) all = bit_or(all, make_shuffle({words}, {i}));
  return not_equals(all, make_int(0, word));
}

Expr of_large(Terms& t, CircularFunction function, const Expr& x, const Expr& is_large) {
  // The reduction of |x|; the sign is put back on angle and quadrant.
  Angle angle = reduce_large_angle(t, absolute(x));
  const Expr negative = t.keep("negative", x < t.constant(0));
  const auto turned = [&](const Expr& v) { return make_select(negative, -v, v); };
  angle.quadrant = make_select(negative, t.word(0) - angle.quadrant, angle.quadrant);
  angle.angle = turned(angle.angle);
  if (!t.single()) angle.rest = turned(angle.rest);
  if (t.type().is_vector()) {
    const Angle ordinary = reduce_ordinary_angle(t, x);
    angle.quadrant = make_select(is_large, angle.quadrant, ordinary.quadrant);
    angle.angle = make_select(is_large, angle.angle, ordinary.angle);
    if (!t.single()) angle.rest = make_select(is_large, angle.rest, ordinary.rest);
  }
  angle.angle = t.keep("r", angle.angle);
  if (!t.single()) angle.rest = t.keep("rest", angle.rest);
  const Expr result = of_angle(t, function, angle);
  const Expr finite = absolute(x) < t.constant(infinity);
  return make_select(finite, result, t.constant(std::numeric_limits<double>::quiet_NaN()));
}

Expr written(Terms& t, CircularFunction function, const Expr& x) {
  const Expr is_large = t.keep("large", logical_not(absolute(x) < t.constant(large(t))));
  Terms rare = t.side(), usual = t.side();
  const Expr slow = rare.finish(of_large(rare, function, x, is_large));
  const Expr fast = usual.finish(of_angle(usual, function, reduce_ordinary_angle(usual, x)));
  const Expr result = make_call("if_then_else", {any_lane(is_large), slow, fast});
  if (function == CircularFunction::cosine) return result;
  // Below, the function is x: the sign of zero and the bits of subnormal numbers stay.
  return make_select(absolute(x) < t.constant(0x1p-13, 0x1p-27), x, result);
}

}  // namespace

Expr sin_of(Terms& t, const Expr& x) { return written(t, CircularFunction::sine, x); }
Expr cos_of(Terms& t, const Expr& x) { return written(t, CircularFunction::cosine, x); }
Expr tan_of(Terms& t, const Expr& x) { return written(t, CircularFunction::tangent, x); }

}  // namespace ardea::lower::functions
