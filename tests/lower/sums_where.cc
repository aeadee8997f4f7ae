#include <gtest/gtest.h>

#include <random>

#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/pipeline.h"
#include "programs.h"

/// Conditions on the points of a reduction: nothing runs in tiles where they are false, nothing is asked
/// where they are true.

namespace ardea::lower {

namespace {

/// S[i, j] (op)= (X[i, k] if CONDITION else OTHER), in tiles of 4 rows and 4 lanes.
std::string tiles_with(const std::string& update) {
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

std::string tiles_partitioned_with(const std::string& update) {
  return print(lower_until(function_of(tiles_with(update)), generic_machine(), "partition_loops"));
}

const std::string sum = "S[i_0 * 4 + i_1, j_0 * 4 + j_1]", value = "X[i_0 * 4 + i_1, k]",
                  causal = "j_0 * 4 + j_1 <= i_0 * 4 + i_1";

std::string chosen(const std::string& condition, const std::string& yes, const std::string& no) {
  return "T.if_then_else(" + condition + ", " + yes + ", " + no + ")";
}

TEST(SumsWhere, leave_tiles_out_and_ask_only_on_the_diagonal) {
  const std::string text = tiles_partitioned_with(sum + " + " + chosen(causal, value, "T.float32(-0.0)"));
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
    return tiles_partitioned_with(update).find("if_then_else") == std::string::npos;
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

/// A sum in memory of its own that begins at +0 is never -0: adding +0 changes nothing there.
TEST(SumsWhere, that_begin_at_zero_stay_when_zero_is_added) {
  const auto program = [](const std::string& first, const std::string& more) {
    return function_of(R"(
@T.prim_func
def sums(X: T.Buffer((19,), "float32"), Y: T.Buffer((19,), "float32")):
    S = T.alloc_buffer((19,), "float32")
    for i in range(19):
        S[i] = )" + first +
                       R"(
    for k, i in T.grid(3, 19):
        S[i] = S[i] + T.if_then_else(i + k >= 1 and i + k < 20, X[i + k - 1], T.float32(0.0))
)" + more + R"(
    for i in range(19):
        Y[i] = S[i]
)");
  };
  const auto is_guard = [&](const std::string& first, const std::string& more = "") {
    const Function f = program(first, more);
    const Function after = lower_until(f, generic_machine(), "partition_loops");
    const std::vector<interp::Argument> given = arguments_of(f, {}, 3);
    std::vector<interp::Argument> wanted = copies(given), got = copies(given);
    interp::run(f, wanted);
    interp::run(after, got);
    EXPECT_EQ(difference(wanted, got, 0), "") << print(after);
    return print(after).find("if_then_else") == std::string::npos;
  };
  EXPECT_TRUE(is_guard("T.float32(0.0)"));
  EXPECT_TRUE(is_guard("T.float32(-3.0)"));
  EXPECT_FALSE(is_guard("T.float32(-0.0)"));
  EXPECT_FALSE(is_guard("X[i]"));
  EXPECT_FALSE(is_guard("T.float32(0.0)", "    for i in range(19):\n        S[i] = S[i] * X[i]"));
}

/// The loop over k runs only in tiles where some point counts.
TEST(SumsWhere, are_asked_for_once_a_tile) {
  const auto asks = [](const std::string& condition, const std::string& wanted) {
    const std::string text =
        tiles_partitioned_with(sum + " + " + chosen(condition, value, "T.float32(-0.0)"));
    const std::size_t at = text.find("if " + wanted + ":\n");
    ASSERT_NE(at, std::string::npos) << condition << "\n" << text;
    EXPECT_EQ(text.find("for k", at), text.find("for", at)) << text;
  };
  asks("(i_0 + j_0) * 4 + i_1 - j_1 <= n", "n >= i_0 * 4 + j_0 * 4 - 3");
}

/// A tile of sums in registers; `I` and `J` in the condition and the value are the row and the column.
struct RegisterTile {
  std::int64_t rows, columns;            ///< of the whole
  std::int64_t tile_rows, tile_columns;  ///< need not divide them
  std::string type, init, update, condition, value, neutral;

  std::string text() const {
    const auto number = [](std::int64_t n) { return std::to_string(n); };
    const std::string row = "i_0 * " + number(tile_rows) + " + i_1";
    const std::string column = "j_0 * " + number(tile_columns) + " + j_1";
    const auto placed = [&](const std::string& e) {
      std::string out;
      for (const char c : e)
        out += c == 'I' ? "(" + row + ")" : c == 'J' ? "(" + column + ")" : std::string(1, c);
      return out;
    };
    const bool divides = rows % tile_rows == 0 && columns % tile_columns == 0;
    const std::string sum = "R_1[i_1 * " + number(tile_columns) + " + j_1]";
    const auto nest = [&](const std::string& indent, const std::string& statement) {
      std::string out = indent + "for i_1 in T.unroll(" + number(tile_rows) + "):\n" + indent +
                        "    for j_1 in T.vectorized(" + number(tile_columns) + "):\n" + indent + "        ";
      if (!divides)
        out += "if " + row + " < " + number(rows) + " and " + column + " < " + number(columns) + ":\n" +
               indent + "            ";
      return out + statement + "\n";
    };
    const std::string chosen =
        "T.if_then_else(" + placed(condition) + ", " + placed(value) + ", " + neutral + ")";
    const std::string updated = update == "+" ? sum + " + " + chosen : "T.max(" + sum + ", " + chosen + ")";
    const auto buffer = [&](const std::string& name, std::int64_t a, std::int64_t b) {
      return name + ": T.Buffer((" + number(a) + ", " + number(b) + "), \"" + type + "\")";
    };
    return "@T.prim_func\ndef tile(" + buffer("X", rows, 5) + ", " + buffer("Y", 5, columns) + ", " +
           buffer("S", rows, columns) + ", n: T.int64):\n    for i_0, j_0 in T.grid(" +
           number((rows + tile_rows - 1) / tile_rows) + ", " +
           number((columns + tile_columns - 1) / tile_columns) + "):\n        R = T.allocate([" +
           number(tile_rows * tile_columns) + "], \"" + type + "\", \"register\")\n        R_1 = T.Buffer((" +
           number(tile_rows * tile_columns) + ",), \"" + type + "\", data=R, scope=\"register\")\n" +
           nest("        ", sum + " = " + placed(init)) + "        for k in range(5):\n" +
           nest("            ", sum + " = " + updated) + nest("        ", placed("S[I, J]") + " = " + sum);
  }

  Function without_masks() const { return lower_until(function_of(text()), generic_machine(), "drop_masks"); }
};

const std::string product = "X[I, k] * Y[k, J]";

/// The loop over k runs as if there were no condition; what it did to the other points is undone after it.
TEST(SumsWhere, in_registers_are_chosen_after_the_loop) {
  const auto asks_in_the_loop = [](const RegisterTile& tile) {
    bool asks = false;
    visit_stmts(tile.without_masks().body, [&](const Stmt& s) {
      const auto* loop = s.as<For>();
      if (loop == nullptr || loop->var.name() != "k") return;
      const std::string text = print(loop->body);
      asks = asks || text.find("if ") != std::string::npos || text.find("predicate") != std::string::npos;
    });
    return asks;
  };
  const auto restores = [](const RegisterTile& tile) {
    return print(tile.without_masks()).find("_kept") != std::string::npos;
  };
  RegisterTile tile{26, 24, 13, 8, "float32", "T.float32(0.0)", "+", "J <= I", product, "T.float32(-0.0)"};
  for (const auto& [rows, columns] : {std::pair{13, 8}, {2, 12}, {1, 4}, {26, 24}, {13, 4}}) {
    tile.tile_rows = rows, tile.tile_columns = columns;
    EXPECT_TRUE(restores(tile) && !asks_in_the_loop(tile)) << rows << " x " << columns << "\n"
                                                           << print(tile.without_masks());
  }
  // What the loop itself decides is asked in it; what is not there in the other points is not read.
  tile.condition = "J <= I + k";
  EXPECT_FALSE(restores(tile));
  tile.condition = "J <= I", tile.value = "X[I - J, k]";
  EXPECT_TRUE(asks_in_the_loop(tile));
}

TEST(SumsWhere, in_registers_have_the_same_answers) {
  const std::uint64_t seed = 20261116;
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const auto one_of = [&](const std::vector<std::string>& texts) { return texts[below(texts.size())]; };
  int changed = 0;
  for (int i = 0; i < 160; ++i) {
    RegisterTile tile{
        .rows = 1 + below(17),
        .columns = 4 + below(17),
        .tile_rows = 1 + below(5),
        .tile_columns = 4 * (1 + below(3)),
        .type = "float32",
        .init = "T.float32(-0.0)",
        .update = "+",
        .condition = one_of({"J <= I", "I < J", "J * 2 <= I + 3", "I + J < n", "J <= I + k",
                             "I <= J and J < 9", "(I + J) % 3 == 0", "J - I != 2", "J * n <= I"}),
        .value = product,
        .neutral = "T.float32(-0.0)"};
    if (below(2) == 0)
      tile.columns = tile.tile_columns * (1 + below(3)), tile.rows = tile.tile_rows * (1 + below(4));
    if (below(3) == 0) tile.init = "S[I, J]";
    if (below(4) == 0) tile.update = "max", tile.neutral = "T.float32(\"-inf\")";
    if (below(4) == 0) {
      // Defined in the chosen points only.
      tile.type = "int32", tile.update = "+", tile.neutral = "0", tile.condition = "J <= I";
      tile.init = "7";
      tile.value = one_of({"X[I - J, k]", "X[I, k] // T.Cast(\"int32\", I - J + 1)",
                           "Y[k, J] % T.Cast(\"int32\", T.max(I - J, -1) + 1)"});
    }
    if (below(4) == 0) {
      // Of the row alone, so that one number serves all lanes.
      tile.type = "int32", tile.update = "+", tile.neutral = "0", tile.init = "7";
      tile.condition = one_of({"2 < I", "J <= I and 2 < I", "2 < I and n < I"});
      tile.value = one_of({"X[I - 3, k] + J", "X[I, k] // (I - 2)", "X[I, k] % (I - 2) * Y[k, J]"});
      tile.value = "T.Cast(\"int32\", " + tile.value + ")";
    }
    const Program program{"tile", tile.text(), {}, 40, 0};
    SCOPED_TRACE("seed " + std::to_string(seed) + ", program " + std::to_string(i) + "\n" + program.text);
    const Function original = function_of(program);
    const std::vector<interp::Argument> given = arguments_of(original, program, seed + i);
    std::vector<interp::Argument> wanted = copies(given), got = copies(given);
    interp::run(original, wanted);
    const Function lowered = lower_until(original, generic_machine(), "promote_registers");
    changed += print(lowered).find("_kept") != std::string::npos ? 1 : 0;
    interp::run(lowered, got);
    ASSERT_EQ(difference(wanted, got, 0), "") << print(lowered);
  }
  EXPECT_GE(changed, 30);
}

}  // namespace

}  // namespace ardea::lower
