#include "ardea/lower/functions/reduction.h"

namespace ardea::lower::functions {

// Nothing is subtracted from nearly itself, and only the last step's rounding and that of the value in the
// middle count, for which the widths were chosen (tools/fit_functions). In the first piece x is added where
// others have that value, so that small results are as exact.
Expr odd_by_pieces(Terms& t, const Expr& x, const Pieces& pieces) {
  const Expr inside = t.keep("inside", t.at_most(absolute(x), pieces.end));
  const Expr shifted = t.keep("shifted", t.fma(inside, t.constant(1 / pieces.width), t.shifter()));
  const Expr r = t.keep("r", t.fma(t.shifter() - shifted, t.constant(pieces.width), inside));
  Expr slope = t.looked_up(shifted, pieces.powers.back());
  for (std::size_t k = pieces.powers.size() - 1; k-- > 1;)
    slope = t.fma(slope, r, t.looked_up(shifted, pieces.powers[k]));
  const Expr middle = t.keep("middle", t.looked_up(shifted, pieces.powers[0]));
  return with_sign_of(t.fma(slope, r, make_select(middle > r, middle, r)), x);
}

}  // namespace ardea::lower::functions
