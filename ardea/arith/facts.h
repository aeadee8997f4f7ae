#pragma once

#include <memory>
#include <variant>

#include "ardea/ir/stmt.h"

namespace ardea::arith {

struct BoundVariable {
  Var var;
  Range range;
};
struct PositiveParameter {
  Var var;
  std::int64_t least, divisor;
};
struct DefinedVariable {
  Var var;
  Expr value;
};
struct DataVariable {
  Var var;
};
struct AssumedCondition {
  Expr condition;
};

/// The facts in force, newest first: a list whose tails are shared, so that one more fact for a loop's body
/// costs one node.
struct Facts {
  std::variant<BoundVariable, PositiveParameter, DefinedVariable, DataVariable, AssumedCondition> fact;
  std::shared_ptr<const Facts> older;
};

}  // namespace ardea::arith
