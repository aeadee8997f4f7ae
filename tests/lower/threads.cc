#include <gtest/gtest.h>

#include "ardea/arith/verify.h"
#include "ardea/ir/print.h"
#include "ardea/lower/gpu/passes.h"
#include "ardea/lower/pipeline.h"
#include "thread_programs.h"

/// Lowering for GPUs: after every pass the answers are those of the program whose threads run one after the
/// other, in whatever order threads run; and the interpreter misses every barrier that is taken away.

namespace ardea::lower {

namespace {

const target::Target& gpu() {
  static const target::Target h200 = target::find("h200");
  return h200;
}

/// What stopped the run, or where its answers differ from `wanted`; empty where they are right.
std::string wrong(const Function& f, const std::vector<interp::Argument>& given,
                  const std::vector<interp::Argument>& wanted, std::uint64_t order) {
  std::vector<interp::Argument> got = copies(given);
  try {
    interp::run(f, got, {.seed = order});
  } catch (const Error& error) {
    return error.what();
  }
  return difference(wanted, got, 0);
}

class ThreadPasses : public ::testing::TestWithParam<ThreadProgram> {};

TEST_P(ThreadPasses, keep_the_meaning_in_every_order_of_threads) {
  const Program& program = GetParam().program;
  const Function original = function_of(program);
  const std::vector<interp::Argument> given = arguments_of(original, program, 20261117);
  std::vector<interp::Argument> wanted = copies(given);
  interp::run(original, wanted);
  Function f = original;
  for (const Pass& pass : pipeline(gpu())) {
    const Function before = f;
    f = pass.run(f, gpu());
    for (const arith::Violation& v : arith::verify(f))
      ADD_FAILURE() << pass.name << ": " << v.law << ": " << v.message << "\n" << print(f);
    for (std::uint64_t order = 0; order < 3; ++order)
      ASSERT_EQ(wrong(f, given, wanted, order), "") << pass.name << ", order " << order << "\nbefore:\n"
                                                    << print(before) << "after:\n"
                                                    << print(f);
  }
}

TEST_P(ThreadPasses, leave_the_barriers_that_it_takes_and_no_other) {
  const Program& program = GetParam().program;
  const Function original = function_of(program);
  const std::vector<interp::Argument> given = arguments_of(original, program, 20261117);
  std::vector<interp::Argument> wanted = copies(given);
  interp::run(original, wanted);
  const Function f = lower_until(original, gpu(), "drop_barriers");
  EXPECT_EQ(barriers_in(f), GetParam().barriers) << print(f);
  for (int number = 0; number < barriers_in(f); ++number)
    for (std::uint64_t order = 0; order < 3; ++order)
      EXPECT_NE(wrong(without_barrier(f, number), given, wanted, order), "")
          << "nobody misses barrier " << number << " in order " << order << " of\n"
          << print(f);
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPasses, ::testing::ValuesIn(thread_programs()),
                         [](const auto& info) { return info.param.program.name; });

}  // namespace

}  // namespace ardea::lower
