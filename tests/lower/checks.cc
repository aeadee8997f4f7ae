#include <gtest/gtest.h>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/passes.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/error.h"
#include "programs.h"

/// check_accesses: what is proved costs nothing, what is not is tested under its own conditions, and what is
/// tested fails with a sentence before memory is touched.

namespace ardea::lower {

namespace {

int tests_in(const Function& f) {
  int count = 0;
  visit_exprs(f.body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    if (call != nullptr && call->op->name == "fail") ++count;
  });
  return count;
}

Function checked(const std::string& text) {
  return lower_until(function_of("@T.prim_func\n" + text), generic_machine(), "check_accesses");
}

/// The sentence with which the interpreter stops after all passes up to legalise_types; empty where it does
/// not stop.
std::string failure(const std::string& text, const std::vector<interp::Argument>& arguments) {
  const Function f = lower_until(function_of("@T.prim_func\n" + text), generic_machine(), "lower_intrinsics");
  try {
    interp::run(f, arguments);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

runtime::Array integers(const std::vector<std::int64_t>& values, DataType type = int32) {
  const auto array = runtime::Array::zeros({static_cast<std::int64_t>(values.size())}, type);
  for (std::size_t i = 0; i < values.size(); ++i) array.set_int(static_cast<std::int64_t>(i), values[i]);
  return array;
}

TEST(CheckAccesses, tests_nothing_that_loops_and_conditions_prove) {
  for (const Program& program : programs()) {
    if (program.name == "gather" || program.name == "symbolic" || program.name == "stages_in_turn" ||
        program.name == "tests_of_indices_before_loops_that_may_not_run")
      continue;
    const Function f = lower_until(function_of(program), generic_machine(), "check_accesses");
    EXPECT_EQ(tests_in(f), 0) << program.name << "\n" << print(f);
  }
}

const std::string gather = R"(
def gather(index: T.Buffer((3,), "int32"), X: T.Buffer((5,), "float32"), Y: T.Buffer((3,), "float32")):
    for i in range(3):
        Y[i] = T.if_then_else(index[i] % 2 == 0, X[index[i]], T.float32(-1.0))
)";

TEST(CheckAccesses, reports_the_index_and_the_extent) {
  const auto x = runtime::Array::zeros({5}, float32), y = runtime::Array::zeros({3}, float32);
  EXPECT_NE(failure(gather, {integers({1, -2, 0}), x, y})
                .find("gather: reads X at index -2 in dimension 1, whose extent is 5"),
            std::string::npos);
}

/// Whether a test stands in a loop over that variable.
bool tested_inside(const Function& f, const std::string& loop) {
  bool found = false;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* each = s.as<For>();
    if (each == nullptr || each->var.name() != loop) return;
    Function body = f;
    body.body = each->body;
    found = found || tests_in(body) > 0;
  });
  return found;
}

const std::string noalias = "    T.func_attr({\"tir.noalias\": T.bool(True)})\n";
const std::string rows_head = R"(
def rows(index: T.Buffer((3,), "int32"), X: T.Buffer((5, 16), "float32"), Y: T.Buffer((3, 16), "float32"), n: T.int64):
)";

TEST(CheckAccesses, tests_an_index_that_is_loaded_for_a_row_once) {
  const std::string text = rows_head + noalias + R"(    for i in range(3):
        for d in T.vectorized(16):
            Y[i, d] = Y[i, d] + X[index[i], d]
)";
  const Function f = checked(text);
  EXPECT_EQ(tests_in(f), 1) << print(f);
  EXPECT_FALSE(tested_inside(f, "d")) << print(f);
  const Function lowered = lower_until(function_of("@T.prim_func" + text), generic_machine(), "vectorize");
  bool has_lanes = false;
  visit_exprs(lowered.body, [&](const Expr& e) { has_lanes = has_lanes || e.is<Ramp>(); });
  EXPECT_TRUE(has_lanes) << print(lowered);
  const auto x = runtime::Array::zeros({5, 16}, float32), y = runtime::Array::zeros({3, 16}, float32);
  EXPECT_EQ(failure(text, {integers({1, 4, 0}), x, y, std::int64_t{0}}), "");
  EXPECT_NE(
      failure(text, {integers({1, 5, 0}), x, y, std::int64_t{0}}).find("reads X at index 5 in dimension 1"),
      std::string::npos);
}

