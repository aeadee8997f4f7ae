#include <gtest/gtest.h>

#include <functional>

#include "ardea/arith/load.h"
#include "ardea/compile/compile.h"
#include "ardea/interp/interpreter.h"
#include "ardea/intrin/families.h"
#include "ardea/intrin/product_shape.h"
#include "ardea/ir/print.h"
#include "ardea/lower/limits_of.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/schedule/schedule.h"
#include "ardea/schedule/script.h"
#include "ardea/support/random.h"
#include "ardea/target/target.h"
#include "tests/intrin/call.h"

/// VTA's instructions, against plain arithmetic; what its scratchpads' tiles ask for.

namespace ardea::intrin {
namespace {

std::string said_by(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

Function read(const std::string& text) { return arith::load_program(text, "vta.tir").functions[0]; }

/// Two products into one row of sums that begins with D, then the ALU, then both kinds of results.
const char* const all_instructions = R"(
@T.prim_func
def main(A: T.Buffer((32,), "int8"), W: T.Buffer((2, 16, 16), "int8"), D: T.Buffer((16,), "int32"), R: T.Buffer((7, 16), "int32"), Q: T.Buffer((16,), "int8")):
    I = T.alloc_buffer((32,), "int8", scope="vta.inp")
    G = T.alloc_buffer((2, 16, 16), "int8", scope="vta.wgt")
    S = T.alloc_buffer((9, 16), "int32", scope="vta.acc")
    T.tensor_instruction("vta.load_acc", T.address_of(S[0, 0]), T.address_of(D[0]))
    T.tensor_instruction("vta.reset", T.address_of(S[1, 0]))
    for k in range(2):
        T.tensor_instruction("vta.load_inp", T.address_of(I[k * 16]), T.address_of(A[k * 16]))
        T.tensor_instruction("vta.load_wgt", T.address_of(G[k, 0, 0]), T.address_of(W[k, 0, 0]))
        T.tensor_instruction("vta.gemm", T.address_of(S[1, 0]), T.address_of(I[k * 16]), T.address_of(G[k, 0, 0]))
    T.tensor_instruction("vta.alu_add", T.address_of(S[2, 0]), T.address_of(S[1, 0]), T.address_of(S[0, 0]))
    T.tensor_instruction("vta.alu_max", T.address_of(S[3, 0]), T.address_of(S[1, 0]), T.address_of(S[0, 0]))
    T.tensor_instruction("vta.alu_min", T.address_of(S[4, 0]), T.address_of(S[1, 0]), T.address_of(S[0, 0]))
    T.tensor_instruction("vta.alu_relu", T.address_of(S[5, 0]), T.address_of(S[1, 0]))
    T.tensor_instruction("vta.alu_shr_8", T.address_of(S[6, 0]), T.address_of(S[1, 0]))
    T.tensor_instruction("vta.alu_max_int8", T.address_of(S[7, 0]), T.address_of(S[6, 0]))
    T.tensor_instruction("vta.alu_min_int8", T.address_of(S[8, 0]), T.address_of(S[7, 0]))
    for r in range(7):
        T.tensor_instruction("vta.store_i32", T.address_of(R[r, 0]), T.address_of(S[r + 2, 0]))
    T.tensor_instruction("vta.store_i8", T.address_of(Q[0]), T.address_of(S[1, 0]))
)";

TEST(Vta, instructions_compute_what_the_machine_does) {
  const Function f = read(all_instructions);
  using runtime::Array;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Array a = Array::zeros({32}, int8), w = Array::zeros({2, 16, 16}, int8),
                d = Array::zeros({16}, int32), r = Array::zeros({7, 16}, int32), q = Array::zeros({16}, int8);
    for (std::int64_t i = 0; i < 32; ++i) a.set_int(i, random.integer(-128, 127));
    for (std::int64_t i = 0; i < 512; ++i) w.set_int(i, random.integer(-128, 127));
    for (std::int64_t i = 0; i < 16; ++i) d.set_int(i, random.integer(-100000, 100000));
    const std::vector<interp::Argument> arguments = {a, w, d, r, q};
    // The interpreter, and this machine, on which the instructions are what they mean.
    if (seed % 5 == 0)
      call(compile::callable(f, target::host()), arguments);
    else
      interp::run(f, arguments);
    for (std::int64_t j = 0; j < 16; ++j) {
      std::int64_t sum = 0;
      for (std::int64_t k = 0; k < 32; ++k) sum += a.get_int(k) * w.get_int((k / 16) * 256 + j * 16 + k % 16);
      const std::int64_t with = d.get_int(j);
      const std::int64_t shifted = sum >= 0 ? sum / 256 : -((-sum + 255) / 256);
      const std::vector<std::int64_t> expected = {sum + with,
                                                  std::max(sum, with),
                                                  std::min(sum, with),
                                                  std::max<std::int64_t>(sum, 0),
                                                  shifted,
                                                  std::max<std::int64_t>(shifted, -128),
                                                  std::clamp<std::int64_t>(shifted, -128, 127)};
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(r.get_int(static_cast<std::int64_t>(i) * 16 + j), expected[i])
            << "row " << i << " of " << j;
      ASSERT_EQ(q.get_int(j), static_cast<std::int8_t>(static_cast<std::uint8_t>(sum & 255)));
    }
  }
}

TEST(Vta, its_record_and_its_instruction_multiply_as_much) {
  const ProductShape shape = product_shape("vta.gemm");
  const target::TensorShape unit = target::find("vta").tensor_shapes.at(0);
  EXPECT_EQ(shape.rows, unit.rows);
  EXPECT_EQ(shape.columns, unit.columns);
  EXPECT_EQ(shape.depth, unit.depth);
}

/// Scratchpads are addressed by tiles: nothing begins within one.
TEST(Vta, a_cut_tile_is_refused_and_reported) {
  const Function f = read(R"(
@T.prim_func
def main(C: T.Buffer((24,), "int32")):
    S = T.alloc_buffer((24,), "int32", scope="vta.acc")
    T.tensor_instruction("vta.reset", T.address_of(S[8]))
    for i in range(16):
        C[i] = S[i + 8]
)");
  const std::vector<interp::Argument> arguments = {runtime::Array::zeros({24}, int32)};
  EXPECT_NE(said_by([&] {
              interp::run(f, arguments);
            }).find("vta.reset: operand 1 must be a whole tile of 64 bytes, but begins at byte 32 of S"),
            std::string::npos);

  const Function copy = read(R"(
@T.prim_func
def main(A: T.Buffer((40,), "int8"), C: T.Buffer((32,), "int8")):
    S = T.alloc_buffer((40,), "int8", scope="vta.inp")
    for i, j in T.grid(2, 16):
        with T.block("S"):
            vi, vj = T.axis.remap("SS", [i, j])
            S[vi * 16 + vj + 8] = A[vi * 16 + vj + 8]
    for i in range(32):
        with T.block("C"):
            vi = T.axis.remap("S", [i])
            C[vi] = S[vi + 8]
)");
  schedule::Schedule s(copy);
  const auto loops = s.get_loops(s.get_block("S"));
  const std::string refusal = said_by([&] { s.tensorize(loops[1], "vta.load_inp"); });
  EXPECT_NE(refusal.find("must be a whole tile of 16 bytes, but S["), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("pack it by transform_layout, a tile in one piece"), std::string::npos) << refusal;
}

TEST(Vta, runs_no_instruction_that_it_lacks) {
  const Function f = read(R"(
@T.prim_func
def main(C: T.Buffer((16,), "int32")):
    S = T.alloc_buffer((16,), "int32", scope="vta.acc")
    T.tensor_instruction("vta.reset", T.address_of(S[0]))
    T.tensor_instruction("vta.store_i32", T.address_of(C[0]), T.address_of(S[0]))
)");
  EXPECT_EQ(said_by([&] { lower::limits_of(f, target::find("vta-out32")); }), "");
  EXPECT_NE(said_by([&] { lower::limits_of(f, target::find("vta")); })
                .find("T.tensor_instruction(vta.store_i32): it needs the feature vta-out32, which target vta "
                      "has not"),
            std::string::npos);
}

/// A product, shifted, clipped and stored as bytes: every step of it an instruction.
TEST(Vta, a_requantised_product_runs_on_its_alu) {
  for (const auto& [m, k] : {std::pair(1, 16), std::pair(3, 48), std::pair(5, 32)}) {
    std::string text = R"(
@T.prim_func
def main(A: T.Buffer(($m, $k), "int8"), B: T.Buffer((2, $k16, 16, 16), "int8"), C: T.Buffer(($m, 32), "int8")):
    S = T.alloc_buffer(($m, 32), "int32", scope="vta.acc")
    H = T.alloc_buffer(($m, 32), "int32", scope="vta.acc")
    L = T.alloc_buffer(($m, 32), "int32", scope="vta.acc")
    U = T.alloc_buffer(($m, 32), "int32", scope="vta.acc")
    for m, n, k in T.grid($m, 32, $k):
        with T.block("S"):
            vm, vn, vk = T.axis.remap("SSR", [m, n, k])
            with T.init():
                S[vm, vn] = 0
            S[vm, vn] = S[vm, vn] + T.Cast("int32", A[vm, vk]) * T.Cast("int32", B[vn // 16, vk // 16, vn % 16, vk % 16])
    for m, n in T.grid($m, 32):
        with T.block("H"):
            vm, vn = T.axis.remap("SS", [m, n])
            H[vm, vn] = S[vm, vn] >> 8
    for m, n in T.grid($m, 32):
        with T.block("L"):
            vm, vn = T.axis.remap("SS", [m, n])
            L[vm, vn] = T.max(H[vm, vn], -128)
    for m, n in T.grid($m, 32):
        with T.block("U"):
            vm, vn = T.axis.remap("SS", [m, n])
            U[vm, vn] = T.min(L[vm, vn], 127)
    for m, n in T.grid($m, 32):
        with T.block("C"):
            vm, vn = T.axis.remap("SS", [m, n])
            C[vm, vn] = T.Cast("int8", U[vm, vn])
)";
    text =
        filled(text, {{"m", std::to_string(m)}, {"k16", std::to_string(k / 16)}, {"k", std::to_string(k)}});
    const Function original = read(text);
    schedule::Schedule s(original);
    s.replay(schedule::parse_steps(R"(
c = sch.get_block("S")
inp = sch.cache_read(c, 0, "vta.inp")
wgt = sch.cache_read(c, 1, "vta.wgt")
m, n, k = sch.get_loops(c)
no, nt = sch.split(n, [None, 16])
ko, kt = sch.split(k, [None, 16])
sch.reorder(m, no, ko, nt, kt)
zero = sch.decompose_reduction(c, ko)
sch.tensorize(sch.get_loops(zero)[-1], "vta.reset")
sch.tensorize(nt, "vta.gemm")
sch.tensorize(sch.get_loops(wgt)[-2], "vta.load_wgt")
o, t = sch.split(sch.get_loops(inp)[-1], [None, 16])
sch.tensorize(t, "vta.load_inp")
o, t = sch.split(sch.get_loops(sch.get_block("H"))[-1], [None, 16])
sch.tensorize(t, "vta.alu_shr_8")
o, t = sch.split(sch.get_loops(sch.get_block("L"))[-1], [None, 16])
sch.tensorize(t, "vta.alu_max_int8")
o, t = sch.split(sch.get_loops(sch.get_block("U"))[-1], [None, 16])
sch.tensorize(t, "vta.alu_min_int8")
o, t = sch.split(sch.get_loops(sch.get_block("C"))[-1], [None, 16])
sch.tensorize(t, "vta.store_i8")
)",
                                   "alu.py"));
    // Nothing but instructions computes.
    for (const char* operation : {"T.Cast", ">>", "T.max", "T.min", "] = "})
      EXPECT_EQ(print(s.program()).find(operation), std::string::npos) << print(s.program());
    const auto given = measure::make_arguments(original, {.seed = 5});
    const auto after = measure::copy_arguments(given);
    interp::run(s.program(), after);
    for (const measure::Comparison& c :
         measure::check(original, given, after, measure::Reference::interpreter).arguments)
      EXPECT_EQ(c.mismatches, 0) << c.argument;
    EXPECT_EQ(said_by([&] { lower::limits_of(s.program(), target::find("vta")); }), "");
  }
}

}  // namespace
}  // namespace ardea::intrin
