#include "ardea/space/builder.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "ardea/space/evaluate.h"
#include "ardea/space/parse.h"
#include "ardea/space/print.h"
#include "tests/space/random_system.h"

namespace ardea::space {
namespace {

using testing::random_formula;

using Value = std::optional<__int128>;

std::optional<bool> truth_by_definition(const Formula& formula, const Point& point);

/// A term's value by its structure alone; nothing where any part of it has none.
Value value_by_definition(const Term& term, const Point& point) {
  using Kind = Term::Kind;
  if (term->kind == Kind::number) return term->number;
  if (term->kind == Kind::variable) return point[static_cast<std::size_t>(term->variable.index)];
  if (term->kind == Kind::truth) {
    const auto truth = truth_by_definition(term->condition[0], point);
    return truth ? Value(*truth ? 1 : 0) : std::nullopt;
  }
  std::vector<__int128> parts;
  for (const Term& part : term->parts) {
    const Value value = value_by_definition(part, point);
    if (!value) return std::nullopt;
    parts.push_back(*value);
  }
  switch (term->kind) {
    case Kind::sum: {
      __int128 sum = 0;
      for (const __int128 part : parts) sum += part;
      return sum;
    }
    case Kind::product: {
      __int128 product = 1;
      for (const __int128 part : parts) product *= part;
      return product;
    }
    case Kind::min: return *std::min_element(parts.begin(), parts.end());
    case Kind::max: return *std::max_element(parts.begin(), parts.end());
    case Kind::select: {
      const __int128 index = parts[0];
      if (index < 0 || index + 1 >= static_cast<__int128>(parts.size())) return std::nullopt;
      return parts[static_cast<std::size_t>(index) + 1];
    }
    default: {
      const __int128 a = parts[0], b = parts[1];
      if (b == 0) return std::nullopt;
      __int128 floor = a / b;
      if (floor * b != a && (a < 0) != (b < 0)) --floor;
      if (term->kind == Kind::floor_div) return floor;
      if (term->kind == Kind::modulo) return a - floor * b;
      return floor * b == a ? floor : floor + 1;
    }
  }
}

std::optional<bool> truth_by_definition(const Formula& formula, const Point& point) {
  using Kind = Formula::Kind;
  std::vector<__int128> terms;
  for (const Term& term : formula->terms) {
    const Value value = value_by_definition(term, point);
    if (!value) return std::nullopt;
    terms.push_back(*value);
  }
  std::vector<bool> parts;
  for (const Formula& part : formula->parts) {
    const auto truth = truth_by_definition(part, point);
    if (!truth) return std::nullopt;
    parts.push_back(*truth);
  }
  switch (formula->kind) {
    case Kind::all: return std::find(parts.begin(), parts.end(), false) == parts.end();
    case Kind::any: return std::find(parts.begin(), parts.end(), true) != parts.end();
    case Kind::negation: return !parts[0];
    case Kind::member: return formula->set.contains(static_cast<std::int64_t>(terms[0]));
    case Kind::divides: return terms[0] == 0 ? terms[1] == 0 : terms[1] % terms[0] == 0;
    case Kind::compare: break;
  }
  switch (formula->relation) {
    case Relation::eq: return terms[0] == terms[1];
    case Relation::ne: return terms[0] != terms[1];
    case Relation::le: return terms[0] <= terms[1];
    case Relation::lt: return terms[0] < terms[1];
    case Relation::ge: return terms[0] >= terms[1];
    case Relation::gt: return terms[0] > terms[1];
  }
  return false;
}

System three_knobs() { return parse("knob a in -3..4 knob b in {0, 1, 2, 6} knob c in 1..5"); }

TEST(Builder, says_what_the_formula_says) {
  int nested = 0, with_solutions = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    System system = three_knobs();
    const Formula formula = random_formula(random, system, static_cast<int>(random.integer(0, 3)));
    std::optional<Formula> when;
    if (random.chance(0.3)) when = random_formula(random, system, 1);
    std::set<std::vector<std::int64_t>> expected;
    for_each_solution(system, [&](const Point& point) {
      const auto truth = truth_by_definition(formula, point);
      const auto guard = when ? truth_by_definition(*when, point) : std::optional(true);
      if (truth && guard && (*truth || !*guard)) expected.insert(point);
    });
    Builder(system).require("r", formula, "", when);
    std::set<std::vector<std::int64_t>> found;
    for_each_solution(system, [&](const Point& point) { found.insert({point.begin(), point.begin() + 3}); });
    ASSERT_EQ(found, expected) << "seed " << seed << "\n" << print(system);
    nested += system.variables().size() > 3 ? 1 : 0;
    with_solutions += !expected.empty() && expected.size() < 160 ? 1 : 0;
  }
  EXPECT_GT(nested, 1000);
  EXPECT_GT(with_solutions, 800);
}

TEST(Builder, gives_equal_parts_one_variable) {
  System system = three_knobs();
  const Term a = system.get("a"), b = system.get("b"), c = system.get("c");
  Builder builder(system);
  builder.require("r", compare(a * b + c, Relation::le, 9));
  builder.require("s", compare(Term(2) * (a * b), Relation::ge, c));
  EXPECT_EQ(print(system), R"(knob a in -3..4
knob b in {0, 1, 2, 6}
knob c in 1..5
define _1 in -18..24 = a * b
require r: _1 + c <= 9
require s: 2*_1 >= c
)");
}

TEST(Builder, cuts_long_sums) {
  System system;
  Builder builder(system);
  Term sum = 0;
  for (int i = 0; i < 200; ++i) sum = sum + system.knob("x" + std::to_string(i), Domain::of({0, 1}));
  builder.require("r", compare(sum, Relation::eq, 150));
  Point knobs(system.variables().size());
  for (const Var knob : system.knobs())
    knobs[static_cast<std::size_t>(knob.index)] = knob.index < 150 ? 1 : 0;
  EXPECT_TRUE(is_solution(system, *complete(system, knobs)));
  knobs[150] = 1;
  EXPECT_FALSE(is_solution(system, *complete(system, knobs)));
}

}  // namespace
}  // namespace ardea::space
