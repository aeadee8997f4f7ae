#include "ardea/space/print.h"

#include <fmt/core.h>

#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"

namespace ardea::space {
namespace {

class Printer {
 public:
  explicit Printer(const System& system) : system_(system) {}

  std::string text(const Operand& operand) const {
    return operand.is_variable() ? system_[operand.variable()].name : std::to_string(operand.number());
  }

  std::string list(const std::vector<Operand>& operands, const char* separator) const {
    std::vector<std::string> parts;
    for (const Operand& operand : operands) parts.push_back(text(operand));
    return join(parts, separator);
  }

  std::string left_side(const Linear& x) const {
    std::string sum;
    for (const Scaled& term : x.terms) {
      const bool negative = term.coefficient < 0;
      const std::uint64_t size = negative ? -static_cast<std::uint64_t>(term.coefficient)
                                          : static_cast<std::uint64_t>(term.coefficient);
      if (sum.empty())
        sum += negative ? "-" : "";
      else
        sum += negative ? " - " : " + ";
      if (size != 1) sum += std::to_string(size) + "*";
      sum += system_[term.variable].name;
    }
    if (sum.empty()) return std::to_string(x.constant);
    if (x.constant != 0) sum += fmt::format(" {} {}", x.constant < 0 ? '-' : '+', std::abs(x.constant));
    return sum;
  }

  std::string text(const Linear& x) const {
    const bool plain = x.terms.size() == 1 && x.terms[0].coefficient == 1 && x.constant == 0;
    if (x.relation == Relation::eq && x.right.is_variable() && !plain)
      return text(x.right) + " == " + left_side(x);
    return fmt::format("{} {} {}", left_side(x), to_string(x.relation), text(x.right));
  }

  std::string text(const Condition& condition) const {
    return std::visit(
        overloaded{[&](const Linear& x) { return text(x); },
                   [&](const Member& x) { return system_[x.variable].name + " in " + x.set.to_string(); },
                   [&](const Divides& x) { return text(x.divisor) + " divides " + text(x.number); }},
        condition);
  }

  /// The operation of a body that computes something, without its result.
  std::string value(const Body& body) const {
    return std::visit(
        overloaded{[&](const Linear& x) { return left_side(x); },
                   [&](const Product& x) { return list(x.factors, " * "); },
                   [&](const Select& x) {
                     return fmt::format("select({}, {})", text(x.index), list(x.choices, ", "));
                   },
                   [&](const Extreme& x) {
                     return fmt::format("{}({})", x.largest ? "max" : "min", list(x.operands, ", "));
                   },
                   [&](const Quotient& x) {
                     return x.up ? fmt::format("ceil_div({}, {})", text(x.numerator), text(x.denominator))
                                 : fmt::format("{} // {}", text(x.numerator), text(x.denominator));
                   },
                   [&](const Truth& x) { return "[" + text(x.condition) + "]"; },
                   [](const auto&) { return std::string(); }},
        body);
  }

  std::string text(const Constraint& constraint) const {
    std::vector<std::string> guards;
    for (const Condition& guard : constraint.when) guards.push_back(text(guard));
    const std::string when = guards.empty() ? "" : "when " + join(guards, " and ") + ": ";
    return when + std::visit(overloaded{[&](const Linear& x) { return text(x); },
                                        [&](const Member& x) { return text(Condition(x)); },
                                        [&](const Divides& x) { return text(Condition(x)); },
                                        [&](const auto& x) {
                                          return x.result.is_variable() ? text(x.result) + " == " + value(x)
                                                                        : value(x) + " == " + text(x.result);
                                        }},
                             constraint.body);
  }

  std::string whole() {
    std::string out;
    const auto& variables = system_.variables();
    std::size_t next = 0;
    const auto knobs_below = [&](std::size_t end) {
      for (; next < end && variables[next].is_knob(); ++next)
        out += fmt::format("knob {} in {}{}\n", variables[next].name, variables[next].domain.to_string(),
                           because(variables[next].reason));
    };
    for (std::size_t c = 0; c < system_.constraints().size(); ++c) {
      const Constraint& constraint = system_.constraints()[c];
      // A constraint follows the variables that it speaks of; knobs may stand before it, definitions do.
      if (system_.is_definition(static_cast<int>(c))) {
        knobs_below(variables.size());
        const Variable& defined = variables[next++];
        out += fmt::format("define {} in {} = {}{}\n", defined.name, defined.domain.to_string(),
                           value(constraint.body), because(constraint.reason));
        continue;
      }
      const std::vector<Var> spoken_of = variables_of(constraint);
      if (!spoken_of.empty()) knobs_below(static_cast<std::size_t>(spoken_of.back().index) + 1);
      const std::string name =
          is_variable_name(constraint.name) ? constraint.name : in_quotes(constraint.name);
      out += fmt::format("require {}: {}{}\n", name, text(constraint), because(constraint.reason));
    }
    knobs_below(variables.size());
    return out;
  }

 private:
  static std::string because(const std::string& reason) {
    return reason.empty() ? "" : " because " + in_quotes(reason);
  }

  const System& system_;
};

}  // namespace

std::string print(const System& system) { return Printer(system).whole(); }
std::string print(const System& system, const Constraint& constraint) {
  return Printer(system).text(constraint);
}
std::string print(const System& system, const Condition& condition) {
  return Printer(system).text(condition);
}

}  // namespace ardea::space
