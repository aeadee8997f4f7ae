#pragma once

#include <unordered_set>

#include "ardea/ir/function.h"
#include "ardea/support/handle_map.h"

/// What may be computed elsewhere than where the program says so.

namespace ardea::lower {

class Movable {
 public:
  /// Without a function of which symbolic extents are known to be positive.
  Movable() = default;
  explicit Movable(const Function& f);

  /// Whether e may be computed wherever its variables are known, also where the program does not compute it:
  /// it reads no memory, has no effect and divides no integer by what may be 0, which stops the interpreter.
  bool anywhere(const Expr& e);
  /// The same where it holds for the parts of e.
  bool with_its_parts(const Expr& e) const;

 private:
  bool is_not_zero(const Expr& divisor) const;

  std::unordered_set<Var> positive_;  ///< symbolic extents
  HandleMap<Expr, bool> known_;
};

}  // namespace ardea::lower
