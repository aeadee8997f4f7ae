#include <fmt/core.h>
#include <gtest/gtest.h>

#include "ardea/ir/print.h"
#include "ardea/lower/gpu/thread_reductions.h"
#include "ardea/lower/pipeline.h"
#include "programs.h"
#include "tests/support/sampled.h"

/// Reductions over threads: in warps, over several of them, in parts of one, by as many threads as make no
/// whole ones; integers, so that every order of combining gives the same bits.

namespace ardea::lower {

namespace {

/// Sums and extremes of 70 columns by x threads a row, y rows a block.
std::string program_of(int x, int y, const std::string& update, const std::string& start) {
  return fmt::format(R"(
@T.prim_func
def rows(X: T.Buffer((7, 70), "int32"), Y: T.Buffer((7,), "int32")):
    for b in T.thread_binding({2}, thread="blockIdx.x"):
        for y in T.thread_binding({1}, thread="threadIdx.y"):
            for k_0 in range({3}):
                for k_1 in T.thread_binding({0}, thread="threadIdx.x"):
                    with T.block("Y"):
                        vi = T.axis.spatial(7, b * {1} + y)
                        vk = T.axis.reduce(70, k_0 * {0} + k_1)
                        T.where(b * {1} + y < 7 and k_0 * {0} + k_1 < 70)
                        with T.init():
                            Y[vi] = {5}
                        Y[vi] = {4}
)",
                     x, y, (6 + y) / y, (69 + x) / x, update, start);
}

void check(const std::string& text, bool shuffles) {
  const Program program{"rows", text};
  const Function original = function_of(program);
  const std::vector<interp::Argument> given = arguments_of(original, program, 11);
  std::vector<interp::Argument> wanted = copies(given);
  interp::run(original, wanted);
  const target::Target target = target::find("h200");
  Function f = original;
  for (const Pass& pass : pipeline(target)) {
    f = pass.run(f, target);
    if (pass.name != "spread_reductions" && pass.name != "unify_thread_bindings" &&
        pass.name != "combine_by_shuffles" && pass.name != pipeline(target).back().name)
      continue;
    std::vector<interp::Argument> got = copies(given);
    ASSERT_NO_THROW(interp::run(f, got, {.seed = 5})) << pass.name << "\n" << print(f);
    ASSERT_EQ(difference(wanted, got, 0), "") << pass.name << "\n" << print(f);
  }
  EXPECT_EQ(holds_shuffle(f.body), shuffles) << print(f);
}

TEST(ThreadReductions, are_right_for_every_number_of_threads) {
  const std::pair<const char*, const char*> operations[] = {
      {"Y[vi] + X[vi, vk]", "0"},
      {"T.max(X[vi, vk], Y[vi])", "T.int32(-2147483648)"},
      {"Y[vi] ^ X[vi, vk]", "0"},
  };
  int next = 0;
  for (const int x : {2, 3, 8, 20, 31, 32, 33, 64, 100, 128})
    for (const int y : {1, 3}) {
      const auto& [update, start] = operations[next % 3];
      if (!test::takes_case(next++, 5)) continue;
      SCOPED_TRACE(fmt::format("{} x {} threads: {}", x, y, update));
      // Warps that hold parts of several rows, which are no power of two, leave it to one thread a row.
      check(program_of(x, y, update, start), y == 1 || x % 32 == 0 || x == 2 || x == 8);
    }
}

TEST(ThreadReductions, along_all_axes_are_of_the_whole_block) {
  check(R"(
@T.prim_func
def all(X: T.Buffer((3, 5, 40), "int32"), Y: T.Buffer((3,), "int32")):
    for b in T.thread_binding(3, thread="blockIdx.x"):
        for y in T.thread_binding(5, thread="threadIdx.y"):
            for x in T.thread_binding(40, thread="threadIdx.x"):
                with T.block("Y"):
                    vb, vy, vx = T.axis.remap("SRR", [b, y, x])
                    with T.init():
                        Y[vb] = 3
                    Y[vb] = Y[vb] + X[vb, vy, vx]
)",
        true);
}

TEST(ThreadReductions, of_several_results_each_have_parts) {
  check(R"(
@T.prim_func
def columns(X: T.Buffer((2, 32, 5), "int32"), Y: T.Buffer((2, 5), "int32"), Z: T.Buffer((2, 5), "int32")):
    S = T.alloc_buffer((2, 5), "int32", scope="shared")
    for b in T.thread_binding(2, thread="blockIdx.x"):
        for x in T.thread_binding(32, thread="threadIdx.x"):
            for j in range(5):
                with T.block("S"):
                    vb, vj, vx = T.axis.remap("SSR", [b, j, x])
                    with T.init():
                        S[vb, vj] = 0
                    S[vb, vj] = S[vb, vj] + X[vb, vx, vj]
        for x in T.thread_binding(5, thread="threadIdx.x"):
            with T.block("Y"):
                vb, vx = T.axis.remap("SS", [b, x])
                Y[vb, vx] = S[vb, 4 - vx]
        for x in T.thread_binding(40, thread="threadIdx.x"):
            with T.block("Z"):
                vb = T.axis.spatial(2, b)
                vx = T.axis.spatial(5, x)
                T.where(x < 5)
                Z[vb, vx] = S[vb, vx] * 2
)",
        true);
}

}  // namespace

}  // namespace ardea::lower
