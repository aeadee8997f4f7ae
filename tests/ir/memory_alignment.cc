#include "ardea/ir/memory_alignment.h"

#include <gtest/gtest.h>

#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"

namespace ardea {
namespace {

Function parsed(const std::string& text) { return parse("@T.prim_func\n" + text, "test").functions.at(0); }

/// The alignment of each buffer's memory, by the buffer's name.
std::int64_t alignment(const Function& f, const std::string& name) {
  for (const Parameter& p : f.parameters)
    if (p.buffer.defined() && p.buffer->name == name) return memory_alignments(f).at(p.buffer->data);
  for (const Buffer& buffer : buffers_in(f.body))
    if (buffer->name == name) return memory_alignments(f).at(buffer->data);
  return 0;
}

TEST(MemoryAlignment, of_an_array_is_that_of_its_elements_unless_more_is_promised) {
  const Function f = parsed(
      "def f(A: T.Buffer((4,), \"float64\"), B: T.Buffer((4,), \"int8\"), C: T.Buffer((8,), \"int4\"), "
      "D: T.Buffer((4,), \"float32\", align=128), E: T.Buffer((4,), \"float32\", align=1)):\n    pass\n");
  EXPECT_EQ(alignment(f, "A"), 8);
  EXPECT_EQ(alignment(f, "B"), 1);
  EXPECT_EQ(alignment(f, "C"), 1);
  EXPECT_EQ(alignment(f, "D"), 128);
  EXPECT_EQ(alignment(f, "E"), 1);
}

TEST(MemoryAlignment, of_allocated_memory_is_a_cache_line_at_least) {
  const Function f = parsed(R"(def f(A: T.Buffer((4,), "float32")):
    L = T.allocate([4], "float32", "global")
    L_1 = T.Buffer((4,), data=L, align=16)
    M = T.allocate([4], "float32", "global")
    M_1 = T.Buffer((4,), data=M, align=256)
    with T.block("root"):
        N = T.alloc_buffer((4,))
        N[0] = L_1[0] + M_1[0]
)");
  EXPECT_EQ(alignment(f, "L_1"), 64);
  EXPECT_EQ(alignment(f, "M_1"), 256);
  EXPECT_EQ(alignment(f, "N"), 64);
}

TEST(MemoryAlignment, is_what_the_most_demanding_view_needs) {
  const Function f = parsed(R"(def f(A: T.Buffer((16,), "int8"), B: T.Buffer((16,), "int8")):
    A_1 = T.Buffer((4,), data=A.data)
    B_1 = T.Buffer((16,), "int8", data=B.data, align=32)
    B_1[0] = T.Cast("int8", A_1[0])
)");
  EXPECT_EQ(alignment(f, "A"), 4);
  EXPECT_EQ(alignment(f, "B"), 32);
}

TEST(MemoryAlignment, is_promised_by_name) {
  const Function f = parsed(R"(def f(A: T.Buffer((4,), "float32"), n: T.int64):
    A[n] = A[0]
)");
  const Function promised = promise_alignment(f, "A", 64, "test");
  EXPECT_EQ(alignment(promised, "A"), 64);
  EXPECT_NE(print(promised).find("A: T.Buffer((4,), \"float32\", align=64)"), std::string::npos);
  const auto refusal = [&](const std::string& name, std::int64_t bytes) -> std::string {
    try {
      promise_alignment(f, name, bytes, "promise");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("A", 12), "promise: 12 bytes is no alignment; give a power of two");
  EXPECT_EQ(refusal("n", 64), "promise: f has no array n; its arrays are A");
}

}  // namespace
}  // namespace ardea
