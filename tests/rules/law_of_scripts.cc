#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/limits/limits.h"
#include "ardea/lower/limits_of.h"
#include "ardea/lower/pipeline.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/witnesses.h"
#include "ardea/schedule/canon.h"
#include "ardea/schedule/script.h"
#include "ardea/support/error.h"
#include "ardea/support/text_file.h"
#include "tests/support/sampled.h"

/// The law of templates over schedules as people write them: each solution applies, is the symbolic program
/// with its numbers, takes of the machine no more than was predicted, lowers, and computes what it should.

namespace ardea::rules {

namespace {

struct ScriptCase {
  std::string script, op;
  std::vector<std::int64_t> sizes;
  std::string target = "neoverse-v1";
  std::size_t deferred = 0;  ///< questions left to the replay: this number only falls
};

void PrintTo(const ScriptCase& c, std::ostream* out) {
  *out << fmt::format("{} {} {} {}", c.script, c.op, fmt::join(c.sizes, ","), c.target);
}

std::vector<ScriptCase> script_cases() {
  return {
      {"packed_product", "gemm", {23, 29, 31}},
      {"product_of_one_row", "gemm", {1, 7, 5}, "generic-x86_64"},
      {"packed_product", "gemm", {13, 9, 18}, "avx2"},
      {"plain_product", "gemm", {12, 9, 20}},
      {"cached_product", "gemm", {13, 9, 18}},
      {"batched_product", "bmm", {2, 13, 9, 18}},
      {"convolution_by_rows", "c2d", {1, 9, 11, 3, 7, 3, 3, 1, 1, 1}},
      {"depthwise", "depthwise", {1, 11, 13, 3, 3, 3, 1, 1}, "avx2"},
      {"row_sums", "reduce_sum", {19, 41}},
      {"few_rows", "gemm", {3, 13, 43}},
      {"chained_products", "matmul_exp_matmul", {13, 16, 19, 20}},
      {"strided_convolution", "c2d", {1, 9, 11, 3, 12, 3, 3, 2, 1, 1}},
  };
}

class LawOfScripts : public ::testing::TestWithParam<ScriptCase> {
 protected:
  LawOfScripts() : target_(target::find(GetParam().target)), sketch_(made()) {}

  Sketch made() const {
    const ScriptCase& c = GetParam();
    const std::string file = fmt::format("{}/tests/rules/scripts/{}.py", ARDEA_SOURCE_DIR, c.script);
    const auto steps = schedule::parse_steps(read_text_file(file), file);
    return make_sketch(ops::create_function(ops::make_workload({.op = c.op, .sizes = c.sizes})), target_,
                       [&](schedule::Schedule& s) { s.replay(steps, schedule::Schedule::Decisions::draw); });
  }

  /// What is wrong with a solution; empty where nothing is.
  std::string fault_of(const space::Point& point, const std::vector<interp::Argument>& given,
                       const measure::Expectation& expected) const {
    std::vector<std::pair<Var, std::int64_t>> numbers;
    limits::Numbers values;
    for (std::size_t i = 0; i < sketch_.knobs.size(); ++i) {
      const std::int64_t value = point[static_cast<std::size_t>(sketch_.system.knobs()[i].index)];
      numbers.emplace_back(sketch_.knobs[i].var, value);
      values[sketch_.knobs[i].var] = value;
    }
    try {
      const Function program = materialise(sketch_, point).program();
      const std::string apart = first_difference(
          schedule::canon(schedule::with_numbers(sketch_.symbolic, numbers)), schedule::canon(program));
      if (!apart.empty()) return "another program: " + apart;
      const auto predicted = limits::bounds_of(lower::limits_of(sketch_.symbolic, target_), target_);
      const auto taken = limits::bounds_of(lower::limits_of(program, target_), target_);
      for (std::size_t i = 0; i < taken.size(); ++i) {
        if (!taken[i].taken.defined() || !predicted[i].taken.defined()) continue;
        const auto was = limits::value_at(predicted[i].taken, values),
                   is = limits::value_at(taken[i].taken, {});
        if (was && is && *was < *is)
          return fmt::format("it takes {} {}, {} were predicted", *is, taken[i].name, *was);
      }
      lower::lower(program, target_);
      const auto after = measure::copy_arguments(given);
      interp::run(program, after);
      for (const measure::Comparison& c : expected.compare(after).arguments)
        if (c.mismatches > 0) return fmt::format("{} is wrong in {} elements", c.argument, c.mismatches);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  const target::Target target_;
  const Sketch sketch_;
};

TEST_P(LawOfScripts, every_solution_applies_fits_and_is_right) {
  const space::Solver solver(sketch_.system);
  std::vector<space::Point> points = witnesses(solver, 5);
  for (const space::Point& point : solver.sample(7, 1).points) points.push_back(point);
  EXPECT_GE(sketch_.knobs.size(), 2U);
  EXPECT_GE(points.size(), 8U);
  const auto given = measure::make_arguments(sketch_.program, {.seed = 1});
  const measure::Expectation expected(sketch_.program, given);
  for (const space::Point& point : points)
    ASSERT_EQ(fault_of(point, given, expected), "") << to_string(sketch_.system, point);
}

TEST_P(LawOfScripts, no_more_questions_are_left_to_the_replay_than_before) {
  std::string text;
  for (const schedule::Refusal& refusal : sketch_.deferred) text += refusal.fact + "\n";
  EXPECT_LE(sketch_.deferred.size(), GetParam().deferred) << text;
}

INSTANTIATE_TEST_SUITE_P(All, LawOfScripts, ::testing::ValuesIn(test::sampled(3, script_cases())));

}  // namespace

}  // namespace ardea::rules
