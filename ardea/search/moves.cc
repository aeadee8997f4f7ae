#include "ardea/search/moves.h"

#include <algorithm>

namespace ardea::search {

using space::Choice;
using space::Constraint;
using space::Domain;
using space::Var;

namespace {

std::int64_t nth_value(const Domain& domain, std::uint64_t n) {
  for (const space::Range& range : domain.ranges()) {
    const auto size = static_cast<std::uint64_t>(range.high - range.low) + 1;
    if (n < size) return range.low + static_cast<std::int64_t>(n);
    n -= size;
  }
  return domain.max();
}

std::int64_t value_of_knob(const Choice& choice, Var knob) {
  return choice.point[static_cast<std::size_t>(knob.index)];
}

}  // namespace

Constraint takes(Var knob, std::int64_t value) {
  return {"takes", "", {}, space::Member{knob, Domain::range(value, value)}};
}

std::int64_t any_of(const Domain& domain, Random& random) {
  return nth_value(domain, space::Tree::below(random, domain.size()));
}

std::int64_t other_than(const Domain& domain, std::int64_t except, Random& random) {
  if (!domain.contains(except)) return any_of(domain, random);
  std::uint64_t place = 0;
  for (const space::Range& range : domain.ranges())
    if (range.low <= except)
      place += static_cast<std::uint64_t>(std::min(range.high, except - 1) - range.low + 1);
  const std::uint64_t n = space::Tree::below(random, domain.size() - 1);
  return nth_value(domain, n < place ? n : n + 1);
}

std::optional<Choice> crossover(const Ground& ground, const Choice& a, const Choice& b,
                                const std::vector<std::size_t>& keys, Random& random) {
  const std::vector<Var>& knobs = ground.system(a.sketch).knobs();
  std::vector<Constraint> inherited;
  if (!keys.empty()) {
    const std::size_t mutated = random.pick(keys);
    for (const std::size_t key : keys) {
      if (key == mutated) continue;
      const Var knob = knobs[key];
      inherited.push_back(
          {"inherited",
           "",
           {},
           space::Member{knob, Domain::of({value_of_knob(a, knob), value_of_knob(b, knob)})}});
    }
  }
  return ground.solve(a.sketch, inherited, random);
}

std::optional<Choice> step(const Ground& ground, const Choice& from, Random& random) {
  const space::Layout& layout = ground.solver(from.sketch).engine().layout();
  std::vector<Var> movable;
  for (const Var knob : ground.system(from.sketch).knobs())
    if (layout.domain(knob.index).size() > 1) movable.push_back(knob);
  if (movable.empty()) return std::nullopt;
  const Var moved = random.pick(movable);
  const std::int64_t value = other_than(layout.domain(moved.index), value_of_knob(from, moved), random);
  constexpr int most_tried = 3;
  for (int tried = 0; tried < most_tried; ++tried) {
    const Var freed = random.pick(movable);
    std::vector<Constraint> kept = {takes(moved, value)};
    for (const Var knob : movable)
      if (!(knob == moved) && !(knob == freed)) kept.push_back(takes(knob, value_of_knob(from, knob)));
    if (auto found = ground.nearest(from, kept)) return found;
  }
  return ground.nearest(from, {takes(moved, value)});
}

}  // namespace ardea::search
