#include "ardea/measure/work.h"

#include <gtest/gtest.h>

#include "ardea/arith/load.h"
#include "ardea/measure/inputs.h"

namespace ardea::measure {
namespace {

std::optional<Work> work_of(const std::string& text, const std::map<std::string, std::int64_t>& sizes = {}) {
  const Module m = arith::load_program(text, "test");
  return count_work(m.functions[0], make_arguments(m.functions[0], {.sizes = sizes}));
}

TEST(Work, counts_products_and_sums_and_no_index_arithmetic) {
  const auto work = work_of(R"(
@T.prim_func
def gemm(A: T.Buffer((3, 4), "float32"), B: T.Buffer((4, 5), "float32"), C: T.Buffer((3, 5), "float32")):
    for i, j, k in T.grid(3, 5, 4):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi * 2 // 2, vk] * B[vk, vj]
)");
  ASSERT_TRUE(work);
  EXPECT_EQ(work->operations, 2 * 3 * 4 * 5);
  EXPECT_EQ(work->bytes, 4 * (3 * 4 + 4 * 5 + 3 * 5));
}

TEST(Work, counts_functions_vectors_and_arrays_that_are_read_and_written) {
  const auto work = work_of(R"(
@T.prim_func
def scale(x: T.handle):
    n = T.int64()
    X = T.match_buffer(x, (n, 8), "float64")
    for i in range(n):
        X[i, 0:8] = T.fma(T.exp(X[i, 0:8]), X[i, 0:8], X[i, 0:8])
)",
                            {{"n", 7}});
  ASSERT_TRUE(work);
  EXPECT_EQ(work->operations, 7 * 8 * 3);
  EXPECT_EQ(work->bytes, 2 * 7 * 8 * 8);
}

TEST(Work, does_not_guess_where_loops_depend_on_each_other) {
  EXPECT_FALSE(work_of(R"(
@T.prim_func
def triangle(X: T.Buffer((9, 9), "float32")):
    for i in range(9):
        for j in range(i + 1):
            X[i, j] = X[i, j] * T.float32(2)
)"));
}

}  // namespace
}  // namespace ardea::measure
