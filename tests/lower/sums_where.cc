#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "programs.h"

/// Conditions on the points of a reduction: nothing runs in tiles where they are false, nothing is asked
/// where they are true.

namespace ardea::lower {

namespace {

/// S[i, j] (op)= (X[i, k] if CONDITION else OTHER), in tiles of 4 rows and 4 lanes.
std::string tiles(const std::string& update) {
  return R"(
@T.prim_func
def tiles(X: T.Buffer((16, 3), "float32"), S: T.Buffer((16, 16), "float32"), n: T.int64):
    for i_0, j_0 in T.grid(4, 4):
        for k in range(3):
            for i_1 in T.unroll(4):
                for j_1 in T.vectorized(4):
                    S[i_0 * 4 + i_1, j_0 * 4 + j_1] = )" +
         update + "\n";
}

std::string partitioned(const std::string& update) {
  return print(lower_until(function_of(tiles(update)), generic_machine(), "partition_loops"));
}

const std::string sum = "S[i_0 * 4 + i_1, j_0 * 4 + j_1]", value = "X[i_0 * 4 + i_1, k]",
                  causal = "j_0 * 4 + j_1 <= i_0 * 4 + i_1";

std::string chosen(const std::string& condition, const std::string& yes, const std::string& no) {
  return "T.if_then_else(" + condition + ", " + yes + ", " + no + ")";
}

TEST(SumsWhere, leave_tiles_out_and_ask_only_on_the_diagonal) {
  const std::string text = partitioned(sum + " + " + chosen(causal, value, "T.float32(-0.0)"));
  EXPECT_EQ(text.substr(text.find("    for i_0")), R"(    for i_0 in range(4):
        for j_0, k in T.grid(i_0, 3):
            for i_1 in T.unroll(4):
                for j_1 in T.vectorized(4):
                    S_1[i_0 * 64 + i_1 * 16 + j_0 * 4 + j_1] = S_1[i_0 * 64 + i_1 * 16 + j_0 * 4 + j_1] + X_1[i_0 * 12 + i_1 * 3 + k]
        for k in range(3):
            for i_1 in T.unroll(3):
                for j_1 in T.vectorized(4):
                    if j_1 <= i_1:
                        S_1[i_0 * 68 + i_1 * 16 + j_1] = S_1[i_0 * 68 + i_1 * 16 + j_1] + X_1[i_0 * 12 + i_1 * 3 + k]
            for j_1 in T.vectorized(4):
                S_1[i_0 * 68 + j_1 + 48] = S_1[i_0 * 68 + j_1 + 48] + X_1[i_0 * 12 + k + 9]
)");
}

/// Updates that a point with OTHER does not change are guards; the rest stay values.
TEST(SumsWhere, know_what_changes_nothing) {
  const auto is_guard = [](const std::string& update) {
    return partitioned(update).find("if_then_else") == std::string::npos;
  };
  EXPECT_TRUE(is_guard(sum + " + " + chosen(causal, value, "T.float32(-0.0)")));
  EXPECT_TRUE(is_guard(chosen(causal, value, "T.float32(-0.0)") + " + " + sum));
  EXPECT_TRUE(is_guard(sum + " - " + chosen(causal, value, "T.float32(0.0)")));
  EXPECT_TRUE(is_guard(sum + " * " + chosen(causal, value, "T.float32(1.0)")));
  EXPECT_TRUE(is_guard("T.max(" + sum + ", " + chosen(causal, value, "T.float32(\"-inf\")") + ")"));
  EXPECT_TRUE(is_guard("T.min(" + sum + ", " + chosen(causal, value, "T.float32(\"inf\")") + ")"));
  // x + 0 makes +0 of -0, 0 - x is not x, and of another element nothing is known.
  EXPECT_FALSE(is_guard(sum + " + " + chosen(causal, value, "T.float32(0.0)")));
  EXPECT_FALSE(is_guard(chosen(causal, value, "T.float32(0.0)") + " - " + sum));
  EXPECT_FALSE(is_guard("T.max(" + sum + ", " + chosen(causal, value, "T.float32(0.0)") + ")"));
  EXPECT_FALSE(is_guard("S[i_0 * 4 + i_1, 0] + " + chosen(causal, value, "T.float32(-0.0)")));
  // What is read decides in each point by itself.
  EXPECT_FALSE(is_guard(sum + " + " + chosen("X[j_0, 0] < T.float32(1)", value, "T.float32(-0.0)")));
}

/// The loop over k runs only in tiles where some point counts.
TEST(SumsWhere, are_asked_for_once_a_tile) {
  const auto asks = [](const std::string& condition, const std::string& wanted) {
    const std::string text = partitioned(sum + " + " + chosen(condition, value, "T.float32(-0.0)"));
    const std::size_t at = text.find("if " + wanted + ":\n");
    ASSERT_NE(at, std::string::npos) << condition << "\n" << text;
    EXPECT_EQ(text.find("for k", at), text.find("for", at)) << text;
  };
  asks("(i_0 + j_0) * 4 + i_1 - j_1 <= n", "n >= i_0 * 4 + j_0 * 4 - 3");
}

}  // namespace

}  // namespace ardea::lower
