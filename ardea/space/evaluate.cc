#include "ardea/space/evaluate.h"

#include <algorithm>

#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"

namespace ardea::space {
namespace {

using Wide = __int128;

std::int64_t at(const Operand& operand, const Point& point) {
  return operand.is_variable() ? point[static_cast<std::size_t>(operand.variable().index)] : operand.number();
}

/// Exact: at most 64 products of two numbers within ±2^60.
Wide left_side(const Linear& x, const Point& point) {
  Wide sum = x.constant;
  for (const Scaled& term : x.terms) sum += static_cast<Wide>(term.coefficient) * at(term.variable, point);
  return sum;
}

bool related(Wide left, Relation relation, Wide right) {
  switch (relation) {
    case Relation::eq: return left == right;
    case Relation::ne: return left != right;
    case Relation::le: return left <= right;
    case Relation::lt: return left < right;
    case Relation::ge: return left >= right;
    case Relation::gt: return left > right;
  }
  return false;
}

/// A partial product beyond ±2^60 never comes back, unless a factor is 0: then it is 0.
std::optional<Wide> product_of(const std::vector<Operand>& factors, const Point& point) {
  for (const Operand& factor : factors)
    if (at(factor, point) == 0) return Wide{0};
  Wide product = 1;
  for (const Operand& factor : factors) {
    product *= at(factor, point);
    if (product > largest_value || product < -largest_value) return std::nullopt;
  }
  return product;
}

std::optional<Wide> quotient_of(const Quotient& x, const Point& point) {
  const Wide numerator = at(x.numerator, point), denominator = at(x.denominator, point);
  if (denominator == 0) return std::nullopt;
  const Wide quotient = numerator / denominator;
  const bool exact = quotient * denominator == numerator;
  const bool negative = (numerator < 0) != (denominator < 0);
  if (exact) return quotient;
  if (x.up) return negative ? quotient : quotient + 1;
  return negative ? quotient - 1 : quotient;
}

std::optional<Wide> wide_value(const Body& body, const Point& point) {
  return std::visit(
      overloaded{[&](const Linear& x) -> std::optional<Wide> {
                   if (x.relation != Relation::eq) return std::nullopt;
                   return left_side(x, point);
                 },
                 [](const Member&) -> std::optional<Wide> { return std::nullopt; },
                 [](const Divides&) -> std::optional<Wide> { return std::nullopt; },
                 [&](const Product& x) { return product_of(x.factors, point); },
                 [&](const Select& x) -> std::optional<Wide> {
                   const std::int64_t index = at(x.index, point);
                   if (index < 0 || index >= static_cast<std::int64_t>(x.choices.size())) return std::nullopt;
                   return at(x.choices[static_cast<std::size_t>(index)], point);
                 },
                 [&](const Extreme& x) -> std::optional<Wide> {
                   std::int64_t best = at(x.operands[0], point);
                   for (const Operand& operand : x.operands) {
                     const std::int64_t value = at(operand, point);
                     best = x.largest ? std::max(best, value) : std::min(best, value);
                   }
                   return best;
                 },
                 [&](const Quotient& x) { return quotient_of(x, point); },
                 [&](const Truth& x) -> std::optional<Wide> { return holds(x.condition, point) ? 1 : 0; }},
      body);
}

}  // namespace

bool holds(const Condition& condition, const Point& point) {
  return std::visit(overloaded{[&](const Linear& x) {
                                 return related(left_side(x, point), x.relation, at(x.right, point));
                               },
                               [&](const Member& x) { return x.set.contains(at(x.variable, point)); },
                               [&](const Divides& x) {
                                 const std::int64_t divisor = at(x.divisor, point), n = at(x.number, point);
                                 return divisor == 0 ? n == 0 : n % divisor == 0;
                               }},
                    condition);
}

bool holds(const Body& body, const Point& point) {
  if (const auto* linear = std::get_if<Linear>(&body))
    return related(left_side(*linear, point), linear->relation, at(linear->right, point));
  if (const auto* member = std::get_if<Member>(&body)) return holds(Condition(*member), point);
  if (const auto* divides = std::get_if<Divides>(&body)) return holds(Condition(*divides), point);
  const auto value = wide_value(body, point);
  return value && *value == at(*result_of(body), point);
}

bool holds(const Constraint& constraint, const Point& point) {
  for (const Condition& guard : constraint.when)
    if (!holds(guard, point)) return true;
  return holds(constraint.body, point);
}

std::optional<std::int64_t> value_of(const Body& body, const Point& point) {
  const auto value = wide_value(body, point);
  if (!value || *value > largest_value || *value < -largest_value) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<Point> complete(const System& system, Point point) {
  point.resize(system.variables().size());
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Variable& variable = system.variables()[i];
    if (variable.is_knob()) continue;
    const auto value =
        value_of(system.constraints()[static_cast<std::size_t>(variable.definition)].body, point);
    if (!value) return std::nullopt;
    point[i] = *value;
  }
  return point;
}

std::optional<Point> complete_knobs(const System& system, const std::vector<std::int64_t>& knob_values) {
  Point point(system.variables().size());
  ensure(knob_values.size() == system.knobs().size(), "{} values for {} knobs", knob_values.size(),
         system.knobs().size());
  for (std::size_t k = 0; k < knob_values.size(); ++k)
    point[static_cast<std::size_t>(system.knobs()[k].index)] = knob_values[k];
  return complete(system, std::move(point));
}

bool is_solution(const System& system, const Point& point) {
  if (point.size() != system.variables().size()) return false;
  for (std::size_t i = 0; i < point.size(); ++i)
    if (!system.variables()[i].domain.contains(point[i])) return false;
  return std::all_of(system.constraints().begin(), system.constraints().end(),
                     [&](const Constraint& constraint) { return holds(constraint, point); });
}

void for_each_solution(const System& system, const std::function<void(const Point&)>& visit,
                       std::uint64_t most) {
  std::vector<std::vector<std::int64_t>> values;
  double tuples = 1;
  for (const Var knob : system.knobs()) tuples *= static_cast<double>(system[knob].domain.size());
  require(tuples <= static_cast<double>(most), "there are {:.3g} tuples of knob values, more than {} to try",
          tuples, most);
  if (tuples == 0) return;
  for (const Var knob : system.knobs()) values.push_back(system[knob].domain.values());
  std::vector<std::size_t> place(values.size(), 0);
  while (true) {
    Point knobs(system.variables().size());
    for (std::size_t k = 0; k < values.size(); ++k)
      knobs[static_cast<std::size_t>(system.knobs()[k].index)] = values[k][place[k]];
    if (const auto point = complete(system, std::move(knobs)); point && is_solution(system, *point))
      visit(*point);
    std::size_t k = values.size();
    while (k > 0 && ++place[k - 1] == values[k - 1].size()) place[--k] = 0;
    if (k == 0) return;
  }
}

}  // namespace ardea::space
