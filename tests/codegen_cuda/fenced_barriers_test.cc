#include "ardea/codegen/cuda/fenced_barriers.h"

#include <gtest/gtest.h>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/traverse.h"

namespace ardea::codegen::cuda {

namespace {

const std::string
    threads_write = "S_1[0] = T.float16(1)\n",
    threads_read = "X[0] = S_1[1]\n",
    unit_copies = "T.async_copy_box(T.address_of(S_1[0]), T.address_of(X[0]), 0, 0, 0, 1, 1, 64, 1, 64, 0)\n",
    threads_copy = "T.async_copy(T.address_of(S_1[0]), T.address_of(X[0]), 8)\n",
    registers_alone = "R_1[0] = R_1[1]\n", barrier = "T.barrier(\"shared\")\n",
    warps_barrier = "T.barrier(\"warp\")\n";

/// Of each barrier of the block, in the order of the text, whether it is fenced: f or a dash.
std::string fences(const std::vector<std::string>& lines) {
  std::string text = R"(# from tvm.script import tir as T
@T.prim_func
def f(X: T.Buffer((64,), "float16")):
    S = T.allocate([64], "float16", "shared")
    S_1 = T.Buffer((64,), "float16", data=S, scope="shared")
    R = T.allocate([64], "float16", "local")
    R_1 = T.Buffer((64,), "float16", data=R, scope="local")
)";
  for (const std::string& one : lines) text += "    " + one;
  const Function f = parse_function(text);
  const std::unordered_set<Expr> fenced = fenced_barriers(f.body);
  std::string found;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* evaluate = s.as<Evaluate>();
    const auto* call = evaluate == nullptr ? nullptr : evaluate->value.as<Call>();
    if (call != nullptr && call->op->name == "barrier") found += fenced.contains(evaluate->value) ? "f" : "-";
  });
  return found;
}

TEST(FencedBarriers, are_between_threads_and_a_unit) {
  for (const std::string& by_threads : {threads_write, threads_read, threads_copy}) {
    EXPECT_EQ(fences({by_threads, barrier, unit_copies}), "f") << by_threads;
    EXPECT_EQ(fences({unit_copies, barrier, by_threads}), "-") << by_threads;
    EXPECT_EQ(fences({by_threads, barrier, by_threads}), "-") << by_threads;
  }
  EXPECT_EQ(fences({unit_copies, barrier, unit_copies}), "-");
  EXPECT_EQ(fences({registers_alone, barrier, unit_copies}), "-");
  EXPECT_EQ(fences({threads_write, warps_barrier, unit_copies}), "-") << "not of the block";
}

// Some of them may be more than are needed: what is between two barriers is not looked at.
TEST(FencedBarriers, are_all_that_stand_between_them) {
  EXPECT_EQ(fences({barrier, threads_write, barrier, registers_alone, barrier, unit_copies, barrier}),
            "-ff-");
}

TEST(FencedBarriers, of_loops_are_between_iterations_too) {
  const std::string loop = "for i in range(4):\n";
  const auto inside = [](const std::string& line) { return "    " + line; };
  EXPECT_EQ(fences({loop, inside(unit_copies), inside(barrier), inside(threads_read), inside(barrier)}),
            "ff");
  EXPECT_EQ(fences({loop, inside(unit_copies), inside(barrier), barrier, threads_read}), "--");
  EXPECT_EQ(fences({threads_write, loop, inside(barrier), inside(unit_copies)}), "f");
  EXPECT_EQ(fences({unit_copies, loop, inside(barrier), inside(threads_write)}), "-");
}

}  // namespace

}  // namespace ardea::codegen::cuda
