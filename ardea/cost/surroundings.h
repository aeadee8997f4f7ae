#pragma once

#include <vector>

#include "ardea/cost/formulas.h"
#include "ardea/ir/function.h"
#include "ardea/ir/stmt.h"

namespace ardea::cost {

/// A loop around what is being counted.
struct Around {
  Var var;
  Formulas::Value min = 0, extent = 0;
  ForKind kind = ForKind::serial;
  Formulas::Value lanes = 0;  ///< of a vectorized one: iterations in one register
};

/// The loops around a place of a program, and what index expressions are there: each loop stands in its
/// middle.
class Surroundings {
 public:
  using Value = Formulas::Value;

  /// Outside of all loops. A variable that `inputs` does not give counts as `typical_size`.
  Surroundings(const Function& program, const Formulas::Environment& inputs, Formulas& formulas);

  Formulas& formulas() { return f_; }
  const std::vector<Around>& loops() const { return loops_; }  ///< outermost first

  void enter(const Around& loop);
  void leave();
  void define(const Var& var, Value value) { environment_[var] = value; }

  /// Unknown where it reads memory.
  Value value_of(const Expr& e) { return f_.of(e, environment_); }
  Value value_of(const Expr& e, const Var& var, Value value);
  /// `typical_size` where it is unknown.
  Value size_of(const Expr& extent);

  Value middle_of(const Around& loop);
  Value or_zero(Value value) { return value == Formulas::unknown ? f_.number(0) : value; }

 private:
  Formulas& f_;
  Formulas::Environment environment_;
  std::vector<Around> loops_;
};

}  // namespace ardea::cost
