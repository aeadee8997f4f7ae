#include "ardea/space/system.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"

namespace ardea::space {
namespace {

bool fits(__int128 value) { return value >= -largest_value && value <= largest_value; }

std::int64_t checked(__int128 value, const std::string& where) {
  require(fits(value), "{}: a number lies beyond ±2^60; state the constraint in larger units", where);
  return static_cast<std::int64_t>(value);
}

void check_operand(const Operand& operand, std::size_t variables, const std::string& where) {
  if (!operand.is_variable()) {
    checked(operand.number(), where);
    return;
  }
  require(static_cast<std::size_t>(operand.variable().index) < variables,
          "{}: variable number {} is not one of this system's {}", where, operand.variable().index,
          variables);
}

/// Terms of one variable merged, absent ones dropped, the constant on the side of a number.
Linear folded(const Linear& from, bool defines, const std::string& where) {
  Linear to{{}, from.constant, from.relation, from.right};
  checked(from.constant, where);
  for (const Scaled& term : from.terms) {
    checked(term.coefficient, where);
    const auto same = std::find_if(to.terms.begin(), to.terms.end(),
                                   [&](const Scaled& other) { return other.variable == term.variable; });
    if (same == to.terms.end())
      to.terms.push_back(term);
    else
      same->coefficient = checked(static_cast<__int128>(same->coefficient) + term.coefficient, where);
  }
  std::erase_if(to.terms, [](const Scaled& term) { return term.coefficient == 0; });
  require(to.terms.size() <= most_terms, "{}: a sum of {} terms is too long, at most {} are allowed", where,
          to.terms.size(), most_terms);
  if (!to.right.is_variable()) {
    const __int128 right = static_cast<__int128>(to.right.number()) - to.constant;
    if (fits(right)) {
      to.right = static_cast<std::int64_t>(right);
      to.constant = 0;
    }
  } else if (to.terms.empty() && !defines) {
    to = {{{1, to.right.variable()}}, 0, mirrored(to.relation), to.constant};
  }
  return to;
}

Body equation(const Operand& result, std::vector<Scaled> terms, std::int64_t constant, bool defines,
              const std::string& where) {
  return folded({std::move(terms), constant, Relation::eq, result}, defines, where);
}

/// A product of at least two variables, its number first where that is not 1; others are sums.
Body folded(const Product& from, bool defines, const std::string& where) {
  __int128 number = 1;
  std::vector<Operand> factors;
  for (const Operand& factor : from.factors) {
    if (factor.is_variable())
      factors.push_back(factor);
    else
      number = checked(number * factor.number(), where);
  }
  const auto scale = static_cast<std::int64_t>(number);
  if (scale == 0 || factors.empty()) return equation(from.result, {}, scale, defines, where);
  if (factors.size() == 1) return equation(from.result, {{scale, factors[0].variable()}}, 0, defines, where);
  if (scale != 1) factors.insert(factors.begin(), scale);
  return Product{from.result, std::move(factors)};
}

Body folded(const Extreme& from, bool defines, const std::string& where) {
  require(!from.operands.empty(), "{}: {} of nothing", where, from.largest ? "max" : "min");
  if (from.operands.size() > 1) return from;
  const Operand only = from.operands[0];
  if (only.is_variable()) return equation(from.result, {{1, only.variable()}}, 0, defines, where);
  return equation(from.result, {}, only.number(), defines, where);
}

Condition folded(const Condition& condition, const std::string& where) {
  if (const auto* linear = std::get_if<Linear>(&condition)) return folded(*linear, false, where);
  return condition;
}

Body canonical_body(const Body& body, bool defines, const std::string& where) {
  return std::visit(
      overloaded{[&](const Linear& x) -> Body { return folded(x, defines, where); },
                 [&](const Product& x) -> Body { return folded(x, defines, where); },
                 [&](const Extreme& x) -> Body { return folded(x, defines, where); },
                 [&](const Select& x) -> Body {
                   require(!x.choices.empty(), "{}: select has no choices", where);
                   return x;
                 },
                 [&](const Truth& x) -> Body { return Truth{x.result, folded(x.condition, where)}; },
                 [&](const auto& x) -> Body { return x; }},
      body);
}

void check_set(const Domain& set, const std::string& where) {
  if (!set.empty()) checked(set.min(), where), checked(set.max(), where);
}

Constraint canonical_constraint(Constraint constraint, bool defines, std::size_t variables) {
  const std::string where = "constraint " + in_quotes(constraint.name);
  require(!constraint.name.empty(), "a constraint has no name");
  for_each_operand(constraint, [&](const Operand& operand) { check_operand(operand, variables, where); });
  const auto check_sets = overloaded{[&](const Member& x) { check_set(x.set, where); }, [](const auto&) {}};
  for (Condition& guard : constraint.when) {
    std::visit(check_sets, guard);
    guard = folded(guard, where);
  }
  std::visit(check_sets, constraint.body);
  if (const auto* truth = std::get_if<Truth>(&constraint.body)) std::visit(check_sets, truth->condition);
  constraint.body = canonical_body(constraint.body, defines, where);
  return constraint;
}

void set_result(Body& body, Var result, const std::string& where) {
  std::visit(overloaded{[&](Linear& x) {
                          require(x.relation == Relation::eq,
                                  "{}: a sum defines a variable only by an equation", where);
                          x.right = result;
                        },
                        [&](Member&) { fail("{}: membership of a set defines no variable", where); },
                        [&](Divides&) { fail("{}: divisibility defines no variable", where); },
                        [&](auto& x) { x.result = result; }},
             body);
}

}  // namespace

bool is_variable_name(const std::string& name) {
  static const std::array<std::string, 14> words = {"knob", "define", "require", "because", "when",
                                                    "in",   "and",    "or",      "not",     "divides",
                                                    "min",  "max",    "select",  "ceil_div"};
  if (name.empty() || std::find(words.begin(), words.end(), name) != words.end()) return false;
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (!letter(name[0]) || name.back() == '.') return false;
  for (std::size_t i = 1; i < name.size(); ++i) {
    const bool inside = letter(name[i]) || std::isdigit(static_cast<unsigned char>(name[i])) != 0;
    if (!inside && (name[i] != '.' || name[i - 1] == '.')) return false;
  }
  return true;
}

std::optional<Var> System::find(const std::string& name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? std::nullopt : std::optional(Var{at->second});
}

Var System::get(const std::string& name) const {
  if (const auto found = find(name)) return *found;
  std::vector<std::string> names;
  for (const Variable& variable : variables_) names.push_back(variable.name);
  fail("there is no variable {}{}", in_quotes(name), did_you_mean(name, names));
}

bool System::is_definition(int constraint) const {
  const Operand* result = result_of(constraints_[static_cast<std::size_t>(constraint)].body);
  return result && result->is_variable() && (*this)[result->variable()].definition == constraint;
}

Var System::add(Variable variable) {
  require(
      is_variable_name(variable.name),
      "{} cannot name a variable; names are letters, digits, _ and dots inside, and no word of the language",
      in_quotes(variable.name));
  check_set(variable.domain, "variable " + variable.name);
  const int index = static_cast<int>(variables_.size());
  require(by_name_.emplace(variable.name, index).second, "there are two variables named {}", variable.name);
  if (variable.is_knob()) knobs_.push_back({index});
  variables_.push_back(std::move(variable));
  return {index};
}

Var System::knob(std::string name, Domain domain, std::string reason) {
  return add({std::move(name), std::move(domain), std::move(reason)});
}

Var System::define(std::string name, Domain domain, Body body, std::string reason) {
  const std::string where = "definition of " + name;
  const int index = static_cast<int>(variables_.size());
  set_result(body, {index}, where);
  Constraint definition{name, std::move(reason), {}, std::move(body)};
  // The new variable is the result and nothing else: one place more, and it may stand there once only.
  int places = 0;
  for_each_operand(definition, [&](const Operand& operand) {
    places += operand.is_variable() && operand.variable().index == index ? 1 : 0;
  });
  require(places == 1, "{}: the variable is defined by itself", where);
  definition = canonical_constraint(std::move(definition), true, static_cast<std::size_t>(index) + 1);
  const Var variable = add({std::move(name), std::move(domain), "", static_cast<int>(constraints_.size())});
  constraints_.push_back(std::move(definition));
  return variable;
}

Constraint System::canonical(Constraint constraint) const {
  return canonical_constraint(std::move(constraint), false, variables_.size());
}

void System::post(Constraint constraint) { constraints_.push_back(canonical(std::move(constraint))); }

}  // namespace ardea::space
