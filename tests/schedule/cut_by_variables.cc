#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstring>

#include "ardea/arith/load.h"
#include "ardea/arith/verify.h"
#include "ardea/interp/interpreter.h"
#include "ardea/ir/print.h"
#include "ardea/measure/inputs.h"
#include "ardea/schedule/posting.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/schedule.h"

/// split(tail="cut") by numbers that are scalar parameters or symbolic extents, and extents of loops, too.

namespace ardea::schedule {
namespace {

/// m is a scalar and an extent, t an assumed factor, u a scalar of which nothing is known.
const char* const rows_and_sums = R"(@T.prim_func
def main(a: T.handle, b: T.handle, c: T.handle, d: T.handle, m: T.int64, t: T.int64, u: T.int64):
    T.assume(t >= 1)
    n = T.int64()
    A = T.match_buffer(a, (n, m))
    B = T.match_buffer(b, (n, m))
    C = T.match_buffer(c, (n,))
    D = T.match_buffer(d, (u + 8,))
    for i, j in T.grid(n, m):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2.0)
    for i, j in T.grid(n, m):
        with T.block("C"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + B[vi, vj]
    for i in range(8):
        with T.block("D"):
            vi = T.axis.remap("S", [i])
            D[vi] = T.float32(3)
)";

struct Names {
  Function program = arith::load_program(rows_and_sums, "program.tir").functions[0];
  Var m = program.parameters[4].var, t = program.parameters[5].var, u = program.parameters[6].var;
  Var n = Var(program.parameters[0].buffer->shape[0]);
};

/// Whether both give the same B and C.
bool agree(const Function& f, const Function& g, std::int64_t n, std::int64_t m, std::int64_t t) {
  const auto of_f =
      measure::make_arguments(f, {.seed = 1, .sizes = {{"n", n}, {"m", m}, {"t", t}, {"u", 2}}});
  const auto of_g = measure::copy_arguments(of_f);
  interp::run(f, of_f);
  interp::run(g, of_g);
  for (const std::size_t i : {1U, 2U}) {
    const auto &x = std::get<runtime::Array>(of_f[i]), &y = std::get<runtime::Array>(of_g[i]);
    if (std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.element_count()) * 4) != 0) return false;
  }
  return true;
}

TEST(CutByVariables, takes_whole_rounds_of_what_is_an_extent_itself) {
  const Names names;
  for (const bool is_template : {false, true})
    for (const char* block : {"B", "C"})
      for (const std::size_t loop : {0U, 1U})
        for (const Expr& round :
             {Expr(names.m), Expr(names.n), Expr(names.t), names.t * 4, names.m * names.t}) {
          SCOPED_TRACE(fmt::format("{} loop {} by {}, template {}", block, loop, print(round), is_template));
          Schedule s = is_template ? Schedule(names.program,
                                              std::make_unique<Posting>(std::vector<Var>{names.m, names.t}))
                                   : Schedule(names.program);
          const std::vector<LoopRef> loops = s.get_loops(s.get_block(block));
          ASSERT_NO_THROW(s.apply(
              Split{.loop = loops[loop], .factors = {std::nullopt, NumberRef::fresh(round)}, .tail = "cut"}));
          EXPECT_NO_THROW(arith::require_valid(s.program(), "cut"));
          for (const auto& [n, m, t] : {std::tuple{1, 1, 1}, {5, 3, 2}, {3, 5, 4}, {7, 7, 3}, {8, 4, 9}})
            EXPECT_TRUE(agree(names.program, s.program(), n, m, t))
                << fmt::format("n = {}, m = {}, t = {}\n{}", n, m, t, print(s.program()));
        }
}

/// Tiles by variables with guards for their tails, in one loop: it may run in parallel, and each tile be
/// consumed where it is made.
TEST(FusedByVariables, tiles_run_in_parallel) {
  const Names names;
  for (const bool is_template : {false, true})
    for (const Expr& width : {Expr(names.t), Expr(names.m), names.t * 4}) {
      SCOPED_TRACE(fmt::format("by {}, template {}", print(width), is_template));
      Schedule s =
          is_template ? Schedule(names.program, std::make_unique<Posting>(std::vector<Var>{names.m, names.t}))
                      : Schedule(names.program);
      const BlockRef block = s.get_block("B");
      const std::vector<LoopRef> loops = s.get_loops(block);
      const auto tiles = [&](const LoopRef& loop, const Expr& size) {
        const auto parts = s.apply(Split{.loop = loop, .factors = {std::nullopt, NumberRef::fresh(size)}});
        return std::pair(std::get<LoopRef>(parts[0]), std::get<LoopRef>(parts[1]));
      };
      const auto [i0, i1] = tiles(loops[0], names.t);
      const auto [j0, j1] = tiles(loops[1], width);
      s.apply(Reorder{{i0, j0, i1, j1}});
      std::vector<Reference> fused;
      ASSERT_NO_THROW(fused = s.apply(Fuse{{i0, j0}}));
      EXPECT_NO_THROW(s.apply(Parallel{std::get<LoopRef>(fused[0])}));
      EXPECT_NO_THROW(arith::require_valid(s.program(), "fused"));
      for (const auto& [n, m, t] : {std::tuple{1, 1, 1}, {5, 3, 2}, {3, 5, 4}, {8, 4, 9}})
        EXPECT_TRUE(agree(names.program, s.program(), n, m, t)) << print(s.program());
    }
}

// u may be 0: it is no extent, only a part of one.
TEST(CutByVariables, refuses_a_scalar_that_is_not_known_to_be_positive) {
  const Names names;
  Schedule s(names.program);
  const LoopRef loop = s.get_loops(s.get_block("D"))[0];
  try {
    s.apply(Split{.loop = loop, .factors = {std::nullopt, NumberRef::fresh(names.u)}, .tail = "cut"});
    FAIL();
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.code(), "factor_not_positive");
  }
}

}  // namespace
}  // namespace ardea::schedule
