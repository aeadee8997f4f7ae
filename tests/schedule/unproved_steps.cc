#include <gtest/gtest.h>

#include "ardea/ir/parse.h"
#include "ardea/ir/traverse.h"
#include "tests/schedule/campaign/judge_steps.h"

/// Which programs the campaign calls easy to prove, and what it finds out about a step whose result was not
/// proved.

namespace ardea::schedule {
namespace {

/// A copy by a block over two loops.
Function copy(const std::string& loops, const std::string& from, const std::string& extra = "") {
  return parse_function(
      "@T.prim_func\ndef main(A: T.Buffer((8, 8), \"int32\"), B: T.Buffer((8, 8), \"int32\")):\n" + loops +
      R"(
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                vj = T.axis.spatial(8, j)
)" + extra +
      "                B[vi, vj] = A[" + from + "]\n");
}

const std::string square = "    for i in range(8):\n        for j in range(8):";

TEST(EasyToProve, are_sums_of_loops_from_number_to_number) {
  EXPECT_TRUE(is_easy_to_prove(copy(square, "vi, vj")));
  EXPECT_TRUE(is_easy_to_prove(copy(square, "7 - vi, vj", "                T.where(i + j < 9)\n")));
  EXPECT_FALSE(is_easy_to_prove(copy("    for i in range(8):\n        for j in range(i, 8):", "vi, vj")));
  EXPECT_FALSE(is_easy_to_prove(copy("    for i in range(8):\n        for j in range(i + 1):", "vi, vj")));
  EXPECT_FALSE(is_easy_to_prove(copy(square, "vi, vj // 2")));
  EXPECT_FALSE(is_easy_to_prove(copy(square, "vi * vj % 8, vj")));
  EXPECT_FALSE(is_easy_to_prove(copy(square, "vi, T.min(vj + 1, 7)")));
  EXPECT_FALSE(is_easy_to_prove(copy(square, "vi, vj", "                T.where(i * j < 9)\n")));
  EXPECT_FALSE(is_easy_to_prove(parse_function(R"(@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n,), "int32")
    B = T.match_buffer(b, (n,), "int32")
    for i in range(n):
        with T.block("B"):
            vi = T.axis.spatial(n, i)
            B[vi] = A[vi]
)")));
  EXPECT_FALSE(is_easy_to_prove(parse_function(R"(@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(2):
        with T.block("outer"):
            vo = T.axis.spatial(2, i)
            for j in range(4):
                with T.block("B"):
                    vi = T.axis.spatial(4, j)
                    B[vo * 4 + vi] = A[vo * 4 + vi]
)")));
}

/// A step that leaves out the first iteration of every loop.
Outcome skip_first(const Function& f, const std::vector<Argument>&, Context&) {
  Function out = f;
  out.body = rewrite(f.body, {.stmt = [](const Stmt& s) -> std::optional<Stmt> {
                       const auto* loop = s.as<For>();
                       if (loop == nullptr) return std::nullopt;
                       For later = *loop;
                       later.min = make_int(1, loop->var.type());
                       later.extent = make_int(7, loop->var.type());
                       return Stmt(later);
                     }});
  return Applied{out};
}
/// One that changes nothing.
Outcome leave_alone(const Function& f, const std::vector<Argument>&, Context&) { return Applied{f}; }
Outcome refuse(const Function&, const std::vector<Argument>&, Context&) { return Refusal{"no", "no"}; }

TEST(UnprovedSteps, are_faults_where_the_answers_are_wrong) {
  const Function program = copy(square, "vi, vj"), bent = copy(square, "vi, 7 - vj // 2");
  Primitive step;
  step.name = "step";
  step.apply = skip_first;
  EXPECT_TRUE(StepJudge(program, 1).unproved(program, step, {}).fault.has_value());
  step.apply = leave_alone;
  const StepJudge::Unproved same = StepJudge(program, 1).unproved(program, step, {});
  EXPECT_TRUE(same.is_known);
  EXPECT_FALSE(same.fault.has_value());
  EXPECT_TRUE(same.is_easy);
  EXPECT_FALSE(StepJudge(bent, 1).unproved(bent, step, {}).is_easy);
  step.name = "blockize";
  EXPECT_TRUE(StepJudge(program, 1).unproved(program, step, {}).is_easy);
  const Function numbered = parse_function(R"(@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
    for j in range(8):
        for i in range(8):
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                vj = T.axis.spatial(8, j)
                B[vi * 8 + vj] = A[vi * 8 + vj]
)");
  EXPECT_FALSE(StepJudge(numbered, 1).unproved(numbered, step, {}).is_easy);
  step.apply = refuse;
  EXPECT_FALSE(StepJudge(program, 1).unproved(program, step, {}).is_known);
}

}  // namespace
}  // namespace ardea::schedule