TEST(CheckAccesses, tests_one_index_of_several_statements_once) {
  const Function f = checked(rows_head + noalias + R"(    for i in range(3):
        Y[i, 0] = X[index[i], 0]
        Y[i, 1] = X[index[i], 1]
        if n > 2:
            Y[i, 2] = X[index[i], 2]
)");
  EXPECT_EQ(tests_in(f), 1) << print(f);
}

TEST(CheckAccesses, tests_an_element_that_is_updated_once) {
  const std::string text = rows_head + noalias + R"(    for i in range(3):
        Y[index[i], 0] = Y[index[i], 0] + X[0, 0]
)";
  EXPECT_EQ(tests_in(checked(text)), 1) << print(checked(text));
  const auto x = runtime::Array::zeros({5, 16}, float32), y = runtime::Array::zeros({3, 16}, float32);
  EXPECT_NE(failure(text, {integers({1, 3, 0}), x, y, std::int64_t{0}})
                .find("reads Y at index 3 in dimension 1, whose extent is 3"),
            std::string::npos);
}

TEST(CheckAccesses, tests_again_what_may_have_changed) {
  const std::string body = R"(    for i in range(3):
        for d in range(16):
            Y[i, d] = X[index[i], d]
)";
  EXPECT_TRUE(tested_inside(checked(rows_head + body), "d")) << "Y and index may be the same memory";
  const std::string changed = noalias + R"(    for i in range(2):
        for d in range(2):
            Y[i, d] = X[index[i], d]
            index[i] = index[i + 1]
)";
  EXPECT_TRUE(tested_inside(checked(rows_head + changed), "d"));
  const auto x = runtime::Array::zeros({5, 16}, float32), y = runtime::Array::zeros({3, 16}, float32);
  EXPECT_NE(
      failure(rows_head + changed, {integers({1, 9, 0}), x, y, std::int64_t{0}}).find("reads X at index 9"),
      std::string::npos);
  const Function twice = checked(rows_head + noalias + R"(    Y[0, 0] = X[index[0], 0]
    index[0] = 3
    Y[0, 1] = X[index[0], 1]
)");
  EXPECT_EQ(tests_in(twice), 2) << print(twice);
}

TEST(CheckAccesses, asks_nothing_for_a_loop_that_does_not_run) {
  const std::string text = rows_head + noalias + R"(    for i in range(3):
        for d in range(n):
            Y[i, 0] = X[index[i], 0]
)";
  EXPECT_FALSE(tested_inside(checked(text), "d"));
  const auto x = runtime::Array::zeros({5, 16}, float32), y = runtime::Array::zeros({3, 16}, float32);
  EXPECT_EQ(failure(text, {integers({9, 9, 9}), x, y, std::int64_t{0}}), "");
  EXPECT_NE(failure(text, {integers({9, 9, 9}), x, y, std::int64_t{1}}).find("reads X at index 9"),
            std::string::npos);
}

TEST(CheckAccesses, a_test_that_loads_stays_behind_the_one_that_makes_that_safe) {
  const std::string text = R"(
def twice(first: T.Buffer((3,), "int32"), second: T.Buffer((4,), "int32"), X: T.Buffer((5, 8), "float32"), Y: T.Buffer((3, 8), "float32")):
)" + noalias + R"(    for i in range(3):
        for d in range(8):
            Y[i, d] = X[second[first[i]], d]
)";
  EXPECT_FALSE(tested_inside(checked(text), "d"));
  const auto x = runtime::Array::zeros({5, 8}, float32), y = runtime::Array::zeros({3, 8}, float32);
  EXPECT_NE(
      failure(text, {integers({0, 4, 0}), integers({0, 0, 0, 0}), x, y}).find("reads second at index 4"),
      std::string::npos);
  EXPECT_NE(failure(text, {integers({0, 3, 0}), integers({0, 0, 0, 8}), x, y}).find("reads X at index 8"),
            std::string::npos);
}

TEST(CheckAccesses, asks_nothing_of_a_side_that_is_not_evaluated) {
  const auto x = runtime::Array::zeros({5}, float32), y = runtime::Array::zeros({3}, float32);
  EXPECT_EQ(failure(gather, {integers({2, 9, 4}), x, y}), "");
  EXPECT_EQ(y.get_float(1), -1);
}

