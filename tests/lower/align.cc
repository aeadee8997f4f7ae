#include <gtest/gtest.h>

#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/error.h"
#include "programs.h"

namespace ardea::lower {

namespace {

std::string flat(const std::string& annotations) {
  const std::string text = R"(
@T.prim_func
def main(A: T.Buffer((8, 30), "float32"), C: T.Buffer((8, 6), "float32")):
    B = T.alloc_buffer((8, 30))
    for i in range(8):
        for j in range(6):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"buffer_dim_align": )" +
                           annotations + R"(})
                B[vi, vj] = A[vi, vj] * T.float32(2.0)
    for i in range(8):
        for j in range(6):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[7 - vi, vj]
)";
  return print(lower_until(parse_function(text), target::find("generic-x86_64"), "flatten_storage"));
}

/// Of 30 columns 6 are touched, and the stride has room for these.
TEST(AlignStrides, pads_what_compaction_leaves) {
  const std::string text = flat("[[0, 0, 8, 1]]");
  EXPECT_NE(text.find("B = T.allocate([69], \"float32\", \"global\")"), std::string::npos) << text;
  EXPECT_NE(text.find("B_1[i * 9 + j] = "), std::string::npos) << text;
}

/// What lies between rows is never filled, and must not be read: no annotation says that it may be.
TEST(AlignStrides, of_memory_that_is_filled_leaves_gaps) {
  const auto for_registers = [](const std::string& annotations) {
    const std::string text = R"(
@T.prim_func
def main(A: T.Buffer((8, 6), "float32"), C: T.Buffer((8, 6), "float32")):
    B = T.alloc_buffer((8, 6))
    R = T.alloc_buffer((8, 6), scope="register")
    for i, j in T.grid(8, 6):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.block_attr({"buffer_dim_align": )" +
                             annotations + R"(})
            B[vi, vj] = A[vi, vj]
    for i in range(8):
        for j in T.vectorized(6):
            with T.block("R"):
                vi, vj = T.axis.remap("SS", [i, j])
                R[vi, vj] = B[vi, vj]
        for j in T.vectorized(6):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = R[vi, vj]
)";
    return print(lower_until(parse_function(text), target::find("generic-x86_64"), "flatten_storage"));
  };
  EXPECT_NE(for_registers("[[0, 0, 2, 0]]").find("filled_first"), std::string::npos);
  EXPECT_EQ(for_registers("[[0, 0, 8, 0]]").find("filled_first"), std::string::npos);
}

TEST(AlignStrides, takes_the_first_wish_for_an_axis_and_none_for_a_buffer_that_is_gone) {
  const std::string text = flat("[[0, 0, 8, 1], [0, 0, 16, 0], [1, 0, 64, 0]]");
  EXPECT_NE(text.find("B_1[i * 9 + j] = "), std::string::npos) << text;
}

TEST(AlignStrides, refuses_an_annotation_that_says_nothing) {
  for (const char* wrong : {"1", "[1]", "[[0, 0, 8]]", "[[0, 0, 0, 0]]", "[[0, 0, 8, 8]]"}) {
    try {
      flat(wrong);
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()),
                "buffer_dim_align: expected a list, each of it [buffer, axis, factor, offset] with a "
                "positive factor "
                "and an offset from 0 to less than the factor");
    }
  }
}

}  // namespace

}  // namespace ardea::lower
