#include <array>

#include "ardea/lower/functions/reduction.h"

/// Payne and Hanek's reduction: of |x| · 2 / pi only the last two bits before the point and what follows it
/// are needed, so that the bits of 2 / pi that would make multiples of four are skipped. In 32-bit limbs,
/// each in a 64-bit word.

namespace ardea::lower::functions {

namespace {

/// 32 zero bits, then the bits of 2 / pi after the point, as far as float64 reaches.
constexpr std::array<std::uint32_t, 41> two_over_pi = {
    0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c,
    0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4,
    0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf,
    0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea,
    0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};

class Limbs {
 public:
  explicit Limbs(Terms& t) : t_(t), type_(uint64.with_lanes(t.type().lanes)) {}

  Expr number(std::uint64_t value) const { return make_int(static_cast<std::int64_t>(value), type_); }
  Expr low(const Expr& x) const { return bit_and(x, number(0xffffffff)); }

  /// `count` limbs of 2 / pi from bit `first` of the table on, the most significant one first.
  std::vector<Expr> window(const Expr& first, int count) {
    std::vector<Expr> words;
    for (const std::uint32_t word : two_over_pi) words.push_back(number(word));
    const int levels = t_.single() ? 3 : 5;  // the largest exponent's window begins at word 4, or at word 31
    const Expr index = t_.keep("index", shift_right(first, 5));
    for (int level = levels; level-- > 0;) {  // as a barrel shifter: by 16 words or not, by 8 or not, …
      const std::size_t step = std::size_t{1} << level;
      const std::size_t needed = static_cast<std::size_t>(count) + step;
      const Expr taken = t_.keep("taken", not_equals(bit_and(index, number(step)), number(0)));
      std::vector<Expr> next;
      for (std::size_t i = 0; i < needed && i + step < words.size(); ++i)
        next.push_back(t_.keep("word", make_select(taken, words[i + step], words[i])));
      words = std::move(next);
    }
    const Expr shift = t_.keep("shift", bit_and(first, number(31)));
    std::vector<Expr> limbs;
    for (int i = 0; i < count; ++i) {
      const Expr both = bit_or(shift_left(words[i], 32), words[i + 1]);
      limbs.push_back(t_.keep("limb", shift_right(make_binary(BinaryOp::shift_left, both, shift), 32)));
    }
    return limbs;
  }

  /// digits (the least significant one first) + factor · limbs (the most significant one first) shifted up by
  /// `from` digits, modulo the width.
  void add_product(std::vector<Expr>& digits, const Expr& factor, const std::vector<Expr>& limbs,
                   std::size_t from) {
    Expr carry = number(0);
    for (std::size_t i = from; i < digits.size(); ++i) {
      const Expr sum = t_.keep("digit", factor * limbs[limbs.size() - 1 - (i - from)] + digits[i] + carry);
      digits[i] = low(sum);
      carry = shift_right(sum, 32);
    }
  }

  /// A limb as a float64: behind the bits of 2^52 it is a number once `bias` is subtracted.
  Expr real(const Expr& limb, double bias = 0x1p52) const {
    const DataType type = float64.with_lanes(type_.lanes);
    return make_call("reinterpret", type, {bit_or(limb, number(0x4330000000000000))}) -
           make_const(bias, type);
  }

 private:
  Terms& t_;
  DataType type_;
};

}  // namespace

Angle reduce_large_angle(Terms& t, const Expr& x) {
  Limbs limbs(t);
  const int mantissa_bits = t.mantissa_bits(), count = t.single() ? 3 : 6;
  const DataType wide = uint64.with_lanes(t.type().lanes);
  const Expr bits = t.keep("bits", make_cast(wide, t.bits(absolute(x))));
  // |x| = m · 2^e. Bit p after the point of 2 / pi makes multiples of four of m up to p = e - 2; the table
  // has 32 zeros before, and counts from 0.
  const std::uint64_t hidden = std::uint64_t{1} << mantissa_bits;
  const Expr m = t.keep("m", bit_or(bit_and(bits, limbs.number(hidden - 1)), limbs.number(hidden)));
  const std::int64_t bias = static_cast<std::int64_t>(t.bias()) + mantissa_bits;
  const Expr first = t.keep("first", shift_right(bits, mantissa_bits) - (bias - 30));
  const std::vector<Expr> window = limbs.window(first, count);
  std::vector<Expr> digits(static_cast<std::size_t>(count), limbs.number(0));
  limbs.add_product(digits, t.single() ? m : limbs.low(m), window, 0);
  if (!t.single()) limbs.add_product(digits, t.keep("m_high", shift_right(m, 32)), window, 1);

  // The two bits before the point, rounded to the nearest quadrant; what is left is a signed fraction of one.
  const Expr turned = t.keep("turned", digits.back() + (std::int64_t{1} << 29));
  const Expr quadrant = make_cast(t.word_type(), shift_right(turned, 30));
  const Expr whole = limbs.real(bit_and(turned, limbs.number(0x3fffffff)), 0x1p52 + 0x1p29);
  const auto digit = [&](int from_top) { return limbs.real(digits[digits.size() - 1 - from_top]); };
  const DataType real = float64.with_lanes(t.type().lanes);
  const auto scaled = [&](const Expr& v, double by) { return v * make_const(by, real); };
  const Expr high = scaled(whole, 0x1p-30), middle = scaled(digit(1), 0x1p-62);
  if (t.single()) return {quadrant, make_cast(t.type(), scaled(high + middle, 0x1.921fb54442d18p+0)), {}};
  const Pair most = t.sum(t.keep("high", high), t.keep("middle", middle));
  const Pair f = t.quick_sum(most.high, most.low + (scaled(digit(2), 0x1p-94) + scaled(digit(3), 0x1p-126)));
  const Pair r = t.product(f.high, t.constant(0x1.921fb54442d18p+0));
  const Expr low = r.low + (scaled(f.high, 0x1.1a62633145c07p-54) + scaled(f.low, 0x1.921fb54442d18p+0));
  const Pair angle = t.quick_sum(r.high, low);
  return {quadrant, angle.high, angle.low};
}

}  // namespace ardea::lower::functions