TEST(CheckAccesses, asks_nothing_of_the_right_side_of_a_decided_connective) {
  const std::string text = R"(
def decided(index: T.Buffer((3,), "int32"), X: T.Buffer((5,), "float32"), Y: T.Buffer((3,), "bool")):
    for i in range(3):
        Y[i] = (index[i] >= 0 and index[i] < 5) and X[index[i]] > T.float32(0.0) or index[i] >= 5
)";
  const auto x = runtime::Array::zeros({5}, float32), y = runtime::Array::zeros({3}, boolean);
  EXPECT_EQ(failure(text, {integers({-9, 9, 2}), x, y}), "");
  EXPECT_EQ(tests_in(checked(text)), 0);
}

TEST(CheckAccesses, does_not_trust_a_condition_on_memory_that_is_overwritten) {
  const std::string text = R"(
def overwritten(index: T.Buffer((1,), "int32"), Y: T.Buffer((5,), "float32")):
    if index[0] >= 0 and index[0] < 5:
        index[0] = 77
        Y[index[0]] = T.float32(1.0)
)";
  EXPECT_NE(failure(text, {integers({2}), runtime::Array::zeros({5}, float32)}).find("writes Y at index 77"),
            std::string::npos);
}

TEST(CheckAccesses, covers_bounds_of_loops_conditions_and_lets) {
  const std::string head = R"(
def places(n: T.int64, index: T.Buffer((2,), "int32"), Y: T.Buffer((3,), "float32")):
)";
  const auto y = runtime::Array::zeros({3}, float32);
  for (const std::string body :
       {"    for i in range(T.Cast(\"int64\", index[n])):\n        Y[0] = T.float32(1.0)\n",
        "    if index[n] > 0:\n        Y[0] = T.float32(1.0)\n",
        "    x: T.int32 = index[n]\n    Y[0] = T.Cast(\"float32\", x)\n",
        "    assert index[n] > 0, \"positive\"\n"}) {
    EXPECT_NE(failure(head + body, {std::int64_t{2}, integers({1, 1}), y}).find("reads index at index 2"),
              std::string::npos)
        << body;
    EXPECT_EQ(failure(head + body, {std::int64_t{1}, integers({1, 1}), y}), "") << body;
  }
}

TEST(CheckAccesses, tests_each_lane_under_its_mask) {
  const std::string text = R"(
def masked(index: T.Buffer((4,), "int32"), X: T.Buffer((5,), "float32"), Y: T.Buffer((4,), "float32")):
    Y[T.Ramp(0, 1, 4)] = X.vload([index[T.Ramp(0, 1, 4)]], predicate=index[T.Ramp(0, 1, 4)] >= T.Broadcast(T.int32(0), 4))
)";
  const auto x = runtime::Array::zeros({5}, float32), y = runtime::Array::zeros({4}, float32);
  EXPECT_EQ(failure(text, {integers({-1, 4, -5, 0}), x, y}), "");
  EXPECT_NE(failure(text, {integers({-1, 4, 5, 0}), x, y}).find("reads X at index 5"), std::string::npos);
}

TEST(CheckAccesses, tests_views_against_their_memory_and_sizes_against_the_address_space) {
  const std::string view = R"(
def view(n: T.int64, X: T.Buffer((7,), "float32"), Y: T.Buffer((1,), "float32")):
    V = T.Buffer((n,), data=X.data)
    Y[0] = V[n - 1]
)";
  const auto x = runtime::Array::zeros({7}, float32), y = runtime::Array::zeros({1}, float32);
  EXPECT_EQ(failure(view, {std::int64_t{7}, x, y}), "");
  EXPECT_NE(failure(view, {std::int64_t{8}, x, y}).find("V needs 256 bits of a memory of 224"),
            std::string::npos);

  // Which element is used is not known, so that all of them get memory.
  const std::string large = R"(
def large(n: T.int64, I: T.Buffer((1,), "int64"), Y: T.Buffer((1,), "float32")):
    S = T.allocate([n * n], "float32", "global")
    S_1 = T.Buffer((n * n,), data=S)
    S_1[I[0]] = T.float32(1.0)
    Y[0] = S_1[I[0]]
)";
  const auto i = runtime::Array::zeros({1}, int64);
  EXPECT_EQ(failure(large, {std::int64_t{3}, i, y}), "");
  EXPECT_NE(failure(large, {std::int64_t{1} << 30, i, y}).find("more than 2^60 bytes"), std::string::npos);
  // n² wraps to 2^33 + 1: the product alone would look small enough. The interpreter notices the product.
  EXPECT_NE(failure(large, {(std::int64_t{1} << 32) + 1, i, y}), "");
  EXPECT_NE(failure(large, {std::int64_t{0}, i, y}).find("must be at least 1"), std::string::npos);
}

}  // namespace

}  // namespace ardea::lower
