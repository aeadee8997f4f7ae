#include "tests/interp/programs.h"

#include <gtest/gtest.h>

namespace ardea::interp {
namespace {

using Numbers = std::vector<double>;

Numbers pattern(std::size_t count, int modulus) {
  Numbers numbers(count);
  const int middle = modulus / 2;
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = static_cast<double>(i * 7 % static_cast<std::size_t>(modulus)) - middle;
  return numbers;
}

TEST(Instructions, a_dot_product_equals_its_expansion) {
  const Function by_instruction =
      program(R"(def main(A: T.Buffer((12,), "int8"), B: T.Buffer((12,), "int8"), C: T.Buffer((3,), "int32")):
    for i in range(3):
        T.tensor_instruction("ardea.dot4_i8", T.address_of(C[i]), T.address_of(A[i * 4]), T.address_of(B[i * 4]))
)");
  const Function by_loops =
      program(R"(def main(A: T.Buffer((12,), "int8"), B: T.Buffer((12,), "int8"), C: T.Buffer((3,), "int32")):
    for i, k in T.grid(3, 4):
        C[i] = C[i] + T.Cast("int32", A[i * 4 + k]) * T.Cast("int32", B[i * 4 + k])
)");
  const runtime::Array a = array(int8, {12}, {-128, -128, -128, -128, 127, 1, 2, 3, 9, -9, 0, 5});
  const runtime::Array b = array(int8, {12}, {-128, -128, -128, -128, -128, 4, 5, 6, 1, 2, 3, 4});
  const runtime::Array c = integers(int32, {1, 2, 3}), expected = integers(int32, {1, 2, 3});
  run(by_instruction, {a, b, c});
  run(by_loops, {a, b, expected});
  EXPECT_EQ(elements(c), elements(expected));
  EXPECT_EQ(elements(c), (Numbers{65537, -16222, 14}));
}

Function tiled(const std::string& lda) {
  return program(R"(def main(A: T.Buffer((8, 12)), B: T.Buffer((12, 8)), C: T.Buffer((8, 8))):
    for i, j, k in T.grid(2, 2, 3):
        T.tensor_instruction("ardea.tile_4x4x4_f32", T.address_of(C[i * 4, j * 4]), T.address_of(A[i * 4, k * 4]), T.address_of(B[k * 4, j * 4]), 8, )" +
                 lda + ", 8)\n");
}

TEST(Instructions, windows_have_the_strides_they_are_given) {
  const Numbers a = pattern(96, 5), b = pattern(96, 7);
  Numbers expected(64);
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 8; ++j)
      for (std::size_t k = 0; k < 12; ++k) expected[i * 8 + j] += a[i * 12 + k] * b[k * 8 + j];
  const runtime::Array c = zeros(float32, {8, 8});
  run(tiled("12"), {array(float32, {8, 12}, a), array(float32, {12, 8}, b), c});
  EXPECT_EQ(elements(c), expected);
  EXPECT_TRUE(
      says(error_of([&] { run(tiled("100"), {array(float32, {8, 12}, a), array(float32, {12, 8}, b), c}); }),
           "tile_4x4x4_f32: reads A[1, 0], which is element"));
}

TEST(Instructions, wrong_calls_are_reported) {
  const auto call = [](const std::string& arguments) {
    const Function f =
        program(R"(def main(A: T.Buffer((16,), "int8"), C: T.Buffer((2,), "int32"), n: T.int64):
    L = T.allocate([4], "int8", "local")
    L_1 = T.Buffer((4,), "int8", data=L, scope="local")
    R = T.Buffer((16,), "int8", data=C.data)
    T.tensor_instruction()" +
                arguments + ")\n");
    return error_of([&] { run(f, {zeros(int8, {16}), zeros(int32, {2}), std::int64_t{1}}); });
  };
  const std::string a = "T.address_of(A[0])", c = "T.address_of(C[1])";
  EXPECT_EQ(call("\"ardea.dot4_i8\", " + c + ", " + a + ", " + a), "");
  EXPECT_TRUE(says(call("\"ardea.dot4_i9\", " + c + ", " + a + ", " + a), "did you mean"));
  EXPECT_TRUE(says(call("\"ardea.dot4_i8\", " + c + ", " + a), "ardea.dot4_i8 takes 3 arguments, got 2"));
  EXPECT_TRUE(says(call("\"ardea.dot4_i8\", " + c + ", " + a + ", n"), "operand 3 must be an address"));
  EXPECT_TRUE(says(call("\"ardea.dot4_i8\", " + c + ", " + a + ", T.address_of(L_1[0])"),
                   "operand 3 must live in scope \"global\", but L lives in \"local\""));
  EXPECT_TRUE(says(call("\"ardea.dot4_i8\", T.address_of(R[1]), " + a + ", " + a),
                   "operand 1 must be aligned to 4 bytes, but begins at byte 1 of C"));
  EXPECT_TRUE(says(call("\"ardea.dot4_i8\", " + c + ", T.address_of(A[13]), " + a),
                   "dot4_i8: reads A[3], which is element 3"));
}

}  // namespace
}  // namespace ardea::interp
