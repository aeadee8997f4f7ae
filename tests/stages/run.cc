#include "tests/stages/run.h"

#include <gtest/gtest.h>

#include "ardea/compile/compile.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/random.h"

namespace ardea::test {

namespace {

using Arguments = std::vector<interp::Argument>;

void expect_right_answers(const stages::Lowered& lowered, std::uint64_t seed, bool interpret) {
  SCOPED_TRACE(schedule::print(lowered.trace) + print(lowered.function));
  schedule::Schedule again(lowered.unscheduled);
  again.replay(schedule::parse_steps(schedule::print(lowered.trace), "trace"));
  EXPECT_TRUE(structurally_equal(again.program(), lowered.function));
  const Arguments before = measure::make_arguments(lowered.unscheduled, {.seed = seed, .sizes = {}});
  const auto reference = interpret ? measure::Reference::interpreter : measure::Reference::compiled;
  const auto expect_agreement = [&](const Arguments& after, const char* how) {
    for (const measure::Comparison& c :
         measure::check(lowered.unscheduled, before, after, reference).arguments) {
      EXPECT_EQ(c.mismatches, 0) << how << ": " << c.argument << " at " << c.index << ": " << c.got
                                 << " instead of " << c.expected;
      EXPECT_EQ(c.unbounded, 0) << c.argument;
    }
  };
  const Arguments interpreted = measure::copy_arguments(before), compiled = measure::copy_arguments(before);
  if (interpret) {
    interp::run(lowered.function, interpreted);
    expect_agreement(interpreted, "interpreted");
  }
  std::vector<runtime::Value> values;
  for (const interp::Argument& argument : compiled)
    std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
  compile::callable(lowered.function, target::host()).call(values);
  expect_agreement(compiled, "compiled");
}

}  // namespace

void expect_same_answers(const stages::Lowered& lowered, std::uint64_t seed) {
  expect_right_answers(lowered, seed, true);
}
void expect_same_answers_compiled(const stages::Lowered& lowered, std::uint64_t seed) {
  expect_right_answers(lowered, seed, false);
}

std::vector<runtime::Array> arrays_for(const Function& f, double most, std::uint64_t seed) {
  std::vector<runtime::Array> arrays;
  Random random(seed);
  for (const Parameter& parameter : f.parameters) {
    std::vector<std::int64_t> shape;
    for (const Expr& extent : parameter.buffer->shape) shape.push_back(*constant_int(extent));
    arrays.push_back(runtime::Array::empty(std::move(shape), parameter.buffer->type));
    for (float& value : arrays.back().values<float>()) value = static_cast<float>(random.real() * most);
  }
  return arrays;
}

void call_compiled(const Function& f, const std::vector<runtime::Array>& arrays) {
  compile::callable(f, target::host()).call(std::vector<runtime::Value>(arrays.begin(), arrays.end()));
}

std::vector<std::string> loops_of(const Function& f) {
  std::vector<std::string> loops;
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* loop = s.as<For>()) loops.push_back(loop->var.name() + " " + print(loop->extent));
  });
  return loops;
}

}  // namespace ardea::test
