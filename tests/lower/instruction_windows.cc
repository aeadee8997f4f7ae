#include <fmt/core.h>
#include <gtest/gtest.h>

#include "ardea/arith/verify.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "programs.h"

/// Tensor instructions that a target has stay calls through all passes: their windows are checked, and their
/// strides follow their buffers.

namespace ardea::lower {
namespace {

/// Rows of X, of which a tile at a time is in P.
const char* const through_tiles = R"(
@T.prim_func
def main(X: T.Buffer((32, 48), "int32"), Y: T.Buffer((32, 48), "int32")):
    P = T.alloc_buffer((32, 48), "int32", scope="amx.tile")
    for i, j in T.grid(2, 3):
        with T.block("P"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(X[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16])
            T.writes(P[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16])
            T.tensor_instruction("amx.tileloadd_i32", T.address_of(P[vi * 16, vj * 16]), T.address_of(X[vi * 16, vj * 16]), 48, 48)
        with T.block("Y"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(P[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16])
            T.writes(Y[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16])
            T.tensor_instruction("amx.tilestored_i32", T.address_of(Y[vi * 16, vj * 16]), T.address_of(P[vi * 16, vj * 16]), 48, 48)
)";

TEST(InstructionWindows, give_new_strides_where_a_buffer_shrinks) {
  const Function f = lower_until(parse_function(through_tiles), target::find("sapphirerapids"), "simplify");
  const std::string text = print(f);
  EXPECT_NE(text.find("P = T.allocate([16, 16], \"int32\", \"amx.tile\")"), std::string::npos) << text;
  EXPECT_NE(text.find("T.tensor_instruction(\"amx.tileloadd_i32\", T.address_of(P_1[0, 0]), "
                      "T.address_of(X[i * 16, j * 16]), 16, 48)"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("T.fail"), std::string::npos)
      << "windows that are proved to lie inside are not tested\n"
      << text;
}

TEST(InstructionWindows, keep_the_meaning_through_every_pass) {
  const target::Target target = target::find("sapphirerapids");
  Function f = parse_function(through_tiles);
  const auto x = runtime::Array::zeros({32, 48}, int32), y = runtime::Array::zeros({32, 48}, int32);
  const std::int64_t count = x.element_count();
  for (std::int64_t i = 0; i < count; ++i) x.set_int(i, i * 7 - 1000);
  for (const Pass& pass : pipeline(target)) {
    if (pass.name == "pack_arguments") break;
    f = pass.run(f, target);
    for (const arith::Violation& v : arith::verify(f)) ADD_FAILURE() << pass.name << ": " << v.message;
    for (std::int64_t i = 0; i < count; ++i) y.set_int(i, -1);
    interp::run(f, {x, y});
    for (std::int64_t i = 0; i < count; ++i)
      ASSERT_EQ(y.get_int(i), i * 7 - 1000) << pass.name << "\n" << print(f);
  }
}

/// Tiles of X through the registers of two threads, to the same place of Y; all arrays have this shape.
bool runs_in_parallel(const std::string& shape, const std::string& place, int stride) {
  const std::string text = fmt::format(R"(
@T.prim_func
def main(X: T.Buffer(({0}), "int32"), Y: T.Buffer(({0}), "int32")):
    for i in T.parallel(2):
        P = T.allocate([16, 16], "int32", "amx.tile")
        P_1 = T.Buffer((16, 16), "int32", data=P, scope="amx.tile")
        T.tensor_instruction("amx.tileloadd_i32", T.address_of(P_1[0, 0]), T.address_of(X[{1}]), 16, {2})
        T.tensor_instruction("amx.tilestored_i32", T.address_of(Y[{1}]), T.address_of(P_1[0, 0]), {2}, 16)
)",
                                       shape, place, stride);
  const Function f =
      lower_until(parse_function(text), target::find("sapphirerapids"), "independent_iterations");
  return print(f).find("T.parallel(2)") != std::string::npos;
}

TEST(InstructionWindows, tell_threads_apart) {
  EXPECT_TRUE(runs_in_parallel("32, 48", "i * 16, 0", 48));
  EXPECT_FALSE(runs_in_parallel("32, 48", "i * 15, 0", 48)) << "a row of both";
  EXPECT_TRUE(runs_in_parallel("16, 48", "0, i * 32", 48));
  EXPECT_FALSE(runs_in_parallel("16, 48", "0, i * 33", 48)) << "the second tile ends in other rows";
  EXPECT_TRUE(runs_in_parallel("32, 4, 4", "i * 16, 0, 0", 16))
      << "four rows of the buffer are one of a tile";
  EXPECT_FALSE(runs_in_parallel("32, 4, 4", "i * 15, 0, 0", 16));
  EXPECT_FALSE(runs_in_parallel("32, 4, 4", "i * 16, 1, 0", 16)) << "each row goes on in the next";
}

TEST(InstructionWindows, beyond_their_memory_fail) {
  const std::string text = R"(
@T.prim_func
def main(C: T.Buffer((16,), "int32"), A: T.Buffer((4,), "uint8"), B: T.Buffer((15, 4), "int8")):
    T.tensor_instruction("avx512.vpdpbusd_broadcast_u8", T.address_of(C[0]), T.address_of(A[0]), T.address_of(B[0, 0]))
)";
  const Function f = lower_until(parse_function(text), target::find("sapphirerapids"), "check_accesses");
  EXPECT_NE(print(f).find("T.fail(\"avx512.vpdpbusd_broadcast_u8: operand B reaches to element {} of B, "
                          "which has {}\", 63, 60)"),
            std::string::npos)
      << print(f);
}

}  // namespace
}  // namespace ardea::lower
