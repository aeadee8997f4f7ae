#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/find.h"
#include "ardea/schedule/fuse.h"
#include "ardea/schedule/mark.h"
#include "ardea/schedule/reorder.h"
#include "ardea/schedule/schedule.h"
#include "ardea/schedule/split.h"
#include "tests/te/refused.h"

/// What each step writes, accepts and refuses.

namespace ardea::schedule {
namespace {

Schedule schedule_of(const std::string& text) { return Schedule(parse_function(text)); }

const std::string gemm = R"(
@T.prim_func
def main(A: T.Buffer((10, 7), "float32"), B: T.Buffer((7, 9), "float32"), C: T.Buffer((10, 9), "float32")):
    for i, j, k in T.grid(10, 9, 7):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0.0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";

const std::string symbolic = R"(
@T.prim_func
def main(x: T.handle, y: T.handle):
    n = T.int64()
    m = T.int64()
    X = T.match_buffer(x, (n, m), "float32")
    Y = T.match_buffer(y, (n, m), "float32")
    for i, j in T.grid(n, m):
        with T.block("Y"):
            vi, vj = T.axis.remap("SS", [i, j])
            Y[vi, vj] = X[vi, vj] * T.float32(2.0)
)";

/// Sums along the rows, each from the one to its left.
const std::string scan = R"(
@T.prim_func
def main(X: T.Buffer((6, 8), "float32"), Y: T.Buffer((6, 8), "float32")):
    for i, j in T.grid(6, 8):
        with T.block("Y"):
            vi = T.axis.spatial(6, i)
            vj = T.axis.scan(8, j)
            Y[vi, vj] = T.if_then_else(vj > 0, Y[vi, vj - 1], T.float32(0.0)) + X[vi, vj]
)";

std::string loops_and_head(const Schedule& s) {
  const std::string text = print(s.program());
  const std::size_t begin = text.find("    for "), end = text.find("T.reads");
  return text.substr(begin, text.rfind('\n', end) + 1 - begin);
}

TEST(Split, guards_what_the_factors_do_not_divide) {
  Schedule s = schedule_of(gemm);
  s.apply(Split{s.get_loops(s.get_block("C"))[0], {std::nullopt, 4}});
  EXPECT_EQ(loops_and_head(s), R"(    for i_0, i_1, j, k in T.grid(3, 4, 9, 7):
        with T.block("C"):
            vi = T.axis.spatial(10, i_0 * 4 + i_1)
            vj = T.axis.spatial(9, j)
            vk = T.axis.reduce(7, k)
            T.where(i_0 * 4 + i_1 < 10)
)");
}

TEST(Split, cuts_the_tail_into_its_own_loop) {
  Schedule s = schedule_of(gemm);
  const auto loops =
      s.loops(Split{.loop = s.get_loops(s.get_block("C"))[0], .factors = {std::nullopt, 4}, .tail = "cut"});
  ASSERT_EQ(loops.size(), 3u);
  const std::string text = print(s.program());
  EXPECT_NE(text.find("for i_0, i_1, j, k in T.grid(2, 4, 9, 7)"), std::string::npos) << text;
  EXPECT_NE(text.find("for i_rest, j, k in T.grid(2, 9, 7)"), std::string::npos) << text;
  EXPECT_NE(text.find("T.axis.spatial(10, i_rest + 8)"), std::string::npos) << text;
  EXPECT_EQ(text.find("T.where"), std::string::npos) << text;
}

TEST(Split, works_on_symbolic_extents) {
  Schedule s = schedule_of(symbolic);
  s.apply(Split{s.get_loops(s.get_block("Y"))[1], {std::nullopt, 16}});
  EXPECT_EQ(loops_and_head(s), R"(    for i, j_0, j_1 in T.grid(n, (m + 15) // 16, 16):
        with T.block("Y"):
            vi = T.axis.spatial(n, i)
            vj = T.axis.spatial(m, j_0 * 16 + j_1)
            T.where(j_0 * 16 + j_1 < m)
)");
}

