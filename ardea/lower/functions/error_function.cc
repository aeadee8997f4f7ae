#include "ardea/lower/functions/coefficients.h"
#include "ardea/lower/functions/functions.h"
#include "ardea/lower/functions/reduction.h"

namespace ardea::lower::functions {

namespace {

/// 1 - 2^(a h(a)) with a h(a) = log2(erfc(a)), for a from where the near polynomial ends. The product is
/// rounded to an integer as it is added to the shifter, and once more computed less that integer.
Expr far_erf_32(Terms& t, const Expr& a) {
  const Expr h = t.keep("h", t.polynomial(a, erfc_32));
  const Expr shifted = t.keep("shifted", t.fma(h, a, t.lifted_shifter()));
  const Expr r = t.keep("r", t.fma(h, a, t.lifted_shifter() - shifted));
  const Expr power = t.fma(t.polynomial(r, erfc_exp2_32), r, t.constant(1));
  return t.fma(-power, t.lifted_power(shifted), t.constant(1));
}

/// 1 - exp(q(a)), where q is the logarithm of erfc.
Expr far_erf_64(Terms& t, const Expr& a) {
  const Expr from_centre = t.keep("d", a - t.constant(2));
  const Power power = split_power(t, t.keep("q", t.polynomial(from_centre, erfc_64)));
  const Expr scale = t.keep("scale", t.power_of_two(power.shifted, 0));
  return t.constant(1) - t.fma(scale, expm1_of_rest(t, power.rest).high, scale);
}

}  // namespace

// Near 0 x (1 + p(x²)), further out 1 - erfc(|x|): there erfc is small, so that its errors hardly count.
Expr erf_of(Terms& t, const Expr& x) {
  if (t.tables()) return odd_by_pieces(t, x, {erf_width, erf_end, erf_pieces_32});
  const Expr a = t.keep("a", t.at_most(absolute(x), t.single() ? 4 : 5.95));  // beyond it is 1
  const Expr near = t.fma(a, t.polynomial(t.keep("square", a * a), erf_32, erf_64), a);
  const Expr far = t.single() ? far_erf_32(t, a) : far_erf_64(t, a);
  return with_sign_of(make_select(a < t.constant(0.96, 1), near, far), x);
}

}  // namespace ardea::lower::functions
