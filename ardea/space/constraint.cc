#include "ardea/space/constraint.h"

#include <algorithm>

#include "ardea/support/overloaded.h"

namespace ardea::space {

Relation negated(Relation relation) {
  switch (relation) {
    case Relation::eq: return Relation::ne;
    case Relation::ne: return Relation::eq;
    case Relation::le: return Relation::gt;
    case Relation::lt: return Relation::ge;
    case Relation::ge: return Relation::lt;
    case Relation::gt: return Relation::le;
  }
  return relation;
}

Relation mirrored(Relation relation) {
  switch (relation) {
    case Relation::le: return Relation::ge;
    case Relation::lt: return Relation::gt;
    case Relation::ge: return Relation::le;
    case Relation::gt: return Relation::lt;
    default: return relation;
  }
}

const char* to_string(Relation relation) {
  switch (relation) {
    case Relation::eq: return "==";
    case Relation::ne: return "!=";
    case Relation::le: return "<=";
    case Relation::lt: return "<";
    case Relation::ge: return ">=";
    case Relation::gt: return ">";
  }
  return "";
}

Body as_body(const Condition& condition) {
  return std::visit([](const auto& x) { return Body(x); }, condition);
}

std::vector<Var> variables_of(const Constraint& constraint) {
  std::vector<Var> variables;
  for_each_operand(constraint, [&](const Operand& operand) {
    if (operand.is_variable()) variables.push_back(operand.variable());
  });
  std::sort(variables.begin(), variables.end(), [](Var a, Var b) { return a.index < b.index; });
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  return variables;
}

const Operand* result_of(const Body& body) {
  return std::visit(overloaded{[](const Linear& x) -> const Operand* {
                                 return x.relation == Relation::eq ? &x.right : nullptr;
                               },
                               [](const Member&) -> const Operand* { return nullptr; },
                               [](const Divides&) -> const Operand* { return nullptr; },
                               [](const auto& x) -> const Operand* { return &x.result; }},
                    body);
}

}  // namespace ardea::space
