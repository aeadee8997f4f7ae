#pragma once

#include <optional>
#include <string>

#include "ardea/space/system.h"
#include "ardea/space/term.h"

namespace ardea::space {

/// Adds nested expressions to a system: what a constraint cannot say by itself becomes defined variables (_1,
/// _2, …), one for each different part, with the bounds that its operands give it.
///
/// Evaluation is strict: a point where any part has no value (a division by 0, no such choice, a value beyond
/// ±largest_value) is no solution, even where a condition would not have asked for that part.
class Builder {
 public:
  explicit Builder(System& system) : system_(system) {}

  /// A variable that is the term. Without a domain it has the term's bounds; with one, values outside of it
  /// are no solutions.
  Var define(std::string name, const Term& term, std::string reason = "",
             std::optional<Domain> domain = std::nullopt);
  /// Posts that the formula holds (where `when` does). A conjunction becomes several constraints of that name
  /// and reason, a disjunction an implication.
  void require(const std::string& name, const Formula& formula, const std::string& reason = "",
               const std::optional<Formula>& when = std::nullopt);
  /// The variable or number that the term is, defined now where it is neither.
  Operand operand(const Term& term);
  /// The condition that a formula is, with variables for its parts.
  Condition condition(const Formula& formula);

 private:
  struct Sum;
  struct Factors;

  Sum linear(const Term& term);
  Linear as_linear(Sum sum);
  Linear compared(const Term& left, Relation relation, const Term& right);
  Body body(const Term& term);
  Factors factors_of(const Term& term);
  Body product(const Factors& factors);
  Operand defined(Body body);
  Operand truth_of(const Formula& formula);
  std::optional<Body> equation(const Formula& formula);
  void add_conditions(const Formula& formula, std::vector<Condition>& to);
  void post(const std::string& name, const Formula& formula, const std::string& reason,
            const std::vector<Condition>& when);

  System& system_;
  int auxiliary_ = 0;
};

/// The least range that holds every value of the body's result, within ±largest_value.
Domain bounds_of(const System& system, const Body& body);

/// The formula with negations moved inwards: what is left of them stands on divisibility only.
Formula without_negation(const Formula& formula, bool negate = false);

}  // namespace ardea::space
