#include <gtest/gtest.h>

#include <fmt/core.h>

#include "ardea/ir/traverse.h"
#include "ardea/lower/pipeline.h"
#include "programs.h"

/// Products blocked for caches around register tiles, with sizes that nothing divides.

namespace ardea::lower {

namespace {

/// A product of 22×13 by 13×c, in tiles of 4×8 sums, in blocks of 2×2 tiles and 5 steps. The first block of
/// steps stores its sums, the others add theirs.
std::string blocked_product(int c) {
  const int tiles = (c + 7) / 8, blocks = (tiles + 1) / 2;
  return fmt::format(R"(
@T.prim_func
def main(A: T.Buffer((22, 13), "float32"), B: T.Buffer((13, {0}), "float32"), C: T.Buffer((22, {0}), "float32")):
    A_packed = T.alloc_buffer((6, 4, 13))
    C_register = T.alloc_buffer((22, {0}), scope="register")
    for n_0_0, k_0, m_0_0 in T.grid({2}, 3, 3):
        for ax0, ax1, ax2 in T.grid(2, 4, 5):
            with T.block("A_pack"):
                v0 = T.axis.spatial(6, m_0_0 * 2 + ax0)
                v1 = T.axis.spatial(4, ax1)
                v2 = T.axis.spatial(13, k_0 * 5 + ax2)
                T.where(k_0 * 5 + ax2 < 13)
                A_packed[v0, v1, v2] = T.if_then_else(v0 * 4 + v1 < 22, A[v0 * 4 + v1, v2], T.float32(0.0))
        for n_0_1, m_0_1 in T.grid(2, 2):
            for ax0 in T.unroll(4):
                for ax1 in T.vectorized(8):
                    with T.block("C_zero"):
                        v0 = T.axis.spatial(22, m_0_0 * 8 + m_0_1 * 4 + ax0)
                        v1 = T.axis.spatial({0}, n_0_0 * 16 + n_0_1 * 8 + ax1)
                        T.where(m_0_0 * 8 + m_0_1 * 4 + ax0 < 22 and n_0_0 * 16 + n_0_1 * 8 + ax1 < {0})
                        C_register[v0, v1] = T.float32(0.0)
            for k_1 in range(5):
                for m_1 in T.unroll(4):
                    for n_1 in T.vectorized(8):
                        with T.block("C"):
                            v_m = T.axis.spatial(22, m_0_0 * 8 + m_0_1 * 4 + m_1)
                            v_n = T.axis.spatial({0}, n_0_0 * 16 + n_0_1 * 8 + n_1)
                            v_k = T.axis.reduce(13, k_0 * 5 + k_1)
                            T.where(k_0 * 5 + k_1 < 13 and m_0_0 * 8 + m_0_1 * 4 + m_1 < 22 and n_0_0 * 16 + n_0_1 * 8 + n_1 < {0} and n_0_0 * 2 + n_0_1 < {1})
                            C_register[v_m, v_n] = C_register[v_m, v_n] + A_packed[v_m // 4, v_m % 4, v_k] * B[v_k, v_n]
            for ax0 in T.unroll(4):
                for ax1 in T.vectorized(8):
                    with T.block("C_store"):
                        v0 = T.axis.spatial(22, m_0_0 * 8 + m_0_1 * 4 + ax0)
                        v1 = T.axis.spatial({0}, n_0_0 * 16 + n_0_1 * 8 + ax1)
                        T.where(m_0_0 * 8 + m_0_1 * 4 + ax0 < 22 and n_0_0 * 16 + n_0_1 * 8 + ax1 < {0} and k_0 == 0)
                        C[v0, v1] = C_register[v0, v1]
            for ax0 in T.unroll(4):
                for ax1 in T.vectorized(8):
                    with T.block("C_add"):
                        v0 = T.axis.spatial(22, m_0_0 * 8 + m_0_1 * 4 + ax0)
                        v1 = T.axis.spatial({0}, n_0_0 * 16 + n_0_1 * 8 + ax1)
                        T.where(m_0_0 * 8 + m_0_1 * 4 + ax0 < 22 and n_0_0 * 16 + n_0_1 * 8 + ax1 < {0} and k_0 != 0)
                        C[v0, v1] = C[v0, v1] + C_register[v0, v1]
)",
                     c, tiles, blocks);
}

int loops_named(const Function& f, const std::string& name) {
  int count = 0;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    count += loop != nullptr && loop->var.name() == name ? 1 : 0;
  });
  return count;
}

class BlockedTiles : public testing::TestWithParam<int> {};

/// Blocks are shortened, not copied: main, right, bottom and corner tiles stand there once each.
TEST_P(BlockedTiles, have_one_kernel_of_each_kind) {
  const Function f = lower_until(function_of(blocked_product(GetParam())), target::find("skylake-avx512"),
                                 "partition_loops");
  EXPECT_LE(loops_named(f, "k_1"), GetParam() % 8 == 0 ? 2 : 4);
  EXPECT_GE(loops_named(f, "k_1"), GetParam() % 8 == 0 ? 2 : 4);
}

void expect_same_after_every_pass(const std::string& text) {
  const Program program{"blocked", text, {}};
  const Function f = function_of(program);
  const auto before = arguments_of(f, program, 3);
  const auto expected = copies(before);
  interp::run(f, expected);
  for (const char* pass : {"compact_allocations", "partition_loops", "vectorize", "unroll_loops",
                           "promote_registers", "lower_intrinsics"}) {
    const auto got = copies(before);
    interp::run(lower_until(f, target::find("skylake-avx512"), pass), got);
    EXPECT_EQ(difference(expected, got, 4), "") << pass;
  }
}

TEST_P(BlockedTiles, compute_the_same_after_every_pass) {
  expect_same_after_every_pass(blocked_product(GetParam()));
}

/// Loops over narrow integers are not cut: each tile asks how many rows it has. All of a tile's is the case
/// of any number from there on, in which nothing more is known.
TEST(UncutTiles, compute_the_same_after_every_pass) {
  expect_same_after_every_pass(R"(
@T.prim_func
def main(X: T.Buffer((8, 4, 8), "float32"), Y: T.Buffer((30, 6), "float32")):
    R = T.alloc_buffer((32, 8), scope="register")
    for s in range(T.int32(2)):
        for t in range(T.int32(4)):
            for ax0 in T.unroll(4):
                for ax1 in T.vectorized(8):
                    with T.block("R"):
                        v0 = T.axis.spatial(32, T.Cast("int64", s) * 16 + T.Cast("int64", t) * 4 + ax0)
                        v1 = T.axis.spatial(8, ax1)
                        T.where(T.Cast("int64", s) * 16 + T.Cast("int64", t) * 4 + ax0 < 30 and ax1 < 6)
                        R[v0, v1] = X[v0 // 4, v0 % 4, v1] * T.float32(2.0)
            for ax0 in T.unroll(4):
                for ax1 in T.vectorized(8):
                    with T.block("Y"):
                        v0 = T.axis.spatial(30, T.Cast("int64", s) * 16 + T.Cast("int64", t) * 4 + ax0)
                        v1 = T.axis.spatial(6, ax1)
                        T.where(T.Cast("int64", s) * 16 + T.Cast("int64", t) * 4 + ax0 < 30 and ax1 < 6)
                        Y[v0, v1] = R[v0, v1]
)");
}

INSTANTIATE_TEST_SUITE_P(Columns, BlockedTiles, testing::Values(16, 21, 40, 45));

}  // namespace

}  // namespace ardea::lower
