#include "tests/interp/programs.h"

#include <gtest/gtest.h>

namespace ardea::interp {
namespace {

const char* const symbolic = R"(def main(a: T.handle, b: T.handle, c: T.handle):
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n, m))
    B = T.match_buffer(b, (m, n))
    C = T.match_buffer(c, (n * 2,))
    for i in range(n):
        C[i] = T.float32(0)
        C[i + n] = T.float32(1)
        for j in range(m):
            C[i] = C[i] + A[i, j] * B[j, i]
)";

TEST(Arguments, bind_symbolic_extents) {
  const runtime::Array c = zeros(float32, {4});
  run(program(symbolic),
      {array(float32, {2, 3}, {1, 2, 3, 4, 5, 6}), array(float32, {3, 2}, {1, 0, 0, 1, 2, 0}), c});
  EXPECT_EQ(elements(c), (std::vector<double>{7, 5, 1, 1}));
}

TEST(Arguments, that_contradict_an_extent_are_reported_with_its_name) {
  const Function f = program(symbolic);
  EXPECT_EQ(error_of([&] { run(f, {zeros(float32, {2, 3}), zeros(float32, {3, 4}), zeros(float32, {4})}); }),
            "main: argument B (2 of 3): extent 2 is 4, expected 2 (n)");
  EXPECT_EQ(error_of([&] { run(f, {zeros(float32, {2, 3}), zeros(float32, {3, 2}), zeros(float32, {5})}); }),
            "main: argument C (3 of 3): extent 1 is 5, expected 4 (n * 2)");
}

TEST(Arguments, of_the_wrong_number_rank_type_or_kind_are_reported) {
  const Function f = program("def main(A: T.Buffer((2, 3)), n: T.int8, x: T.float32):\n    T.evaluate(0)\n");
  const runtime::Array good = zeros(float32, {2, 3});
  run(f, {good, std::int64_t{1}, 2.5});
  run(f, {good, std::int64_t{1}, std::int64_t{2}});
  EXPECT_EQ(error_of([&] { run(f, {good}); }), "main: got 1 arguments, takes 3: A, n, x");
  EXPECT_EQ(error_of([&] { run(f, {zeros(float32, {6}), std::int64_t{1}, 2.5}); }),
            "main: argument A (1 of 3) has 1 dimensions, expected 2");
  EXPECT_EQ(error_of([&] { run(f, {zeros(float64, {2, 3}), std::int64_t{1}, 2.5}); }),
            "main: argument A (1 of 3) has elements of float64, expected float32");
  EXPECT_EQ(error_of([&] { run(f, {zeros(float32, {2, 4}), std::int64_t{1}, 2.5}); }),
            "main: argument A (1 of 3): extent 2 is 4, expected 3");
  EXPECT_EQ(error_of([&] { run(f, {std::int64_t{1}, std::int64_t{1}, 2.5}); }),
            "main: argument A (1 of 3) is an integer, expected a tensor");
  EXPECT_EQ(error_of([&] { run(f, {good, std::int64_t{128}, 2.5}); }),
            "main: argument n (2 of 3) is 128, which does not fit int8: its values are -128 to 127");
  EXPECT_EQ(error_of([&] { run(f, {good, 1.5, 2.5}); }),
            "main: argument n (2 of 3) is a float, expected an integer");
  EXPECT_EQ(error_of([&] { run(f, {good, good, 2.5}); }),
            "main: argument n (2 of 3) is a tensor, expected an integer");
}

TEST(Arguments, begin_on_any_element_unless_more_is_promised) {
  const runtime::Array memory = zeros(float32, {9});
  const auto begin_at = [&](int bytes) {
    return runtime::Array::strided_view(memory.data(), {2}, {1}, float32, static_cast<std::uint64_t>(bytes),
                                        nullptr);
  };
  const auto writes_to = [](const std::string& fields) {
    return program("def main(A: T.Buffer((2,)" + fields + ")):\n    A[1] = T.float32(3)\n");
  };
  run(writes_to(""), {begin_at(4)});
  EXPECT_EQ(memory.get_float(2), 3);
  run(writes_to(", align=16"), {begin_at(16)});
  EXPECT_EQ(memory.get_float(5), 3);
  EXPECT_EQ(error_of([&] { run(writes_to(", align=16"), {begin_at(20)}); }),
            "main: argument A (1 of 1) begins 4 bytes after a multiple of 16, must begin on one; pass an "
            "aligned copy");
  EXPECT_EQ(error_of([&] { run(writes_to(""), {begin_at(2)}); }),
            "main: argument A (1 of 1) begins 2 bytes after a multiple of 4, must begin on one; pass an "
            "aligned copy");
}

TEST(Arguments, scalars_round_to_their_type) {
  const Function f = program("def main(A: T.Buffer((1,), \"float16\"), x: T.float16):\n    A[0] = x\n");
  const runtime::Array a = zeros(float16, {1});
  run(f, {a, 2049.0});
  EXPECT_EQ(a.get_float(0), 2048);
}

TEST(Arguments, declared_strides_take_strided_arrays) {
  const Function f = program(R"(def main(a: T.handle, B: T.Buffer((2, 3))):
    s = T.int64()
    A = T.match_buffer(a, (2, 3), strides=[s, 1])
    for i, j in T.grid(2, 3):
        B[i, j] = A[i, j]
)");
  std::vector<float> memory(8);
  for (std::size_t i = 0; i < 8; ++i) memory[i] = static_cast<float>(i);
  const runtime::Array view =
      runtime::Array::strided_view(memory.data(), {2, 3}, {5, 1}, float32, 0, nullptr);
  const runtime::Array b = zeros(float32, {2, 3});
  run(f, {view, b});
  EXPECT_EQ(elements(b), (std::vector<double>{0, 1, 2, 5, 6, 7}));
  const Function compact = program("def main(A: T.Buffer((2, 3))):\n    T.evaluate(0)\n");
  EXPECT_EQ(
      error_of([&] { run(compact, {view}); }),
      "main: argument A (1 of 1): the stride of dimension 1 is 5 elements, expected 3; pass a compact copy");
}

TEST(Arguments, that_share_memory_may_only_be_read) {
  const Function f = program(R"(def main(A: T.Buffer((2,)), B: T.Buffer((2,)), C: T.Buffer((2,))):
    for i in range(2):
        C[i] = A[i] + B[i]
)");
  const runtime::Array x = array(float32, {2}, {1, 2}), y = zeros(float32, {2});
  run(f, {x, x, y});
  EXPECT_EQ(elements(y), (std::vector<double>{2, 4}));
  EXPECT_TRUE(
      says(error_of([&] { run(f, {x, y, x}); }), "writes C[0], but the arguments C and A share memory"));
}

TEST(Arguments, extents_of_zero_are_fine) {
  const Function f = program(
      "def main(a: T.handle):\n    n = T.int64()\n    A = T.match_buffer(a, (n,))\n    for i in range(n):\n  "
      "      A[i] = T.float32(1)\n");
  run(f, {zeros(float32, {0})});
}

}  // namespace
}  // namespace ardea::interp
