#include <gtest/gtest.h>

#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "programs.h"

/// Lanes that lie in a few rows, as those of a transposed tile do, are loaded by rows.

namespace ardea::lower {
namespace {

/// Groups of four rows, side by side.
const char* const interleaved = R"(
@T.prim_func
def main(X: T.Buffer((8, 48), "int8"), Y: T.Buffer((2, 3, 64), "int8")):
    for k, j in T.grid(2, 3):
        for lane in T.vectorized(64):
            Y[k, j, lane] = X[k * 4 + lane % 4, j * 16 + lane // 4]
)";

TEST(TransposedLanes, are_loaded_by_rows) {
  const Function f = lower_until(parse_function(interleaved), target::find("sapphirerapids"), "vectorize");
  const std::string text = print(f);
  EXPECT_NE(text.find("T.Shuffle([X_1[k * 192 + j * 16:k * 192 + j * 16 + 16], "
                      "X_1[k * 192 + j * 16 + 48:k * 192 + j * 16 + 64], "),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("T.Broadcast"), std::string::npos) << "nothing is gathered\n" << text;
}

TEST(TransposedLanes, hold_what_they_held) {
  for (const char* target : {"sapphirerapids", "neoverse-v1", "avx2"}) {
    const Function f = lower_until(parse_function(interleaved), target::find(target), "vectorize");
    const auto x = runtime::Array::zeros({8, 48}, int8), y = runtime::Array::zeros({2, 3, 64}, int8);
    for (std::int64_t i = 0; i < x.element_count(); ++i) x.set_int(i, i % 127);
    interp::run(f, {x, y});
    for (std::int64_t i = 0; i < y.element_count(); ++i) {
      const std::int64_t k = i / 192, j = i / 64 % 3, lane = i % 64;
      ASSERT_EQ(y.get_int(i), ((k * 4 + lane % 4) * 48 + j * 16 + lane / 4) % 127) << print(f);
    }
  }
}

/// Seven elements, eight others, and the last of them again.
TEST(TransposedLanes, of_rows_of_several_lengths_are_what_they_are) {
  const Function program = parse_function(R"(
@T.prim_func
def main(X: T.Buffer((25,), "int32"), Y: T.Buffer((16,), "int32")):
    for lane in T.vectorized(16):
        Y[lane] = X[T.min(lane // 7, 1) * 10 + T.min(lane, 14)]
)");
  for (const char* target : {"sapphirerapids", "neoverse-v1", "avx2"}) {
    const Function f = lower_until(program, target::find(target), "vectorize");
    const auto x = runtime::Array::zeros({25}, int32), y = runtime::Array::zeros({16}, int32);
    for (std::int64_t i = 0; i < 25; ++i) x.set_int(i, i);
    interp::run(f, {x, y});
    for (std::int64_t lane = 0; lane < 16; ++lane)
      ASSERT_EQ(y.get_int(lane), std::min<std::int64_t>(lane / 7, 1) * 10 + std::min<std::int64_t>(lane, 14))
          << print(f);
  }
}

/// Tiles of 16, of which the last pair has one: the guard counts tiles, not elements.
TEST(GuardedTiles, have_memory_of_their_own_in_each_iteration) {
  const Function f = lower_until(parse_function(R"(
@T.prim_func
def main(X: T.Buffer((80,), "int32"), Y: T.Buffer((80,), "int32")):
    P = T.alloc_buffer((80,), "int32")
    for i in range(3):
        for j in range(2):
            with T.block("P"):
                v = T.axis.spatial(5, i * 2 + j)
                T.where(i * 2 + j < 5)
                T.reads(X[v * 16:v * 16 + 16])
                T.writes(P[v * 16:v * 16 + 16])
                for l in range(16):
                    P[v * 16 + l] = X[v * 16 + l]
        for j in range(32):
            with T.block("Y"):
                v = T.axis.spatial(80, i * 32 + j)
                T.where(i * 32 + j < 80)
                T.reads(P[v])
                T.writes(Y[v])
                Y[v] = P[v]
)"),
                                 target::find("sapphirerapids"), "compact_allocations");
  EXPECT_NE(print(f).find("        P = T.allocate([32], \"int32\""), std::string::npos) << print(f);
}

}  // namespace
}  // namespace ardea::lower
