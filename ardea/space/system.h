#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ardea/space/constraint.h"

namespace ardea::space {

/// A value for every variable, in the order of the system's variables.
using Point = std::vector<std::int64_t>;

struct Variable {
  std::string name;
  Domain domain;
  std::string reason;   ///< a knob's; a defined variable's reason is its definition's
  int definition = -1;  ///< the constraint that computes it from variables before it; a knob has none
  bool is_knob() const { return definition < 0; }
  friend bool operator==(const Variable&, const Variable&) = default;
};

/// Integer variables and constraints. A variable is a *knob*, which a solution chooses, or *defined*: a
/// function of variables before it. So a solution is its knobs' values, and solutions are counted by them.
///
/// Arithmetic is that of the integers: where the value of a defined variable lies outside of its domain, the
/// assignment is no solution, and no value ever wraps around.
class System {
 public:
  const std::vector<Variable>& variables() const { return variables_; }
  const std::vector<Constraint>& constraints() const { return constraints_; }
  const Variable& operator[](Var v) const { return variables_[static_cast<std::size_t>(v.index)]; }
  const std::vector<Var>& knobs() const { return knobs_; }
  std::optional<Var> find(const std::string& name) const;
  /// The same, or an Error that names near ones.
  Var get(const std::string& name) const;
  bool is_definition(int constraint) const;

  Var knob(std::string name, Domain domain, std::string reason = "");
  /// A variable that is the result of `body`, whose own result is ignored and whose other operands are there
  /// already. A Linear must be an equation.
  Var define(std::string name, Domain domain, Body body, std::string reason = "");
  /// Adds a constraint in canonical form: numbers folded, terms of one variable merged, a product of at most
  /// one variable as a sum. An Error where a number is too large, a variable unknown or a list empty.
  void post(Constraint constraint);

  /// The constraint as `post` would add it.
  Constraint canonical(Constraint constraint) const;

  friend bool operator==(const System& a, const System& b) {
    return a.variables_ == b.variables_ && a.constraints_ == b.constraints_;
  }

 private:
  Var add(Variable variable);

  std::vector<Variable> variables_;
  std::vector<Constraint> constraints_;
  std::vector<Var> knobs_;
  std::unordered_map<std::string, int> by_name_;
};

/// At most so many terms in one sum (the Builder nests longer ones).
inline constexpr std::size_t most_terms = 64;

/// Letters, digits, _ and single dots inside, beginning with a letter or _, and no word of the text form.
bool is_variable_name(const std::string& name);

}  // namespace ardea::space