TEST(Split, refuses_what_cannot_be) {
  Schedule s = schedule_of(gemm);
  const std::vector<LoopRef> loops = s.get_loops(s.get_block("C"));
  const auto& i = loops[0];
  EXPECT_REFUSED(
      s.apply(Split{i, {std::nullopt, 0}}),
      "split(loop=i, factors=[None, 0], preserve_unit_iters=True, disable_predication=False): factor 2 is 0, "
      "factors must be positive");
  EXPECT_REFUSED(
      s.apply(Split{i, {3, 3}}),
      "split(loop=i, factors=[3, 3], preserve_unit_iters=True, disable_predication=False): the product of "
      "the "
      "factors, 9, is less than the extent 10 of i; make one factor None: it becomes what is left");
  EXPECT_REFUSED(s.apply(Split{i, {std::nullopt, std::nullopt}}),
                 "split(loop=i, factors=[None, None], preserve_unit_iters=True, disable_predication=False): "
                 "factors 1 and 2 "
                 "are both None; one may be");
  EXPECT_REFUSED(s.apply(Split{.loop = i, .factors = {std::nullopt, 4}, .disable_predication = true}),
                 "split(loop=i, factors=[None, 4], preserve_unit_iters=True, disable_predication=True): it "
                 "is not proved that "
                 "4 divides the extent 10, and disable_predication allows no guard");
  s.apply(Unroll{loops[2]});
  EXPECT_REFUSED(s.apply(Split{loops[2], {7}}),
                 "split(loop=k, factors=[7], preserve_unit_iters=True, disable_predication=False): loop k is "
                 "unrolled; reshape "
                 "it first and say so of the result");
}

TEST(References, say_which_step_took_them) {
  Schedule s = schedule_of(gemm);
  const std::vector<LoopRef> loops = s.get_loops(s.get_block("C"));
  s.apply(Split{loops[0], {std::nullopt, 5}});
  EXPECT_REFUSED(
      s.apply(Unroll{loops[0]}),
      "unroll(loop=i): loop i is gone: step 3, split(loop=l1, factors=[None, 5], preserve_unit_iters=True, "
      "disable_predication=False), made i_0, i_1 of it");
  Schedule other = schedule_of(gemm);
  EXPECT_REFUSED(other.apply(Unroll{loops[0]}), "unroll(loop=i): loop i is not in the program main");
}

TEST(Find, names_blocks_that_are_there) {
  Schedule s = schedule_of(gemm);
  EXPECT_REFUSED(s.get_block("D"),
                 "get_block(name=\"D\", func_name=\"main\"): there is no block \"D\"; the blocks are C; did "
                 "you mean C?");
  EXPECT_REFUSED(s.apply(GetBlock{"C", "other"}),
                 "get_block(name=\"C\", func_name=\"other\"): the program's function is main, not other");
}

TEST(Fuse, makes_one_loop_of_neighbours) {
  Schedule s = schedule_of(symbolic);
  const auto loops = s.get_loops(s.get_block("Y"));
  EXPECT_REFUSED(
      s.apply(Fuse{{loops[1], loops[0]}}),
      "fuse(j, i, preserve_unit_iters=True): loop i stands outside loop j; name them outermost first");
  s.apply(Fuse{{loops[0], loops[1]}});
  EXPECT_EQ(loops_and_head(s), R"(    for i_j_fused in range(n * m):
        with T.block("Y"):
            vi = T.axis.spatial(n, i_j_fused // m)
            vj = T.axis.spatial(m, i_j_fused % m)
)");
}

TEST(Reorder, moves_reductions_and_keeps_recurrences) {
  Schedule s = schedule_of(gemm);
  const auto loops = s.get_loops(s.get_block("C"));
  s.apply(Reorder{{loops[2], loops[0]}});
  EXPECT_NE(print(s.program()).find("for k, j, i in T.grid(7, 9, 10)"), std::string::npos);

  Schedule rows = schedule_of(scan);
  const auto steps = rows.get_loops(rows.get_block("Y"));
  rows.apply(Reorder{{steps[1], steps[0]}});  // each row keeps its order
  EXPECT_REFUSED(rows.apply(Parallel{steps[1]}),
                 "parallel(loop=j): iterations of loop j touch the same memory: Y[0:6, j - 1] and Y[0:6, j]");
  rows.apply(Parallel{steps[0]});
}

TEST(Reorder, refuses_iterations_that_would_change_places) {
  // Each element from the upper right one: the columns must not come first.
  Schedule s = schedule_of(R"(
@T.prim_func
def main(Y: T.Buffer((6, 8), "float32")):
    for i, j in T.grid(5, 7):
        with T.block("Y"):
            vi = T.axis.scan(5, i)
            vj = T.axis.scan(7, j)
            Y[vi + 1, vj] = Y[vi, vj + 1] * T.float32(0.5)
)");
  const auto loops = s.get_loops(s.get_block("Y"));
  try {
    s.apply(Reorder{{loops[1], loops[0]}});
    ADD_FAILURE() << print(s.program());
  } catch (const Error& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("reorder(j, i): in the order j, i, iterations that touch"),
              std::string::npos)
        << refusal.what();
  }
}

