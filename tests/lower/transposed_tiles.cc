#include <gtest/gtest.h>

#include <fmt/format.h>

#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "programs.h"
#include "rules.h"

/// Vectors that are columns of a matrix side by side are loaded by rows and transposed in registers.

namespace ardea::lower {
namespace {

std::string tiled(const std::string& body, bool no_alias = true) {
  return body_after("transpose_tiles", body, no_alias);
}

/// Lanes i of four, 10 elements apart, from X[first] on.
std::string column(const std::string& buffer, int first) {
  return fmt::format("{}[{}:{}:10]", buffer, first, first + 40);
}

std::string four_columns(const std::string& to, const std::string& from, int first = 0) {
  std::string text;
  for (int c = 0; c < 4; ++c)
    text += fmt::format("{}[{}:{}] = {}\n", to, 4 * c, 4 * c + 4, column(from, first + c));
  return text;
}

bool loads_rows(const std::string& text) { return text.find("T.Shuffle") != std::string::npos; }

TEST(TransposedTiles, are_loaded_by_rows) {
  const std::string text = tiled(four_columns("Y", "X"));
  EXPECT_EQ(text.find(":10]"), std::string::npos) << "nothing is gathered\n" << text;
  EXPECT_NE(text.find("X[30:34]"), std::string::npos) << text;
  EXPECT_LT(text.rfind("T.Shuffle"), text.find("Y[")) << "all is loaded before the first is stored\n" << text;
}

TEST(TransposedTiles, may_be_in_any_order_and_part_of_other_values) {
  const std::string text = tiled(
      "Y[0:4] = X[2:42:10] + X[2:42:10]\nY[4:8] = Z[0:4] * X[0:40:10]\n"
      "Y[8:12] = X[3:43:10]\nY[12:16] = T.max(X[1:41:10], X[0:40:10])\n");
  EXPECT_TRUE(loads_rows(text)) << text;
  EXPECT_EQ(text.find(":10]"), std::string::npos) << text;
}

/// Columns that are left over end a square that begins within the one before.
TEST(TransposedTiles, take_in_columns_that_are_left_over) {
  const std::string text = tiled(four_columns("Y", "X") + "Y[16:20] = " + column("X", 4) +
                                 "\nY[20:24] = " + column("X", 5) + "\n");
  EXPECT_EQ(text.find(":10]"), std::string::npos) << "nothing is gathered\n" << text;
  EXPECT_NE(text.find("X[32:36]"), std::string::npos) << text;
  EXPECT_EQ(text.find("X[34:38]"), std::string::npos) << "nothing is read beside them\n" << text;
}

TEST(TransposedTiles, are_whole) {
  const std::string three = four_columns("Y", "X");
  EXPECT_FALSE(loads_rows(tiled(three.substr(0, three.rfind("Y["))))) << "three columns of four lanes";
  EXPECT_FALSE(loads_rows(
      tiled("Y[0:4] = X[0:40:10]\nY[4:8] = X[1:41:10]\nY[8:12] = X[2:42:10]\nY[12:16] = X[4:44:10]\n")))
      << "one is missing between them";
  EXPECT_FALSE(loads_rows(
      tiled("Y[0:4] = X[0:40:10]\nY[4:8] = X[1:41:10]\nY[8:12] = X[2:42:10]\nY[12:16] = X[3:31:7]\n")))
      << "one of other rows";
}

TEST(TransposedTiles, are_of_memory_that_the_stores_leave_alone) {
  EXPECT_FALSE(loads_rows(tiled(four_columns("X", "X", 8))));
  EXPECT_FALSE(loads_rows(tiled(four_columns("Y", "X"), /*no_alias=*/false))) << "Y may be X";
  EXPECT_FALSE(loads_rows(tiled(four_columns("Y", "X") + "X[0:4] = Z[0:4]\n")));
}

TEST(TransposedTiles, are_of_stores_that_follow_each_other) {
  std::string text = four_columns("Y", "X");
  text.insert(text.find("Y[8"), "for i in range(3):\n    X[i] = Z[i]\n");
  EXPECT_FALSE(loads_rows(tiled(text)));
}

TEST(TransposedTiles, are_of_what_is_read_for_certain) {
  std::string text;
  for (int c = 0; c < 4; ++c)
    text +=
        fmt::format("Y[{}:{}] = T.if_then_else(K[0] > 2, {}, Z[0:4])\n", 4 * c, 4 * c + 4, column("X", c));
  EXPECT_FALSE(loads_rows(tiled(text)));
}

/// Rows that lie a few elements apart overlap: backends read these as they lie.
TEST(TransposedTiles, are_of_rows_that_lie_apart) {
  std::string text;
  for (int c = 0; c < 4; ++c) text += fmt::format("Y[{}:{}] = X[{}:{}:3]\n", 4 * c, 4 * c + 4, c, c + 12);
  EXPECT_FALSE(loads_rows(tiled(text)));
}

/// What is not computed with is as wide as it lies in memory.
TEST(MovedLanes, fill_their_registers) {
  const auto lanes = [](const std::string& value) {
    const Function f = function_of(fmt::format(R"(
@T.prim_func
def main(X: T.Buffer((64,), "float16"), Y: T.Buffer((64,), "float16")):
    for i in T.vectorized(64):
        Y[i] = {}
)",
                                               value));
    return print(lower_until(f, target::find("neoverse-v1"), "vectorize"));
  };
  EXPECT_NE(lanes("X[i]").find("i_round * 8"), std::string::npos) << lanes("X[i]");
  EXPECT_NE(lanes("X[i] + X[i]").find("i_round * 4"), std::string::npos) << lanes("X[i] + X[i]");
}

/// All sizes of rests on all widths of vectors; the stride of rows is known to the call only, or here.
TEST(TransposedTiles, hold_what_the_columns_held) {
  for (const char* type : {"float32", "float64", "int8", "bfloat16", "float8_e4m3"})
    for (const char* target : {"sapphirerapids", "neoverse-v1", "avx2", "generic-x86_64"})
      for (const auto& [m, n] : {std::pair{37, 41}, {16, 64}, {1, 19}, {19, 1}}) {
        const std::string text = fmt::format(R"(
@T.prim_func
def main(x: T.handle, y: T.handle):
    T.func_attr({{"tir.noalias": T.bool(True)}})
    m = T.int64()
    X = T.match_buffer(x, (m, {n}), "{type}")
    Y = T.match_buffer(y, ({n}, m), "{type}")
    for j_0, i_0 in T.grid(({n} + 15) // 16, (m + 15) // 16):
        for j_1 in T.unroll(16):
            for i_1 in T.vectorized(16):
                with T.block("Y"):
                    i = T.axis.spatial(m, i_0 * 16 + i_1)
                    j = T.axis.spatial({n}, j_0 * 16 + j_1)
                    T.where(i_0 * 16 + i_1 < m and j_0 * 16 + j_1 < {n})
                    Y[j, i] = X[i, j]
)",
                                             fmt::arg("n", n), fmt::arg("type", type));
        const Program program{"transposed", text, {{"m", m}}};
        const Function f = function_of(program),
                       lowered = lower_until(f, target::find(target), "legalise_types");
        ASSERT_EQ(difference_made(f, lowered, program, 7), "") << type << " on " << target << "\n"
                                                               << print(lowered);
        const bool has_tiles = m == 16 && std::string(type) == "float32";
        EXPECT_TRUE(!has_tiles || loads_rows(print(lowered))) << target << print(lowered);
      }
}

}  // namespace
}  // namespace ardea::lower
