#include <limits>

#include "ardea/lower/functions/functions.h"

namespace ardea::lower::functions {

namespace {

/// 1 / sqrt(x) for normal x > 0. Half the exponent, negated, is a first guess whose last bits are right by
/// chance; Newton's steps double the right ones, and the last step, of third order, takes the residue 1 - x
/// y² from an exact product.
Expr refined(Terms& t, const Expr& x) {
  const Expr guess = t.from_bits(t.word(0x5fe6eb50c7b537a9) - shift_right(t.bits(x), 1));
  const Expr minus_half = t.keep("minus_half", x * t.constant(-0.5));
  Expr y = t.keep("y", guess);
  for (int step = 0; step < 3; ++step) y = t.keep("y", y * t.fma(minus_half, y * y, t.constant(1.5)));
  const Pair root = t.product(x, y);
  const Expr residue = t.keep("residue", t.fma(-root.low, y, t.fma(-root.high, y, t.constant(1))));
  return t.fma(y * residue, t.fma(residue, t.constant(0.375), t.constant(0.5)), y);
}

}  // namespace

// In float64 the divider and the root take several times as long as multiplications do.
Expr rsqrt_of(Terms& t, const Expr& x) {
  if (t.single() || !t.fused()) return t.constant(1) / make_call("sqrt", {x});
  const Expr tiny = t.keep("tiny", x < t.constant(0x1p-1022));
  const Expr result = refined(t, t.keep("normal", make_select(tiny, x * t.constant(0x1p54), x)));
  const Expr scaled = result * make_select(tiny, t.constant(0x1p27), t.constant(1));
  const Expr ordinary = t.bits(x) - t.word(1) < t.word(0x7fefffffffffffff);  // zero wraps around, and is none
  const Expr beyond = make_select(equals(x, t.constant(infinity)), t.constant(0),
                                  t.constant(std::numeric_limits<double>::quiet_NaN()));
  const Expr special = make_select(equals(x, t.constant(0)), with_sign_of(t.constant(infinity), x), beyond);
  return make_select(ordinary, scaled, special);
}

}  // namespace ardea::lower::functions
