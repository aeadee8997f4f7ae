#include "ardea/search/mutators.h"

#include <algorithm>
#include <set>

#include "ardea/search/moves.h"
#include "ardea/support/overloaded.h"

namespace ardea::search {

using space::Choice;
using space::Domain;
using space::Operand;
using space::Var;

namespace {

/// The variables that a constraint takes as numbers: not as the place in a list, nor as one of a set.
std::vector<Var> numbers_in(const space::Constraint& constraint) {
  std::vector<Var> found;
  const auto add = [&](const Operand& operand) {
    if (operand.is_variable()) found.push_back(operand.variable());
  };
  const auto visit = overloaded{
      [&](const space::Linear& x) {
        if (x.terms.size() + (x.right.is_variable() ? 1 : 0) < 2 &&
            (x.relation == space::Relation::eq || x.relation == space::Relation::ne))
          return;
        for (const space::Scaled& term : x.terms) add(term.variable);
        add(x.right);
      },
      [&](const space::Member&) {},
      [&](const space::Divides& x) { add(x.divisor), add(x.number); },
      [&](const space::Product& x) {
        add(x.result);
        for (const Operand& factor : x.factors) add(factor);
      },
      [&](const space::Select& x) {
        add(x.result);
        for (const Operand& choice : x.choices) add(choice);
      },
      [&](const space::Extreme& x) {
        add(x.result);
        for (const Operand& operand : x.operands) add(operand);
      },
      [&](const space::Quotient& x) { add(x.result), add(x.numerator), add(x.denominator); },
      [&](const space::Truth&) {},
  };
  std::visit(visit, constraint.body);
  return found;
}

/// The knobs that a constraint says are the parts of a number.
std::vector<Var> parts_in(const space::Solver& solver, const space::Constraint& constraint) {
  const auto* product = std::get_if<space::Product>(&constraint.body);
  if (!product || !constraint.when.empty()) return {};
  if (product->result.is_variable() &&
      solver.engine().layout().domain(product->result.variable().index).size() != 1)
    return {};
  std::vector<Var> parts;
  for (const Operand& factor : product->factors)
    if (factor.is_variable() && solver.system()[factor.variable()].is_knob())
      parts.push_back(factor.variable());
  return parts;
}

std::int64_t value_at(const Choice& choice, Var knob) {
  return choice.point[static_cast<std::size_t>(knob.index)];
}

/// A divisor above 1, each equally likely.
std::int64_t any_divisor(std::int64_t value, Random& random) {
  std::vector<std::int64_t> divisors = {value};
  for (std::int64_t d = 2; d * d <= value; ++d) {
    if (value % d != 0) continue;
    divisors.push_back(d);
    if (d * d != value) divisors.push_back(value / d);
  }
  return random.pick(divisors);
}

/// The values next to this one in its set, and those that are about half and twice of it.
std::vector<std::int64_t> values_near(const Domain& domain, std::int64_t value) {
  std::set<std::int64_t> near;
  const auto below = domain.at_most(value - 1), above = domain.at_least(value + 1);
  if (below) near.insert(*below);
  if (above) near.insert(*above);
  if (const auto half = domain.at_most(value / 2); value > 1 && half) near.insert(*half);
  if (const auto twice = domain.at_least(2 * value); value > 0 && twice) near.insert(*twice);
  near.erase(value);
  return {near.begin(), near.end()};
}

std::optional<Choice> move_factor(const Ground& ground, const std::vector<Var>& parts, const Choice& from,
                                  Random& random) {
  std::vector<Var> givers;
  for (const Var part : parts)
    if (value_at(from, part) > 1) givers.push_back(part);
  if (givers.empty()) return std::nullopt;
  const Var giver = random.pick(givers);
  std::vector<Var> takers = parts;
  std::erase(takers, giver);
  const Var taker = random.pick(takers);
  const std::int64_t factor = any_divisor(value_at(from, giver), random);
  Choice wished = from;
  std::vector<space::Constraint> moved;
  for (const auto& [part, value] :
       {std::pair(giver, value_at(from, giver) / factor), std::pair(taker, value_at(from, taker) * factor)}) {
    wished.point[static_cast<std::size_t>(part.index)] = value;
    moved.push_back(takes(part, value));
  }
  return ground.nearest(wished, moved);
}

std::optional<Choice> redraw(const Ground& ground, Var knob, std::int64_t value, const Choice& from) {
  Choice wished = from;
  wished.point[static_cast<std::size_t>(knob.index)] = value;
  return ground.nearest(wished, {takes(knob, value)});
}

}  // namespace

Decisions decisions_of(const space::Solver& solver) {
  const space::System& system = solver.system();
  const space::Layout& layout = solver.engine().layout();
  const auto is_open = [&](Var knob) { return layout.domain(knob.index).size() > 1; };
  Decisions decisions;
  std::set<int> split, numbers;
  for (const space::Constraint& constraint : system.constraints()) {
    for (const Var variable : numbers_in(constraint)) numbers.insert(variable.index);
    std::vector<Var> parts = parts_in(solver, constraint);
    std::erase_if(parts, [&](Var knob) { return !is_open(knob); });
    if (parts.size() < 2) continue;
    for (const Var knob : parts) split.insert(knob.index);
    decisions.splits.push_back(std::move(parts));
  }
  for (const Var knob : system.knobs()) {
    if (!is_open(knob) || split.contains(knob.index)) continue;
    (numbers.contains(knob.index) ? decisions.sizes : decisions.categories).push_back(knob);
  }
  return decisions;
}

std::optional<Choice> mutate_tile(const Ground& ground, const Decisions& decisions, const Choice& from,
                                  Random& random) {
  const std::size_t all = decisions.splits.size() + decisions.sizes.size();
  if (all == 0) return std::nullopt;
  const auto which = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(all) - 1));
  if (which < decisions.splits.size()) return move_factor(ground, decisions.splits[which], from, random);
  const Var knob = decisions.sizes[which - decisions.splits.size()];
  const Domain& domain = ground.solver(from.sketch).engine().layout().domain(knob.index);
  const std::vector<std::int64_t> near = values_near(domain, value_at(from, knob));
  return near.empty() ? std::nullopt : redraw(ground, knob, random.pick(near), from);
}

std::optional<Choice> mutate_category(const Ground& ground, const Decisions& decisions, const Choice& from,
                                      Random& random) {
  std::vector<Var> knobs = decisions.categories;
  if (knobs.empty()) knobs = decisions.sizes;
  if (knobs.empty()) return std::nullopt;
  const Var knob = random.pick(knobs);
  const Domain& domain = ground.solver(from.sketch).engine().layout().domain(knob.index);
  return redraw(ground, knob, other_than(domain, value_at(from, knob), random), from);
}

}  // namespace ardea::search
