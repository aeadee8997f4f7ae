#include "ardea/lower/functions/coefficients.h"
#include "ardea/lower/functions/functions.h"
#include "ardea/lower/functions/reduction.h"

namespace ardea::lower::functions {

// Near 0 x (1 + p(x²)), further out 1 - exp(q(|x|)), where q is the logarithm of erfc: there erfc is small,
// so that its errors hardly count.
Expr erf_of(Terms& t, const Expr& x) {
  const Expr a = t.keep("a", absolute(x));
  const Expr near = t.fma(a, t.polynomial(t.keep("square", a * a), erf_32, erf_64), a);
  const Expr from_centre = t.keep("d", t.at_most(a, t.single() ? 4.0 : 5.95) - t.constant(2));
  const Power power = split_power(t, t.keep("q", t.polynomial(from_centre, erfc_32, erfc_64)));
  const Expr scale = t.keep("scale", t.power_of_two(power.shifted, 0));
  const Expr far = t.constant(1) - t.fma(scale, expm1_of_rest(t, power.rest).high, scale);
  return with_sign_of(make_select(a < t.constant(1), near, far), x);
}

}  // namespace ardea::lower::functions
