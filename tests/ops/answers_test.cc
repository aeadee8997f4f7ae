#include "ardea/build/build.h"
#include "ardea/interp/interpreter.h"
#include "ardea/measure/check.h"
#include "ardea/target/host.h"
#include "tests/ops/cases.h"
#include "tests/ops/compare.h"

namespace ardea::test {
namespace {

/// One operator with everything it is tested on, built once for all backends.
struct Suite {
  std::vector<ops::Workload> workloads;
  Module module;

  explicit Suite(const std::string& op) : workloads(workloads_of(op)) {
    for (std::size_t i = 0; i < workloads.size(); ++i)
      module.functions.push_back(ops::create_function(workloads[i], fmt::format("{}_{}", op, i)));
  }
};

class Operators : public testing::TestWithParam<std::string> {};

TEST_P(Operators, give_the_references_answers_in_every_backend) {
  const Suite suite(GetParam());
  const runtime::Module compiled = build::compile(suite.module, target::host());
  for (std::size_t i = 0; i < suite.workloads.size(); ++i) {
    const ops::Workload& w = suite.workloads[i];
    const Function& f = suite.module.functions[i];
    const std::string place = fmt::format("{}, seed {}", ops::to_string(w), i);
    const std::vector<runtime::Array> arguments = arguments_for(w, i);

    const std::vector<runtime::Array> interpreted = copies(arguments);
    interp::run(f, {interpreted.begin(), interpreted.end()},
                {.uninitialised_arguments = {arguments.size() - 1}});
    ASSERT_EQ(difference(w, interpreted), "") << place << ", interpreted";

    const std::vector<runtime::Array> by_llvm = copies(arguments);
    const std::vector<runtime::Value> values(by_llvm.begin(), by_llvm.end());
    compiled.get_function(f.name).call(values);
    ASSERT_EQ(difference(w, by_llvm), "") << place << ", by LLVM";
  }
}

TEST_P(Operators, stay_inside_the_derived_tolerance) {
  const std::vector<ops::Workload> workloads = shapes_of(GetParam());
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    const Function f = ops::create_function(workloads[i]);
    const std::vector<runtime::Array> before = arguments_for(workloads[i], i), after = copies(before);
    const std::vector<runtime::Value> values(after.begin(), after.end());
    build::compile(f, target::host()).call(values);
    const measure::CheckReport report =
        measure::check(f, {before.begin(), before.end()}, {after.begin(), after.end()});
    ASSERT_TRUE(report.agrees()) << ops::to_string(workloads[i]) << ", seed " << i;
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
