#pragma once

#include <span>

#include "ardea/lower/functions/terms.h"

/// How arguments become small: what several families share.

namespace ardea::lower::functions {

/// x = n · log 2 + rest, |rest| <= log(2) / 2 or little more, n in the low bits of `shifted`.
struct Power {
  Expr shifted, rest;
};
Power split_power(Terms& t, const Expr& x);
/// exp(rest) - 1, and what its rounding lost.
Pair expm1_of_rest(Terms& t, const Expr& rest);

/// An odd function that rises from 0 to 1, by a polynomial for each of 32 pieces of one width around
/// multiples of it; `end`: where it is 1. powers[k][i] is the coefficient of the k-th power of the distance
/// from piece i's middle; in the first piece, around 0, that of the first power is less by 1.
struct Pieces {
  double width, end;
  std::span<const double[32]> powers;
};
Expr odd_by_pieces(Terms& t, const Expr& x, const Pieces& pieces);

/// x = 2^exponent · (1 + fraction) for a positive finite x, 1 + fraction between sqrt(1/2) and sqrt(2).
struct Binade {
  Expr exponent;  ///< as a float
  Expr fraction;
  Expr scale;  ///< 2^-exponent, as far as it is a number; empty where subnormals were not excluded
};
Binade split_binade(Terms& t, const Expr& x);
/// The same for x that is no subnormal number.
Binade split_normal_binade(Terms& t, const Expr& x);

/// |x| = (4 k + quadrant) · pi / 2 + angle + rest, |angle| <= pi / 4 or little more.
struct Angle {
  Expr quadrant;  ///< a word, of which the last two bits count
  Expr angle;
  Expr rest;  ///< empty for float32
};
/// For |x| of 2^22 and more (2^16 for float32); NaN and infinities give anything. `t` gets all the steps.
Angle reduce_large_angle(Terms& t, const Expr& x);

}  // namespace ardea::lower::functions
