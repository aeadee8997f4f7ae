#include "ardea/compile/instruction_peaks.h"

#include <fmt/core.h>

#include "ardea/ir/parse.h"

namespace ardea::compile {

namespace {

constexpr std::int64_t depth = 256;  ///< steps of a repeat

/// An instruction on vectors: what it adds to `lanes` sums from `a_step` and `b_step` values.
struct VectorInstruction {
  const char *name, *record, *feature, *a, *b, *sum, *operands;
  std::int64_t lanes, a_step, b_step, products;  ///< of one sum
};

/// A's values of all rows lie side by side, and those of B of all vectors. An instruction that takes a lane
/// has the rows as its lanes.
Function of_vectors(const VectorInstruction& v, std::int64_t rows, std::int64_t vectors, bool by_lane,
                    std::int64_t threads) {
  const std::string sums = "T.address_of(S_1[i * {vectors} + j, 0])";
  const std::string operands =
      by_lane ? "T.address_of(B[t, k, j * {b_step}]), T.address_of(A[t, k, 0]), i"
              : "T.address_of(A[t, k, i * {a_step}]), T.address_of(B[t, k, j * {b_step}])";
  return parse_function(
      fmt::format(fmt::runtime(R"(
@T.prim_func
def peak(A: T.Buffer(({threads}, {depth}, {a_row}), "{a}"), B: T.Buffer(({threads}, {depth}, {b_row}), "{b}"), C: T.Buffer(({threads}, {count}, {lanes}), "{sum}"), repeats: T.int64):
    for t in T.parallel({threads}):
        S = T.allocate([{count}, {lanes}], "{sum}", "register")
        S_1 = T.Buffer(({count}, {lanes}), "{sum}", data=S, scope="register")
        for s in T.unroll({count}):
            for l in T.vectorized({lanes}):
                S_1[s, l] = T.{sum}(0)
        for r in range(repeats):
            for k in range({depth}):
                for i in T.unroll({rows}):
                    for j in T.unroll({vectors}):
                        T.tensor_instruction("{record}", )" +
                               sums + ", " + operands + R"()
        for s in T.unroll({count}):
            for l in T.vectorized({lanes}):
                C[t, s, l] = S_1[s, l]
)"),
                  fmt::arg("threads", threads), fmt::arg("depth", depth), fmt::arg("rows", rows),
                  fmt::arg("vectors", vectors), fmt::arg("count", rows * vectors), fmt::arg("lanes", v.lanes),
                  fmt::arg("a", v.a), fmt::arg("b", v.b), fmt::arg("sum", v.sum),
                  fmt::arg("record", v.record), fmt::arg("a_step", v.a_step), fmt::arg("b_step", v.b_step),
                  fmt::arg("a_row", rows * v.a_step), fmt::arg("b_row", vectors * v.b_step)));
}

/// An instruction on tiles of 16 rows.
struct TileInstruction {
  const char *name, *feature, *a, *b, *sum, *operands;
  const char *load_a, *load_b, *suffix;
  std::int64_t group;  ///< values of 32 bits
};

Function of_tiles(const TileInstruction& v, std::int64_t threads) {
  return parse_function(fmt::format(
      R"(
@T.prim_func
def peak(A: T.Buffer(({threads}, 2, 16, {width}), "{a}"), B: T.Buffer(({threads}, 2, 16, {width}), "{b}"), C: T.Buffer(({threads}, 4, 16, 16), "{sum}"), repeats: T.int64):
    for t in T.parallel({threads}):
        S = T.allocate([4, 16, 16], "{sum}", "amx.tile")
        S_1 = T.Buffer((4, 16, 16), "{sum}", data=S, scope="amx.tile")
        P = T.allocate([2, 16, {width}], "{a}", "amx.tile")
        P_1 = T.Buffer((2, 16, {width}), "{a}", data=P, scope="amx.tile")
        Q = T.allocate([2, 16, {width}], "{b}", "amx.tile")
        Q_1 = T.Buffer((2, 16, {width}), "{b}", data=Q, scope="amx.tile")
        for s in T.unroll(4):
            T.tensor_instruction("amx.tilezero_{suffix}", T.address_of(S_1[s, 0, 0]), 16)
        for s in T.unroll(2):
            T.tensor_instruction("amx.tileloadd_{load_a}", T.address_of(P_1[s, 0, 0]), T.address_of(A[t, s, 0, 0]), {width}, {width})
        for s in T.unroll(2):
            T.tensor_instruction("amx.tileloadd_{load_b}", T.address_of(Q_1[s, 0, 0]), T.address_of(B[t, s, 0, 0]), {width}, {width})
        for r in range(repeats):
            for k in range({depth}):
                for i in T.unroll(2):
                    for j in T.unroll(2):
                        T.tensor_instruction("amx.{name}", T.address_of(S_1[i * 2 + j, 0, 0]), T.address_of(P_1[i, 0, 0]), T.address_of(Q_1[j, 0, 0]), 16, {width}, {width})
        for s in T.unroll(4):
            T.tensor_instruction("amx.tilestored_{suffix}", T.address_of(C[t, s, 0, 0]), T.address_of(S_1[s, 0, 0]), 16, 16)
)",
      fmt::arg("threads", threads), fmt::arg("depth", depth), fmt::arg("width", 16 * v.group),
      fmt::arg("a", v.a), fmt::arg("b", v.b), fmt::arg("sum", v.sum), fmt::arg("suffix", v.suffix),
      fmt::arg("load_a", v.load_a), fmt::arg("load_b", v.load_b), fmt::arg("name", v.name)));
}

constexpr VectorInstruction vector_instructions[] = {
    {"vpdpbusd", "avx512.vpdpbusd_broadcast_u8", "avx512vnni", "uint8", "int8", "int32", "int8", 16, 4, 64,
     4},
    {"smmla", "neon.smmla", "i8mm", "int8", "int8", "int32", "int8", 4, 16, 16, 8},
    {"bfmmla", "neon.bfmmla", "bf16", "bfloat16", "bfloat16", "float32", "bfloat16", 4, 8, 8, 4},
};
constexpr VectorInstruction sdot = {
    "sdot", "neon.sdot_lane", "dotprod", "int8", "int8", "int32", "int8", 4, 4, 16, 4};
constexpr TileInstruction tile_instructions[] = {
    {"tdpbusd", "amx-int8", "uint8", "int8", "int32", "int8", "u8", "i8", "i32", 4},
    {"tdpbf16ps", "amx-bf16", "bfloat16", "bfloat16", "float32", "bfloat16", "bf16", "bf16", "f32", 2},
};

}  // namespace

std::vector<InstructionPeak> instruction_peaks(const target::Target& target, std::int64_t threads) {
  std::vector<InstructionPeak> all;
  const auto add = [&](const VectorInstruction& v, std::int64_t rows, std::int64_t vectors, bool by_lane) {
    // The feature "bf16" of an x86_64 processor is another one.
    const bool is_neon = std::string(v.record).starts_with("neon.");
    if (is_neon != (target.arch == target::Arch::aarch64) || !target.has(v.feature)) return;
    all.push_back({v.name, v.operands, of_vectors(v, rows, vectors, by_lane, threads),
                   2 * rows * vectors * v.lanes * v.products * depth});
  };
  for (const VectorInstruction& v : vector_instructions) add(v, 6, 4, false);
  add(sdot, 4, 6, true);
  for (const TileInstruction& v : tile_instructions)
    if (target.has(v.feature))
      all.push_back(
          {v.name, v.operands, of_tiles(v, threads), std::int64_t{2} * 4 * 16 * 16 * 16 * v.group * depth});
  return all;
}

}  // namespace ardea::compile
