#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ardea/ir/function.h"

/// What may be computed elsewhere than where the program says so.

namespace ardea::lower {

class Movable {
 public:
  explicit Movable(const Function& f);

  /// Whether e may be computed wherever its variables are known, also where the program does not compute it:
  /// it reads no memory, has no effect and divides no integer by what may be 0, which stops the interpreter.
  bool anywhere(const Expr& e);

 private:
  bool is_anywhere(const Expr& e);
  bool is_not_zero(const Expr& divisor) const;

  std::unordered_set<Var> positive_;  ///< symbolic extents
  std::unordered_map<Expr, bool> known_;
};

bool is_integer_division(const Expr& e);

}  // namespace ardea::lower
