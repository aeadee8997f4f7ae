#include "tests/space/random_system.h"

#include <fmt/core.h>

#include "ardea/space/builder.h"
#include "ardea/space/evaluate.h"

namespace ardea::space::testing {
namespace {

Domain random_domain(Random& random) {
  switch (random.integer(0, 4)) {
    case 0: {
      const std::int64_t low = random.integer(-4, 4);
      return Domain::range(low, low + random.integer(0, 8));
    }
    case 1: return Domain::range(1, random.integer(1, 12));
    case 2: {
      std::vector<std::int64_t> divisors;
      const std::int64_t n = random.pick(std::vector<std::int64_t>{12, 16, 30, 36});
      for (std::int64_t d = 1; d <= n; ++d)
        if (n % d == 0) divisors.push_back(d);
      return Domain::of(divisors);
    }
    case 3: return Domain::of({0, 1});
    default: {
      std::vector<std::int64_t> values;
      for (std::int64_t i = random.integer(1, 6); i > 0; --i) values.push_back(random.integer(-10, 40));
      return Domain::of(values);
    }
  }
}

Var any_variable(Random& random, const System& system) {
  return {static_cast<int>(random.integer(0, static_cast<std::int64_t>(system.variables().size()) - 1))};
}

Operand any_operand(Random& random, const System& system) {
  if (random.chance(0.25)) return random.integer(-3, 12);
  return any_variable(random, system);
}

std::vector<Operand> any_operands(Random& random, const System& system, int least, int most) {
  std::vector<Operand> list;
  for (std::int64_t i = random.integer(least, most); i > 0; --i) list.push_back(any_operand(random, system));
  return list;
}

Condition random_condition(Random& random, const System& system) {
  switch (random.integer(0, 3)) {
    case 0: return Member{any_variable(random, system), random_domain(random)};
    case 1: return Divides{any_operand(random, system), any_operand(random, system)};
    default: {
      Linear x;
      for (std::int64_t i = random.integer(1, 3); i > 0; --i)
        x.terms.push_back(
            {random.pick(std::vector<std::int64_t>{1, 1, 1, -1, 2, -2, 3}), any_variable(random, system)});
      x.constant = random.chance(0.3) ? random.integer(-5, 5) : 0;
      x.relation = random.pick(std::vector<Relation>{Relation::eq, Relation::ne, Relation::le, Relation::le,
                                                     Relation::lt, Relation::ge, Relation::gt});
      x.right = any_operand(random, system);
      return x;
    }
  }
}

Body random_operation(Random& random, const System& system) {
  const Operand result = random.chance(0.5)
                             ? any_operand(random, system)
                             : Operand(random.pick(std::vector<std::int64_t>{0, 1, 4, 12, 24}));
  switch (random.integer(0, 4)) {
    case 0: return Product{result, any_operands(random, system, 2, 3)};
    case 1: return Select{result, any_operand(random, system), any_operands(random, system, 1, 4)};
    case 2: return Extreme{result, random.chance(0.5), any_operands(random, system, 1, 3)};
    case 3:
      return Quotient{result, random.chance(0.5), any_operand(random, system), any_operand(random, system)};
    default: return Truth{result, random_condition(random, system)};
  }
}

}  // namespace

System random_system(Random& random) {
  System system;
  std::uint64_t tuples = 1;
  const std::int64_t knobs = random.integer(1, 5);
  int name = 0;
  for (std::int64_t k = 0; k < knobs; ++k) {
    Domain domain = random_domain(random);
    if (tuples * domain.size() > 3000) domain = Domain::of({1, 2});
    tuples *= domain.size();
    system.knob(fmt::format("x{}", ++name), domain, random.chance(0.5) ? "a \"reason\"\n" : "");
    if (random.chance(0.4)) {
      Body body =
          random.chance(0.3) ? as_body(random_condition(random, system)) : random_operation(random, system);
      if (!result_of(body)) continue;
      // Most definitions take the bounds of their operands; some cut solutions away.
      Domain bounds = random.chance(0.8) ? Domain::range(-1'000'000, 1'000'000) : Domain::range(-5, 20);
      system.define(fmt::format("x{}", ++name), bounds, std::move(body), random.chance(0.5) ? "a sum" : "");
    }
  }
  for (std::int64_t i = random.integer(0, 6); i > 0; --i) {
    Constraint constraint{
        (random.chance(0.2) ? "rule " : "rule") + std::to_string(i),
        random.chance(0.5) ? "so" : "",
        {},
        random.chance(0.5) ? as_body(random_condition(random, system)) : random_operation(random, system)};
    while (random.chance(0.25)) constraint.when.push_back(random_condition(random, system));
    system.post(std::move(constraint));
  }
  return system;
}

Term random_term(Random& random, const System& system, int depth) {
  const auto part = [&] { return random_term(random, system, depth - 1); };
  const auto parts = [&](int least) {
    std::vector<Term> list;
    for (std::int64_t i = random.integer(least, 3); i > 0; --i) list.push_back(part());
    return list;
  };
  if (depth == 0) {
    if (random.chance(0.3)) return random.integer(-4, 9);
    return any_variable(random, system);
  }
  switch (random.integer(0, 10)) {
    case 0:
    case 1: return part() + part();
    case 2: return part() - part();
    case 3:
    case 4: return part() * part();
    case 5: return floor_div(part(), part());
    case 6: return ceil_div(part(), part());
    case 7: return modulo(part(), part());
    case 8: return random.chance(0.5) ? min_of(parts(1)) : max_of(parts(1));
    case 9: return select(part(), parts(1));
    default: return truth(random_formula(random, system, depth - 1));
  }
}

Formula random_formula(Random& random, const System& system, int depth) {
  const auto inner = [&](int least) {
    std::vector<Formula> list;
    for (std::int64_t i = random.integer(least, 3); i > 0; --i)
      list.push_back(random_formula(random, system, depth - 1));
    return list;
  };
  if (depth > 0 && random.chance(0.5)) {
    switch (random.integer(0, 2)) {
      case 0: return all_of(inner(1));
      case 1: return any_of(inner(1));
      default: return negation(random_formula(random, system, depth - 1));
    }
  }
  const int below = depth > 0 ? depth - 1 : 0;
  switch (random.integer(0, 3)) {
    case 0: return is_in(random_term(random, system, below), random_domain(random));
    case 1: return divides(random_term(random, system, below), random_term(random, system, below));
    default:
      return compare(random_term(random, system, below),
                     random.pick(std::vector<Relation>{Relation::eq, Relation::ne, Relation::le, Relation::lt,
                                                       Relation::ge, Relation::gt}),
                     random_term(random, system, below));
  }
}

std::vector<Point> all_solutions(const System& system) {
  std::vector<Point> points;
  for_each_solution(system, [&](const Point& point) { points.push_back(point); });
  return points;
}

}  // namespace ardea::space::testing