TEST(Mark, refuses_concurrent_reductions) {
  Schedule s = schedule_of(gemm);
  const auto loops = s.get_loops(s.get_block("C"));
  for (const auto& step : {print_call({&find_primitive("vectorize"), arguments_of(Vectorize{loops[2]})}),
                           print_call({&find_primitive("parallel"), arguments_of(Parallel{loops[2]})})})
    EXPECT_REFUSED(step.starts_with("v") ? s.apply(Vectorize{loops[2]}) : s.apply(Parallel{loops[2]}),
                   step + ": iterations of loop k touch the same memory: C[i, j] and C[i, j]");
  s.apply(Vectorize{loops[1]});
  s.apply(Parallel{loops[0]});
  EXPECT_REFUSED(s.apply(Parallel{loops[0]}), "parallel(loop=i): loop i is parallel already");
}

TEST(Mark, a_loop_of_one_iteration_carries_nothing) {
  Schedule s = schedule_of(gemm);
  const auto loops = s.get_loops(s.get_block("C"));
  const auto tiles = s.loops(Split{loops[0], {std::nullopt, 16}});
  s.apply(Reorder{{tiles[0], loops[2], tiles[1]}});
  s.apply(Parallel{tiles[0]});
  s.apply(Vectorize{tiles[1]});
}

TEST(Trace, is_read_back_from_its_script_and_from_json) {
  Schedule s = schedule_of(gemm);
  const auto loops = s.get_loops(s.get_block("C"));
  const auto tiles = s.loops(Split{.loop = loops[0], .factors = {std::nullopt, 4}, .tail = "cut"});
  s.apply(AnnotateLoop{tiles[0], "pragma_auto_unroll_max_step", 16});
  s.apply(Unroll{tiles[1]});
  for (const std::string& text : {print(s.trace()), to_json(s.trace()).dump()}) {
    Schedule again = schedule_of(gemm);
    again.replay(parse_steps(text, "trace"));
    EXPECT_EQ(print(again.program()), print(s.program())) << text;
    EXPECT_EQ(print(again.trace()), print(s.trace()));
  }
}

TEST(Trace, takes_arguments_by_place_and_the_rest_of_the_results) {
  Schedule s = schedule_of(gemm);
  s.replay(parse_steps("b = sch.get_block(\"C\")\n*rest, k = sch.get_loops(b)\nsch.unroll(k)\n", "script"));
  EXPECT_NE(print(s.program()).find("for k in T.unroll(7)"), std::string::npos) << print(s.program());
}

TEST(Trace, names_the_fault_of_a_script) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"b = sch.get_blok(\"C\")\n",
       "script:1:9: there is no primitive \"get_blok\"; did you mean get_block?; `ardea primitives` lists "
       "them"},
      {"sch.unroll(k)\n", "script:1:12: k is not defined before"},
      {"sch.unroll()\n", "script:1: unroll needs loop, a loop"},
      {"b = sch.get_block(name=\"C\", nam=\"D\")\n",
       "script:1: get_block has no argument nam, only name, func_name; did you mean name?"},
      {"b = sch.get_block(\"C\"\n", "script:2:1: found the end of the line, expected ')'"},
      {"[{\"primitive\": \"unroll\"}]",
       "script: step 1: it needs \"primitive\", \"arguments\" and \"results\""},
      {"[{", "script: it is no list of steps in JSON"},
  };
  for (const auto& [text, sentence] : faults) EXPECT_REFUSED(parse_steps(text, "script"), sentence);
  Schedule s = schedule_of(gemm);
  EXPECT_REFUSED(s.replay(parse_steps("b = sch.get_block(\"C\")\ni, j = sch.get_loops(b)\n", "script")),
                 "script:2: get_loops gives 3 results, and 2 names stand for them");
  EXPECT_REFUSED(s.replay(parse_steps("b = sch.get_block(\"C\")\nsch.unroll(b)\n", "script")),
                 "script:2: unroll: loop must be a loop");
  EXPECT_TRUE(s.trace().instructions.empty());
}

}  // namespace
}  // namespace ardea::schedule
