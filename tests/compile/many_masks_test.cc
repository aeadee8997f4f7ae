#include <fmt/core.h>
#include <gtest/gtest.h>

#include "ardea/compile/compile_by_c.h"
#include "ardea/interp/interpreter.h"
#include "tests/compile/both_ways.h"

/// Functions with so many rows under masks that C moves each by a call (codegen/ranges/masks.h).

namespace ardea::test {
namespace {

/// A mask each: more than the 64 that count as few.
constexpr int many_rows = 66;

const std::vector<std::vector<std::int64_t>> sizes = {{1}, {7}, {8}, {29}};

/// Rows of an image that is padded where it is read, each moved by another distance, in vectors with a tail,
/// where the image is positive: what is read is known nowhere before.
std::string shifted_rows(int rows) {
  std::string text =
      "@T.prim_func\ndef rows(x: T.handle, y: T.handle):\n    T.func_attr({\"tir.noalias\": T.bool(True)})\n"
      "    n = T.int64()\n    X = T.match_buffer(x, (n,), \"float32\")\n";
  text +=
      "    Y = T.match_buffer(y, (" + std::to_string(rows) + ", n), \"float32\")\n" +
      "    for o in range((n + 7) // 8):\n        for i in T.vectorized(8):\n            if o * 8 + i < n "
      "and X[o * 8 + i] > T.float32(0):\n";
  for (int row = 0; row < rows; ++row) {
    const std::string place = "o * 8 + i + " + std::to_string(row);
    text += fmt::format(
        "                Y[{0}, o * 8 + i] = T.if_then_else({1} >= 5 and {1} < n + 5, X[{1} - 5], "
        "T.float32(0.0))\n",
        row, place);
  }
  return text;
}

/// The thread sanitizer needs half an hour and 11 GB for what GCC makes of so many rows, in one thread.
class ManyMasks : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "nothing here is concurrent";
#endif
  }
};

TEST_F(ManyMasks, rows_hold_what_the_interpreter_puts_there) {
  for (const int rows : {3, many_rows}) {
    const Function f = program(shifted_rows(rows));
    expect_same_at_sizes(f, 3, sizes);
  }
}

TEST_F(ManyMasks, rows_of_c_do_too) {
  const Function f = program(shifted_rows(many_rows));
  const runtime::Function by_c = compile::compile_by_c(f, host(), {.contract = false});
  for (const std::int64_t n : {1, 7, 8, 29}) {
    const std::vector<runtime::Array> given = random_arguments(f, 5, {n});
    const runtime::Array expected = given[1].copy(), got = given[1].copy();
    interp::run(f, {given[0], expected});
    by_c(given[0], got);
    for (std::int64_t i = 0; i < got.element_count(); ++i)
      ASSERT_EQ(got.get_float(i), expected.get_float(i)) << n << " " << i;
  }
}

TEST_F(ManyMasks, are_moved_by_calls_of_c_and_few_are_not) {
  const target::Target machine = target::find("neoverse-n1");
  const auto c = [&](int rows) {
    return compile::c_source(Module{{}, {program(shifted_rows(rows))}}, machine, {});
  };
  EXPECT_NE(c(many_rows).find("ARDEA_CALLED float32x4 masked_load_float32x4("), std::string::npos);
  EXPECT_EQ(c(3).find("ARDEA_CALLED float"), std::string::npos);
}

}  // namespace
}  // namespace ardea::test
