#include <gtest/gtest.h>

#include "ardea/limits/register_tile.h"
#include "ardea/lower/pipeline.h"
#include "ardea/lower/register_slots.h"
#include "ardea/support/error.h"
#include "programs.h"

/// What scope "register" promises, and what is refused instead of kept half.

namespace ardea::lower {

namespace {

/// The sentence by which lowering refuses a function over X and Y, each of 1024 float32, with that body after
/// an allocation of so many elements.
std::string refusal(int elements, const std::string& body) {
  std::string text =
      "@T.prim_func\n"
      "def f(X: T.Buffer((1024,), \"float32\"), Y: T.Buffer((1024,), \"float32\")):\n"
      "    R = T.allocate([" +
      std::to_string(elements) +
      "], \"float32\", \"register\")\n"
      "    R_1 = T.Buffer((" +
      std::to_string(elements) + ",), data=R, scope=\"register\")\n";
  std::size_t at = 0;
  while (at < body.size()) {
    const std::size_t end = body.find('\n', at);
    text += "    " + body.substr(at, end - at) + "\n";
    at = end + 1;
  }
  try {
    lower(function_of(text), target::find("generic-x86_64"));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Registers, are_indexed_by_constants_after_unrolling) {
  EXPECT_EQ(refusal(8,
                    "for i in range(8):\n"
                    "    R_1[i] = X[i]\n"
                    "for i in T.unroll(8):\n"
                    "    Y[i] = R_1[i]\n"),
            "f: R_1[i] is in the register buffer R, whose indices must be constant after unrolling; unroll "
            "the loop "
            "i, or use scope \"local\"");
  EXPECT_EQ(refusal(8,
                    "for i in T.unroll(8):\n"
                    "    R_1[i] = X[i]\n"
                    "for i in T.unroll(8):\n"
                    "    Y[i] = R_1[i]\n"),
            "");
}

TEST(Registers, name_every_loop_that_is_not_unrolled) {
  EXPECT_EQ(
      refusal(64,
              "for i, j in T.grid(4, 4):\n"
              "    R_1[i * 4 + j] = X[i]\n"),
      "f: R_1[i * 4 + j] is in the register buffer R, whose indices must be constant after unrolling; unroll "
      "the loops i and j, or use scope \"local\"");
}

TEST(Registers, are_no_place_for_strides) {
  EXPECT_EQ(
      refusal(16,
              "R_1[T.Ramp(0, 2, 4)] = X[0:4]\n"
              "Y[0:4] = R_1[0:4]\n"),
      "f: R_1[T.Ramp(T.int32(0), T.int32(2), 4)] is not one row of the register buffer R that is known at "
      "compile time; registers have no addresses: index it by constants and unrolled loops, or use scope "
      "\"local\"");
}

TEST(Registers, hold_rows_that_are_apart_or_parts_of_each_other) {
  EXPECT_EQ(
      refusal(16,
              "R_1[0:4] = X[0:4]\n"
              "R_1[2:6] = X[0:4]\n"
              "Y[0] = R_1[0]\n"),
      "f: the register buffer R is used as [0:4] and as [2:6], which overlap: no vector register holds both; "
      "vectorize all loops over it alike");
}

TEST(Registers, have_no_address) {
  EXPECT_EQ(
      refusal(16,
              "R_1[0:4] = X[0:4]\n"
              "T.evaluate(T.call_registered(\"f\", T.address_of(R_1[0]), dtype=\"int32\"))\n"),
      "f: the address of the register buffer R is given away, but registers have none; use scope \"local\"");
}

TEST(Registers, are_as_many_as_the_target_has) {
  const auto tile = [](int vectors) {
    return "for i in T.unroll(" + std::to_string(vectors) +
           "):\n"
           "    for v in T.vectorized(4):\n"
           "        R_1[i * 4 + v] = T.float32(0)\n"
           "for k in range(9):\n"
           "    for i in T.unroll(" +
           std::to_string(vectors) +
           "):\n"
           "        for v in T.vectorized(4):\n"
           "            R_1[i * 4 + v] = R_1[i * 4 + v] + X[k * 64 + i * 4 + v]\n"
           "for i in T.unroll(" +
           std::to_string(vectors) +
           "):\n"
           "    for v in T.vectorized(4):\n"
           "        Y[i * 4 + v] = R_1[i * 4 + v]\n";
  };
  EXPECT_EQ(refusal(64, tile(16)), "");
  EXPECT_EQ(refusal(68, tile(17)),
            "f: the loop k keeps 17 vector registers of 128 bits in use (the slots of scope \"register\" up "
            "to R_16), "
            "the target generic-x86_64 has 16; make the tile smaller, or use scope \"local\"");
}

TEST(Registers, are_counted_for_a_tile_as_kernels_use_them) {
  const target::Target avx512 = target::find("skylake-avx512"), neon = target::find("neoverse-n1");
  EXPECT_EQ(limits::registers_of({14, 32, float32}, avx512), 31);
  EXPECT_EQ(limits::registers_of({14, 32, float32, true}, avx512), 33);
  EXPECT_EQ(limits::registers_of({6, 64, float32}, avx512), 29);
  EXPECT_EQ(limits::registers_of({7, 64, float32}, avx512), 33);
  EXPECT_EQ(limits::registers_of({8, 12, float32}, neon), 29);
  EXPECT_EQ(limits::registers_of({8, 6, float64}, neon), 31);
  EXPECT_EQ(limits::registers_of({5, 11, float32}, neon), 20);
}

}  // namespace

}  // namespace ardea::lower
