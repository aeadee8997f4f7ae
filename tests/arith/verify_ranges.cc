#include "tests/arith/laws.h"

#include <gtest/gtest.h>

namespace ardea::arith {
namespace {

/// A loop of `extent` over a store to B (16,) of `value`; A is (16,), J is (16,) of int64.
std::string program(const std::string& statement, const std::string& loop = "for i in range(16):") {
  return R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), J: T.Buffer((16,), "int64"), B: T.Buffer((16,), "float32")):
    )" + loop +
         "\n        " + statement + "\n";
}

TEST(VerifyRanges, finds_the_iteration_that_leaves_the_buffer) {
  expect_accepted(program("B[i] = A[i]"));
  expect_broken(program("B[i] = A[i + 1]"), "out_of_range",
                {"`B[i] = A[i + 1]`", "reads outside A", "index i + 1", "dimension 1", "1 to 16",
                 "extent there is 16"});
  expect_broken(program("B[i] = A[i - 1]"), "out_of_range", {"-1 to 14"});
  expect_broken(program("B[i * 2] = A[i]"), "out_of_range", {"writes outside B", "0 to 30"});
  expect_broken(program("B[i] = A[i]", "for i in range(17):"), "out_of_range", {"0 to 16"});
}

TEST(VerifyRanges, takes_the_guard_into_account) {
  expect_accepted(program("B[i] = T.if_then_else(i < 15, A[i + 1], T.float32(0.0))"));
  expect_broken(program("B[i] = T.if_then_else(i < 15, A[i + 16], T.float32(0.0))"), "out_of_range",
                {"outside A"});
  const auto copy = [](const std::string& from) {
    return program("T.async_copy_or_zero(T.address_of(B[i]), T.address_of(A[" + from + "]), 1, i < 15)");
  };
  expect_accepted(copy("i + 1"));
  expect_broken(copy("i + 16"), "out_of_range", {"outside A"});
  // Select evaluates both sides.
  expect_broken(program("B[i] = T.Select(i < 15, A[i + 1], T.float32(0.0))"), "out_of_range", {"outside A"});
  expect_accepted(program("if i < 15 and A[i + 1] > T.float32(0.0):\n            B[i] = A[i]"));
  expect_broken(program("if A[i + 1] > T.float32(0.0) and i < 15:\n            B[i] = A[i]"), "out_of_range",
                {"outside A"});
}

TEST(VerifyRanges, lets_pass_what_it_cannot_decide) {
  expect_accepted(program("B[i] = A[J[i]]"));
  expect_accepted(program("if A[i] > T.float32(0.0):\n            B[i] = A[i + 1]"));
  expect_accepted(program("B[i] = A[i + 1]", "for i in range(0):"));
}

TEST(VerifyRanges, counts_block_iterators_by_their_bindings) {
  const auto block = [](const std::string& extent, const std::string& index = "v + 1") {
    return program(
        "with T.block(\"b\"):\n            v = T.axis.spatial(16, i)\n            B[v] = A[" + index + "]",
        "for i in range(" + extent + "):");
  };
  expect_accepted(block("15"));
  expect_broken(block("16"), "out_of_range", {"index v + 1", "1 to 16"});
  // For all values of the iterator.
  expect_broken(block("15", "v + 16"), "out_of_range", {"16 to 30"});
  expect_broken(block("15", "v - 16"), "out_of_range", {"-16 to -2"});
}

TEST(VerifyRanges, counts_every_lane) {
  expect_accepted(program("B[T.Ramp(i * 4, 1, 4)] = A[T.Ramp(i * 4, 1, 4)]", "for i in range(4):"));
  expect_broken(program("B[T.Ramp(i * 4 + 1, 1, 4)] = A[T.Ramp(i * 4, 1, 4)]", "for i in range(4):"),
                "out_of_range", {"outside B", "1 to 16"});
}

TEST(VerifyRanges, compares_symbolic_extents) {
  const auto shifted = [](const std::string& index) {
    return R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n, m))
    for i, j in T.grid(n, m):
        B[i, j] = A[)" +
           index + "]\n";
  };
  expect_accepted(shifted("i"));
  expect_broken(shifted("i + 1"), "out_of_range", {"1 to n", "extent there is n"});
  expect_accepted(shifted("j"));  // may hold: m <= n is left to the run
}

}  // namespace
}  // namespace ardea::arith
