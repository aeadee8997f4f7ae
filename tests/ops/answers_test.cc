#include <gtest/gtest.h>

#include "ardea/compile/compile.h"
#include "ardea/compile/compile_by_c.h"
#include "ardea/interp/interpreter.h"
#include "ardea/measure/check.h"
#include "ardea/target/host.h"
#include "tests/ops/cases.h"
#include "tests/ops/compare.h"
#include "tests/support/sampled.h"

namespace ardea::test {
namespace {

/// Workloads of one operator as one module, which each backend compiles once.
struct Suite {
  std::vector<ops::Workload> workloads;
  Module module;

  Suite(const std::string& op, std::vector<ops::Workload> some) : workloads(std::move(some)) {
    for (std::size_t i = 0; i < workloads.size(); ++i)
      module.functions.push_back(ops::create_function(workloads[i], fmt::format("{}_{}", op, i)));
  }
};

/// A copy of the arguments, after the function has run on it.
std::vector<runtime::Array> after(const runtime::Function& f, const std::vector<runtime::Array>& arguments) {
  std::vector<runtime::Array> arrays = copies(arguments);
  f.call(std::vector<runtime::Value>(arrays.begin(), arrays.end()));
  return arrays;
}

class Operators : public testing::TestWithParam<std::string> {};

TEST_P(Operators, give_the_references_answers_in_every_backend) {
  const Suite suite(GetParam(), sampled(3, workloads_of(GetParam())));
  // Compiling many small programs takes the time; the next test optimises fully.
  const runtime::Module by_llvm = compile::callable(suite.module, target::host(), {.optimization_level = 0});
  const runtime::Module by_c = compile::compile_by_c(suite.module, target::host(), {.optimization_level = 0});
  for (std::size_t i = 0; i < suite.workloads.size(); ++i) {
    const ops::Workload& w = suite.workloads[i];
    const Function& f = suite.module.functions[i];
    const std::string place = fmt::format("{}, seed {}", ops::to_string(w), i);
    const std::vector<runtime::Array> arguments = arguments_for(w, i);
    const std::vector<runtime::Array> interpreted = copies(arguments);
    interp::run(f, {interpreted.begin(), interpreted.end()},
                {.uninitialised_arguments = {arguments.size() - 1}});
    ASSERT_EQ(difference(w, interpreted), "") << place << ", interpreted";
    ASSERT_EQ(difference(w, after(by_llvm.get_function(f.name), arguments)), "") << place << ", by LLVM";
    ASSERT_EQ(difference(w, after(by_c.get_function(f.name), arguments)), "") << place << ", by C";
  }
}

TEST_P(Operators, stay_inside_the_derived_tolerance) {
  const std::vector<ops::Workload> shapes = shapes_of(GetParam());
  const Suite suite(GetParam(), sampled<ops::Workload>(2, {shapes[1], shapes[2]}));
  const runtime::Module backends[] = {compile::callable(suite.module, target::host()),
                                      compile::compile_by_c(suite.module, target::host())};
  for (std::size_t i = 0; i < suite.workloads.size(); ++i)
    for (const runtime::Module& backend : backends) {
      const Function& f = suite.module.functions[i];
      const std::vector<runtime::Array> before = arguments_for(suite.workloads[i], i);
      const std::vector<runtime::Array> results = after(backend.get_function(f.name), before);
      const measure::CheckReport report =
          measure::check(f, {before.begin(), before.end()}, {results.begin(), results.end()});
      ASSERT_TRUE(report.agrees()) << ops::to_string(suite.workloads[i]) << ", seed " << i;
    }
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const ops::Operator& op : ops::operators()) names.push_back(op.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Operators, testing::ValuesIn(operator_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ardea::test
