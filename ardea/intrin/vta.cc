#include "ardea/intrin/families.h"

/// The VTA of its default configuration: products of 1 × 16 by 16 × 16 bytes. Each scratchpad is addressed by
/// tile: 16 bytes of "vta.inp", 16 × 16 of "vta.wgt" (a row an output), 16 sums of "vta.acc". Nothing is said
/// for a backend: the interpreter runs what the records mean.
///
/// One record is one tile of an instruction that can do many: a load or a store walks two dimensions of
/// tiles, a product or an ALU operation two loops of micro-operations.

namespace ardea::intrin {

namespace {

const Operand input = {.scope = "vta.inp", .tile_bytes = 16},
              weights = {.scope = "vta.wgt", .tile_bytes = 256},
              sums = {.scope = "vta.acc", .tile_bytes = 64};

/// Memory that the DMA unit reads and writes is addressed by the same tiles.
Operand tiles_in_memory(std::int64_t tile_bytes) { return {.scope = "global", .tile_bytes = tile_bytes}; }

/// `cycles` of the unit that computes; 0 for what the DMA unit moves.
Instruction vta_record(const std::string& name, const std::string& feature, const std::string& meaning,
                       std::vector<Operand> operands, double cycles = 0) {
  Instruction record = written_instruction("vta." + name, feature, meaning, std::move(operands), {});
  record.cycles = cycles;
  return record;
}

/// A tile of products a cycle. The ALU takes two for a tile, and its fixed sequences are three operations.
constexpr double cycles_of_gemm = 1, cycles_of_alu = 2;
constexpr double cycles_of_sequence = cycles_of_gemm + 2 * cycles_of_alu;

/// A copy by the DMA unit, of a tile that lies as one piece in memory.
Instruction dma_load(const std::string& name, const Operand& scratchpad, const std::string& type,
                     const std::string& tile) {
  const bool is_matrix = tile == "(16, 16)";
  return vta_record(name, "vta",
                    filled(R"(
@T.prim_func
def load(S: T.Buffer($tile, "$type"), M: T.Buffer($tile, "$type")):
    for $loops in T.grid$tile:
        with T.block("S"):
            $iterators = T.axis.remap("$kinds", [$loops])
            S[$iterators] = M[$iterators]
)",
                           {{"tile", tile},
                            {"type", type},
                            {"loops", is_matrix ? "i, j" : "i"},
                            {"iterators", is_matrix ? "vi, vj" : "vi"},
                            {"kinds", is_matrix ? "SS" : "S"}}),
                    {scratchpad, tiles_in_memory(scratchpad.tile_bytes)});
}

/// What leaves is the low part of each sum, which the machine keeps beside the sums as they are made.
Instruction dma_store(const std::string& short_name, const std::string& type, std::int64_t bytes,
                      const std::string& value) {
  return vta_record("store_" + short_name, "vta-out" + std::to_string(8 * bytes),
                    filled(R"(
@T.prim_func
def store(M: T.Buffer((16,), "$type"), C: T.Buffer((16,), "int32")):
    for j in range(16):
        with T.block("M"):
            vj = T.axis.remap("S", [j])
            M[vj] = $value
)",
                           {{"type", type}, {"value", value}}),
                    {tiles_in_memory(16 * bytes), sums});
}

Instruction gemm() {
  return vta_record("gemm", "vta", R"(
@T.prim_func
def gemm(C: T.Buffer((16,), "int32"), A: T.Buffer((16,), "int8"), B: T.Buffer((16, 16), "int8")):
    for j, k in T.grid(16, 16):
        with T.block("C"):
            vj, vk = T.axis.remap("SR", [j, k])
            C[vj] = C[vj] + T.Cast("int32", A[vk]) * T.Cast("int32", B[vj, vk])
)",
                    {sums, input, weights}, cycles_of_gemm);
}

/// A product that resets its sums instead of adding to them.
Instruction reset() {
  return vta_record("reset", "vta", R"(
@T.prim_func
def reset(C: T.Buffer((16,), "int32")):
    for j in range(16):
        with T.block("C"):
            vj = T.axis.remap("S", [j])
            C[vj] = 0
)",
                    {sums}, cycles_of_gemm);
}

/// The ALU works in place. D = a op b is its fixed sequence on a tile that is no operand: reset D, add a to
/// it, op by b.
Instruction alu(const std::string& name, const std::string& value) {
  return vta_record("alu_" + name, "vta",
                    filled(R"(
@T.prim_func
def alu(D: T.Buffer((16,), "int32"), C: T.Buffer((16,), "int32"), E: T.Buffer((16,), "int32")):
    for j in range(16):
        with T.block("D"):
            vj = T.axis.remap("S", [j])
            D[vj] = $value
)",
                           {{"value", value}}),
                    {sums, sums, sums}, cycles_of_sequence);
}

/// The same with a number of 16 bits in the instruction.
Instruction alu_immediate(const std::string& name, const std::string& value) {
  return vta_record("alu_" + name, "vta",
                    filled(R"(
@T.prim_func
def alu(D: T.Buffer((16,), "int32"), C: T.Buffer((16,), "int32")):
    for j in range(16):
        with T.block("D"):
            vj = T.axis.remap("S", [j])
            D[vj] = $value
)",
                           {{"value", value}}),
                    {sums, sums}, cycles_of_sequence);
}

}  // namespace

std::vector<Instruction> vta_instructions() {
  return {
      dma_load("load_inp", input, "int8", "(16,)"),
      dma_load("load_wgt", weights, "int8", "(16, 16)"),
      dma_load("load_acc", sums, "int32", "(16,)"),
      gemm(),
      reset(),
      alu("add", "C[vj] + E[vj]"),
      alu("max", "T.max(C[vj], E[vj])"),
      alu("min", "T.min(C[vj], E[vj])"),
      alu_immediate("relu", "T.max(C[vj], 0)"),
      alu_immediate("max_int8", "T.max(C[vj], -128)"),
      alu_immediate("min_int8", "T.min(C[vj], 127)"),
      alu_immediate("shr_8", "C[vj] >> 8"),
      dma_store("i8", "int8", 1, R"(T.Cast("int8", C[vj]))"),
      dma_store("i32", "int32", 4, "C[vj]"),
  };
}

}  // namespace ardea::intrin
