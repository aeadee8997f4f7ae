#include "ardea/schedule/program/both_hold.h"

namespace ardea::schedule {

Expr both_hold(const Expr& a, const Expr& b) {
  if (is_true(a)) return b;
  return is_true(b) ? a : logical_and(a, b);
}

}  // namespace ardea::schedule
