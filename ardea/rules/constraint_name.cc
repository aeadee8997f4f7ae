#include "ardea/rules/constraint_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ardea/ir/substitute.h"
#include "ardea/support/text.h"

namespace ardea::rules {

namespace {

/// By the code of the refusal where it is not so.
constexpr std::array<std::pair<const char*, const char*>, 18> facts = {{
    {"bounds_depend", "divisor other than 0"},
    {"condition_inside", "no condition inside"},
    {"decision_does_not_fit", "whole tiles"},
    {"extents_differ", "equal extents"},
    {"factor_not_positive", "positive factor"},
    {"factors_too_small", "loop covered"},
    {"index_not_invertible", "invertible index"},
    {"no_overlap", "overlapping windows"},
    {"not_aligned", "aligned operand"},
    {"offset_outside", "offset in range"},
    {"operand_too_small", "operand long enough"},
    {"padding_does_not_fit", "positive padding"},
    {"partial_reduction", "whole reduction"},
    {"points_do_not_rise", "rising points"},
    {"point_outside", "point inside"},
    {"tail_needs_a_guard", "whole parts"},
    {"window_goes_back", "windows that rise"},
    {"window_stays", "window that moves"},
}};

bool is_upper_bound(const Expr& condition) {
  const auto* bound = condition.as<Binary>();
  return bound != nullptr && bound->left.is<VarNode>() && constant_int(bound->right).has_value() &&
         (bound->op == BinaryOp::le || bound->op == BinaryOp::lt);
}

}  // namespace

std::string constraint_name(const schedule::Posted& posted) {
  std::vector<std::string> variables;
  for (const Var& var : free_variables(posted.condition)) variables.push_back(var.name());
  std::sort(variables.begin(), variables.end());
  const std::string all = join(variables, ", ");
  if (posted.code == "decision_does_not_fit" && is_upper_bound(posted.condition)) return "longest " + all;
  const auto* const known =
      std::find_if(facts.begin(), facts.end(), [&](const auto& fact) { return posted.code == fact.first; });
  // A code of which there is no fact here is still what people look up.
  return fmt::format("{} of {}", known == facts.end() ? posted.code : known->second, all);
}

std::string ConstraintNames::own(const std::string& name) {
  std::string own = name;
  for (int i = 2; !taken_.insert(own).second; ++i) own = fmt::format("{} ({})", name, i);
  return own;
}

}  // namespace ardea::rules
