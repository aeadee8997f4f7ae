#include <gtest/gtest.h>

#include "ardea/cli/program.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/traverse.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "tests/cli/command.h"

/// `run --check` must notice a step that changes the answer: its reference is the program as written, never
/// what the steps made of it.

namespace ardea::cli {
namespace {

constexpr const char* doubling = R"(
@T.prim_func
def main(A: T.Buffer((10,), "int32"), B: T.Buffer((10,), "int32")):
    for i in range(10):
        with T.block("B"):
            vi = T.axis.spatial(10, i)
            B[vi] = A[vi] * 2
)";

constexpr const char* steps = R"(
b = sch.get_block("B")
i, = sch.get_loops(b)
io, ii = sch.split(i, [None, 4])
sch.parallel(io)
)";

/// What a faulty step would make of it: every doubling is a tripling.
Function tripling(Function f) {
  f.body = rewrite(f.body, [](const Expr& e) -> std::optional<Expr> {
    const auto* product = e.as<Binary>();
    if (product == nullptr || product->op != BinaryOp::mul || e.type() != int32) return std::nullopt;
    return make_binary(BinaryOp::mul, product->left, make_int(3, int32));
  });
  return f;
}

bool agrees(const Program& program, const Function& run) {
  const auto before = measure::make_arguments(run, {.seed = 1});
  const auto after = measure::copy_arguments(before);
  interp::run(run, after);
  return measure::check(program.meaning_of(program.module.functions[0]), before, after).agrees();
}

TEST(CheckReference, is_the_program_as_written) {
  const Folder folder;
  const std::string file = folder.write("doubling.tir", doubling);
  const Program written = load_program({.program = file}, target::host());
  const Program scheduled =
      load_program({.program = file, .schedule = folder.write("steps.py", steps)}, target::host());
  const Function& f = scheduled.module.functions[0];
  EXPECT_FALSE(structurally_equal(f, written.module.functions[0]));
  EXPECT_TRUE(structurally_equal(scheduled.meaning_of(f), written.module.functions[0]));
  EXPECT_TRUE(
      structurally_equal(written.meaning_of(written.module.functions[0]), written.module.functions[0]));
}

TEST(CheckReference, notices_a_step_that_changes_the_answer) {
  const Folder folder;
  Program program = load_program(
      {.program = folder.write("doubling.tir", doubling), .schedule = folder.write("steps.py", steps)},
      target::host());
  EXPECT_TRUE(agrees(program, program.module.functions[0]));
  program.module.functions[0] = tripling(program.module.functions[0]);
  EXPECT_FALSE(agrees(program, program.module.functions[0]));
}

TEST(CheckReference, of_an_operator_takes_weights_that_are_not_packed) {
  const Program program =
      load_program({.program = "gemm", .shape = "13,17,37", .prepacked = true}, target::host());
  const Function& f = program.module.functions[0];
  const Function& meant = program.meaning_of(f);
  EXPECT_TRUE(structurally_equal(meant, ops::create_function(*program.workload)));
}

TEST(CheckReference, is_what_a_scheduled_file_is_run_against) {
  const Folder folder;
  const std::string run = "run " + folder.write("doubling.tir", doubling) + " --schedule " +
                          folder.write("steps.py", steps) + " --check --min-repeat-ms 0 --backend ";
  for (const char* backend : {"llvm", "c", "interp"}) {
    const Answer answer = ardea(run + backend);
    EXPECT_EQ(answer.exit_code, 0) << answer.error;
    EXPECT_NE(answer.out.find("B equals the interpreter in all 10 elements"), std::string::npos)
        << answer.out;
  }
}

}  // namespace
}  // namespace ardea::cli
