#include "ardea/lower/functions/coefficients.h"
#include "ardea/lower/functions/functions.h"

/// asin and acos by one polynomial up to 1/2, and sqrt((1 - x) / 2) beyond; atan and atan2 by the angle from
/// the nearest of 0, pi / 4 and pi / 2, so that the tangent of what is left is at most sqrt(2) - 1.

namespace ardea::lower::functions {

namespace {

/// k · pi / 4, the rest that the type cannot hold included.
Pair quarter_turns(const Terms& t, double k) {
  return {t.constant(k * 0x1.921fb6p-1, k * 0x1.921fb54442d18p-1),
          t.constant(k * -0x1.777a5cp-26, k * 0x1.1a62633145c07p-55)};
}

Pair chosen(const Expr& condition, const Pair& a, const Pair& b) {
  return {make_select(condition, a.high, b.high), make_select(condition, a.low, b.low)};
}

/// asin(|x|) = root + tail, or (pi / 2 - asin(|x|)) / 2 where |x| is beyond 1/2.
struct ArcSine {
  Expr beyond, root, tail;
};

ArcSine arc_sine(Terms& t, const Expr& x) {
  const Expr a = t.keep("a", absolute(x)), half = t.constant(0.5);
  const Expr beyond = t.keep("beyond", a > half);
  const Expr square = t.keep("square", make_select(beyond, (t.constant(1) - a) * half, a * a));
  const Expr root = t.keep("root", make_select(beyond, make_call("sqrt", {square}), a));
  return {beyond, root, t.keep("tail", root * square * t.polynomial(square, asin_32, asin_64))};
}

/// The angle of the point (across, up) in the first quadrant as base + small, base a pair.
struct Direction {
  Pair base;
  Expr small;
};

Direction direction(Terms& t, const Expr& up, const Expr& across, const Pair& zero, const Pair& quarter,
                    const Pair& half) {
  const Expr steep = t.keep("steep", up > across * t.constant(0x1.3504f3p+1));
  const Expr middle = t.keep("middle", up > across * t.constant(0x1.a8279ap-2));
  const Expr above = make_select(steep, -across, make_select(middle, up - across, up));
  const Expr below = make_select(steep, up, make_select(middle, up + across, across));
  // At the origin, where 0 / 0 would be NaN, the angle is 0.
  const Expr origin = logical_and(equals(up, t.constant(0)), equals(across, t.constant(0)));
  const Expr u = t.keep("u", above / make_select(origin, t.constant(1), below));
  const Expr z = t.keep("z", u * u);
  const Expr tail = u * z * t.polynomial(z, atan_32, atan_64);
  const Pair base = chosen(steep, half, chosen(middle, quarter, zero));
  return {{base.high, t.keep("low", base.low + tail)}, u};
}

}  // namespace

Expr asin_of(Terms& t, const Expr& x) {
  const ArcSine s = arc_sine(t, x);
  const Pair right = quarter_turns(t, 2);
  const Expr two = t.constant(2);
  const Expr far = (right.high - two * s.root) + (right.low - two * s.tail);
  return with_sign_of(make_select(s.beyond, far, s.root + s.tail), x);
}

Expr acos_of(Terms& t, const Expr& x) {
  const ArcSine s = arc_sine(t, x);
  const Pair right = quarter_turns(t, 2), straight = quarter_turns(t, 4);
  const Expr root = t.keep("signed_root", with_sign_of(s.root, x));
  const Expr tail = t.keep("signed_tail", with_sign_of(s.tail, x));
  const Expr near = right.high - (root - (right.low - tail));
  const Expr two = t.constant(2);
  const Expr left = (straight.high + two * root) + (straight.low + two * tail);
  const Expr far = make_select(x < t.constant(0), left, two * (s.root + s.tail));
  return make_select(s.beyond, far, near);
}

Expr atan_of(Terms& t, const Expr& x) {
  const Direction d = direction(t, t.keep("up", absolute(x)), t.constant(1), quarter_turns(t, 0),
                                quarter_turns(t, 1), quarter_turns(t, 2));
  return with_sign_of(d.base.high + (d.base.low + d.small), x);
}

Expr atan2_of(Terms& t, const Expr& y, const Expr& x) {
  const Expr abs_y = t.keep("abs_y", absolute(y)), abs_x = t.keep("abs_x", absolute(x));
  // Two infinities are as good as two ones. Large numbers are made smaller, lest their sum overflow.
  const Expr both =
      t.keep("both", logical_and(equals(abs_y, t.constant(infinity)), equals(abs_x, t.constant(infinity))));
  const Expr limit = t.constant(0x1p120, 0x1p1000);
  const Expr scale =
      t.keep("scale", make_select(logical_or(abs_y > limit, abs_x > limit), t.constant(0.25), t.constant(1)));
  const Expr up = t.keep("up", make_select(both, t.constant(1), abs_y * scale));
  const Expr across = t.keep("across", make_select(both, t.constant(1), abs_x * scale));
  // Left of the axis, which -0 is too, the angles are counted back from pi.
  const Expr leftward = t.keep("leftward", with_sign_of(t.constant(1), x) < t.constant(0));
  const Direction d = direction(t, up, across, quarter_turns(t, 0), quarter_turns(t, 1), quarter_turns(t, 2));
  const Expr right_angle = d.base.high + (d.base.low + d.small);
  const Pair straight = quarter_turns(t, 4);
  const Expr left_angle = (straight.high - d.base.high) + ((straight.low - d.base.low) - d.small);
  return with_sign_of(make_select(leftward, left_angle, right_angle), y);
}

}  // namespace ardea::lower::functions
