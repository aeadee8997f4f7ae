#include <gtest/gtest.h>

#include "ardea/arith/verify.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "programs.h"

/// Law 2 of the design: the interpreter gives the same answers before and after each pass.

namespace ardea::lower {

namespace {

class EveryPass : public ::testing::TestWithParam<Program> {};

TEST_P(EveryPass, keeps_the_meaning_and_the_laws) {
  const Program& program = GetParam();
  const target::Target target = target::find("generic-x86_64");
  const Function original = function_of(program);
  const std::uint64_t seed = 20240517;
  const std::vector<interp::Argument> given = arguments_of(original, program, seed);
  std::vector<interp::Argument> wanted = copies(given);
  interp::run(original, wanted);

  Function f = original;
  for (const Pass& pass : pipeline(target)) {
    const Function before = f;
    f = pass.run(f, target);
    for (const arith::Violation& v : arith::verify(f))
      ADD_FAILURE() << pass.name << ": " << v.law << ": " << v.message << "\n" << print(f);
    if (pass.name == "pack_arguments") break;
    std::vector<interp::Argument> got = copies(given);
    try {
      interp::run(f, got);
    } catch (const std::exception& error) {
      FAIL() << pass.name << ": " << error.what() << "\nbefore:\n" << print(before) << "after:\n" << print(f);
    }
    const std::string apart = difference(wanted, got, program.approximate ? 4 : 0);
    ASSERT_EQ(apart, "") << pass.name << " with seed " << seed << "\nbefore:\n"
                         << print(before) << "after:\n"
                         << print(f);
  }
}

INSTANTIATE_TEST_SUITE_P(Lowering, EveryPass, ::testing::ValuesIn(programs()),
                         [](const auto& info) { return info.param.name; });

}  // namespace

}  // namespace ardea::lower
