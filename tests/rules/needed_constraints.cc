#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/space/evaluate.h"
#include "ardea/space/solver.h"
#include "tests/rules/laws.h"
#include "tests/support/sampled.h"

/// Of each constraint of the products' spaces: is it implied by the others, or what goes wrong without it?

namespace ardea::rules {

namespace {

struct AskedProduct {
  const char* target;
  std::vector<std::int64_t> sizes;
  std::vector<DataType> in = {};
  DataType sum = no_type;
  bool transpose_b = false;
  /// Little memory, so that its limit binds.
  std::optional<std::int64_t> memory_bytes = {};
};

void PrintTo(const AskedProduct& asked, std::ostream* out) {
  *out << fmt::format("{} {} {}", asked.target, fmt::join(asked.sizes, ","),
                      asked.in.empty() ? "" : to_string(asked.in[0]));
}

/// The constraint does not hold: its guards do, and its body does not.
void post_negation(space::System& system, const space::Constraint& constraint) {
  for (const space::Condition& guard : constraint.when) system.post({"guard", "", {}, space::as_body(guard)});
  if (const auto* sum = std::get_if<space::Linear>(&constraint.body)) {
    space::Linear other = *sum;
    other.relation = space::negated(sum->relation);
    system.post({"broken", "", {}, other});
    return;
  }
  const auto truth_of = [&](const space::Condition& condition) {
    const space::Var holds = system.define("holds", space::Domain::range(0, 1), space::Truth{0, condition});
    system.post({"broken", "", {}, space::Linear{{{1, holds}}, 0, space::Relation::eq, 0}});
  };
  if (const auto* set = std::get_if<space::Member>(&constraint.body)) return truth_of(*set);
  if (const auto* whole = std::get_if<space::Divides>(&constraint.body)) return truth_of(*whole);
  const space::Operand result = *space::result_of(constraint.body);
  const space::Var value = system.define(
      "value", space::Domain::range(-space::largest_value, space::largest_value), constraint.body);
  system.post({"broken", "", {}, space::Linear{{{1, value}}, 0, space::Relation::ne, result}});
}

enum class Need { implied, needed, kept };

/// What points are that break this constraint alone. Fails the test where one of them is a program after all,
/// and none that another point is.
Need need_for(const Sketch& sketch, const space::Constraint& constraint, const target::Target& target,
              std::string& why) {
  space::System broken = without(sketch.system, {constraint.name});
  post_negation(broken, constraint);
  const space::Solver solver(broken);
  const space::Found found = solver.solve({}, 1);
  EXPECT_NE(found.answer, space::Answer::undecided) << constraint.name;
  if (found.answer != space::Answer::yes) return Need::implied;
  const bool is_kept =
      std::find(sketch.kept.begin(), sketch.kept.end(), constraint.name) != sketch.kept.end();
  std::vector<space::Point> points = solver.sample(2, 1).points;
  points.push_back(found.point);
  for (space::Point& point : points) {
    point.resize(sketch.system.variables().size());  // without what tells that it is broken
    const std::string fault = fault_of(sketch, point, target);
    if (is_kept) {
      EXPECT_EQ(fault, "") << constraint.name << ", " << in_words(sketch, point);
      const auto twin = twin_of(sketch, point, target);
      EXPECT_TRUE(twin) << constraint.name << " keeps a program out: " << in_words(sketch, point);
      if (twin)
        why = fmt::format("{} has the program of {}", in_words(sketch, point), in_words(sketch, *twin));
    } else {
      EXPECT_NE(fault, "") << constraint.name << " is not needed: " << in_words(sketch, point);
      why = fault;
    }
  }
  return is_kept ? Need::kept : Need::needed;
}

class NeededConstraints : public testing::TestWithParam<AskedProduct> {
 protected:
  target::Target target() const {
    target::Target target = target::find(GetParam().target);
    if (GetParam().memory_bytes) target.memory_bytes = *GetParam().memory_bytes;
    return target;
  }
};

/// Proved by the solver to follow from the others, or broken by points that are refused, or that are the
/// program of another point where no step needs it.
TEST_P(NeededConstraints, are_implied_or_keep_something_out) {
  const AskedProduct& asked = GetParam();
  const Function program = ops::create_function(ops::make_workload({.op = "gemm",
                                                                    .sizes = asked.sizes,
                                                                    .in = asked.in,
                                                                    .acc = asked.sum,
                                                                    .out = asked.sum,
                                                                    .transpose_b = asked.transpose_b}));
  const ProgramSpace space = program_space(program, target(), rules_for(target()));
  std::map<std::string, std::string> table;
  for (const SolvedSketch& solved : space.sketches) {
    const space::System& system = solved.sketch.system;
    std::map<std::string, int> named;
    for (std::size_t i = 0; i < system.constraints().size(); ++i) {
      const space::Constraint& constraint = system.constraints()[i];
      if (system.is_definition(static_cast<int>(i))) continue;
      EXPECT_EQ(++named[constraint.name], 1) << constraint.name;
      std::string why;
      const Need need = need_for(solved.sketch, constraint, target(), why);
      const char* const word = need == Need::implied  ? "implied"
                               : need == Need::needed ? "needed"
                                                      : "kept to";
      table[fmt::format("{}: {}", constraint.name, word)] = fmt::format("{}; {}", constraint.reason, why);
    }
  }
  EXPECT_FALSE(table.empty());
  if (std::getenv("ARDEA_TABLE") != nullptr)
    for (const auto& [name, words] : table) fmt::print("| {} | {} |\n", name, words);
}

INSTANTIATE_TEST_SUITE_P(
    All, NeededConstraints,
    testing::ValuesIn(test::sampled<AskedProduct>(
        4,
        {AskedProduct{.target = "neoverse-v1", .sizes = {12, 20, 28}},
         AskedProduct{.target = "avx2", .sizes = {12, 20, 28}, .memory_bytes = 2000},
         AskedProduct{.target = "avx2", .sizes = {7, 50, 110}},
         AskedProduct{.target = "avx2", .sizes = {5, 50, 40}, .transpose_b = true},
         AskedProduct{.target = "sapphirerapids", .sizes = {64, 64, 64}, .in = {uint8, int8}, .sum = int32},
         AskedProduct{.target = "sapphirerapids", .sizes = {70, 64, 90}, .in = {bfloat16}, .sum = float32},
         AskedProduct{.target = "neoverse-v1", .sizes = {60, 44, 36}, .in = {int8}, .sum = int32},
         AskedProduct{.target = "neoverse-v1", .sizes = {64, 64, 64}, .in = {bfloat16}, .sum = float32}})));

}  // namespace

}  // namespace ardea::rules
