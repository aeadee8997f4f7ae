#pragma once

#include <cstdint>
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

using Fact = std::variant<BoundVariable, PositiveParameter, DefinedVariable, DataVariable, AssumedCondition>;

/// The facts in force, newest first: a list whose tails are shared, so that one more fact for a loop's body
/// costs one node.
struct Facts {
  Fact fact;
  std::shared_ptr<const Facts> older;
};

/// `older` and one more. Mostly the same node for the same facts: who walks through a program again then
/// finds what was worked out under them (scopes.h).
std::shared_ptr<const Facts> with_fact(std::shared_ptr<const Facts> older, Fact fact);
/// Later ones are new nodes.
void forget_known_facts();

}  // namespace ardea::arith
