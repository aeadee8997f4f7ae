#include <fmt/core.h>

#include "ardea/intrin/families.h"
#include "ardea/intrin/ptx_operands.h"

/// `mma.sync` of Turing and later: sums of 16 × 8, factors of 16 × depth and depth × 8. A warp holds each of
/// them in registers of its lanes (PTX ISA, "matrix fragments for mma"), as the scopes mma.a, mma.b and mma.c
/// say: row g and the columns from 2t on, or of 32 bits t, of an 8 × 8 piece are those of lane 4g + t.
/// `ldmatrix` loads up to four pieces of eight rows of 16 bytes, each row from where one lane points.

namespace ardea::intrin {

namespace mma {

namespace {

using Words = std::map<std::string, std::string>;

/// Factors of one type, `halves` pieces of 16 bytes deep.
struct Factors {
  std::string type;  ///< as programs spell it
  std::string name;  ///< in names of records
  std::string ptx;   ///< in names of instructions
  std::string sums;  ///< the type of the sums
  int bytes = 2;     ///< of an element
  int halves = 2;
  std::string since;  ///< the feature of targets that have it
  std::string rounding;

  int piece() const { return 16 / bytes; }  ///< elements in a row of 16 bytes
  int depth() const { return halves * piece(); }
  bool is_float() const { return sums == "float32"; }
  std::string suffix() const { return fmt::format("k{}_{}", depth(), name); }
  std::string as_sum(const std::string& element) const {
    return type == sums ? element : fmt::format("T.Cast(\"{}\", {})", sums, element);
  }
  Operand a() const {
    return {.scope = "mma.a", .tile_bytes = std::int64_t{16} * depth() * bytes, .lane_words = 2 * halves};
  }
  Operand b() const {
    return {.scope = "mma.b", .tile_bytes = std::int64_t{8} * depth() * bytes, .lane_words = halves};
  }
};

/// Rows of 16 bytes in shared memory, each on a multiple of 16 bytes.
const Operand shared_rows = {.scope = "shared", .alignment_bytes = 16, .stride_bytes = 16};

Operand sums() { return {.scope = "mma.c", .tile_bytes = std::int64_t{16} * 8 * 4, .lane_words = 4}; }

Instruction product(const Factors& f) {
  const std::string& sum = f.is_float() ? "f32" : "s32";
  const int a = 2 * f.halves, b = f.halves;
  const std::string implementation = fmt::format(
      "__device__ __forceinline__ void $function(uint32_t* C, const uint32_t* A, const uint32_t* B) {{\n"
      "  asm(\"mma.sync.aligned.m16n8k{}.row.col.{}.{}.{}.{} {{{}}}, {{{}}}, {{{}}}, {{{}}};\"\n"
      "      : {}\n"
      "      : {}, {});\n"
      "}}\n",
      f.depth(), sum, f.ptx, f.ptx, sum, operands_from(0, 4), operands_from(4, a), operands_from(4 + a, b),
      operands_from(0, 4), registers("+r", "C", 4), registers("r", "A", a), registers("r", "B", b));
  Instruction record = written_instruction("mma.m16n8" + f.suffix(), f.since,
                                           filled(R"(
@T.prim_func
def mma(C: T.Buffer((16, 8), "$sum"), A: T.Buffer((16, $depth), "$type"), B: T.Buffer(($depth, 8), "$type")):
    for i, j, k in T.grid(16, 8, $depth):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj] = C[vi, vj] + $a * $b
)",
                                                  {{"sum", f.sums},
                                                   {"type", f.type},
                                                   {"depth", std::to_string(f.depth())},
                                                   {"a", f.as_sum("A[vi, vk]")},
                                                   {"b", f.as_sum("B[vk, vj]")}}),
                                           {sums(), f.a(), f.b()}, {{"cuda", implementation}}, f.rounding);
  record.cycles = 16;
  return record;
}

/// ldmatrix of 2 · halves pieces into F; lane l points to `row` and `column` of M.
std::string load_text(const Factors& f, const std::string& row, const std::string& column, bool transposes) {
  const int pieces = 2 * f.halves;
  return fmt::format(
      "__device__ __forceinline__ void $function(uint32_t* F, const void* M, int64_t ldm) {{\n"
      "  const int lane = threadIdx.x % 32;\n"
      "  const uint32_t from = (uint32_t)__cvta_generic_to_shared((const char*)M + ((int)ldm * ({}) + {}) * "
      "{});\n"
      "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {{{}}}, [%{}];\"\n"
      "               : {}\n"
      "               : \"r\"(from)\n"
      "               : \"memory\");\n"
      "}}\n",
      row, column, f.bytes, pieces, transposes ? ".trans" : "", operands_from(0, pieces), pieces,
      registers("=r", "F", pieces));
}

Instruction load(const Factors& f, const std::string& name, const std::string& fragment,
                 const std::string& memory, const std::string& loops, const std::string& element,
                 const Operand& operand, const std::string& text) {
  return written_instruction(fmt::format("mma.{}_{}", name, f.suffix()), f.since,
                             filled(R"(
@T.prim_func
def load(f: T.handle, m: T.handle, ldm: T.int64):
    F = T.match_buffer(f, ($fragment), "$type")
    M = T.match_buffer(m, ($memory), "$type", strides=[ldm, 1])
$loops            $element
)",
                                    {{"fragment", fragment},
                                     {"memory", memory},
                                     {"loops", loops},
                                     {"element", element},
                                     {"type", f.type}}),
                             {operand, shared_rows}, {{"cuda", text}});
}

std::string loops_over_rows(int rows, int columns) {
  return fmt::format(
      "    for i, j in T.grid({}, {}):\n        with T.block(\"F\"):\n"
      "            vi, vj = T.axis.remap(\"SS\", [i, j])\n",
      rows, columns);
}

std::string loops_over_tiles(int depth) {
  return fmt::format(
      "    for t, k, j in T.grid(2, {}, 8):\n        with T.block(\"F\"):\n"
      "            vt, vk, vj = T.axis.remap(\"SSS\", [t, k, j])\n",
      depth);
}

/// Of A as it lies by rows of m, and, where elements are of 16 bits, by rows of k; of B two tiles side by
/// side, as they lie by rows of n and by rows of k.
std::vector<Instruction> loads(const Factors& f) {
  const int depth = f.depth(), piece = f.piece();
  const std::string by_m = fmt::format("16, {}", depth), by_k = fmt::format("{}, 16", depth),
                    tiles = fmt::format("2, {}, 8", depth);
  const std::string next = fmt::format("lane / 16 * {}", piece);
  std::vector<Instruction> all = {
      load(f, "load_a", by_m, by_m, loops_over_rows(16, depth), "F[vi, vj] = M[vi, vj]", f.a(),
           load_text(f, "lane % 16", next, false)),
      load(f, "load_b_by_columns", tiles, by_m, loops_over_tiles(depth), "F[vt, vk, vj] = M[vt * 8 + vj, vk]",
           f.b(),
           f.halves == 2
               ? load_text(f, "lane / 16 * 8 + lane % 8", fmt::format("lane / 8 % 2 * {}", piece), false)
               : load_text(f, "lane % 16", "0", false))};
  if (f.bytes != 2) return all;
  all.push_back(
      load(f, "load_a_by_columns", by_m, by_k, loops_over_rows(16, depth), "F[vi, vj] = M[vj, vi]", f.a(),
           load_text(f, f.halves == 2 ? "lane / 16 * 8 + lane % 8" : "lane % 8", "lane / 8 % 2 * 8", true)));
  all.push_back(load(f, "load_b", tiles, by_k, loops_over_tiles(depth), "F[vt, vk, vj] = M[vk, vt * 8 + vj]",
                     f.b(),
                     f.halves == 2 ? load_text(f, "lane % 16", "lane / 16 * 8", true)
                                   : load_text(f, "lane % 8", "lane / 8 % 2 * 8", true)));
  return all;
}

Instruction zero(const std::string& type, const std::string& name) {
  return written_instruction("mma.zero_" + name, "sm75",
                             filled(R"(
@T.prim_func
def zero(C: T.Buffer((16, 8), "$type")):
    for i, j in T.grid(16, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.$type(0)
)",
                                    {{"type", type}}),
                             {sums()}, {{"cuda", R"(
__device__ __forceinline__ void $function(uint32_t* C) {
  C[0] = 0, C[1] = 0, C[2] = 0, C[3] = 0;
}
)"}});
}

/// How sums are stored, two columns at once.
struct Stored {
  std::string sums, type;  ///< as programs spell them
  std::string name;
  int bytes = 4;     ///< of one
  std::string pair;  ///< CUDA's type of two
  std::string of;    ///< CUDA's expression of two sums, $x and $y
};

Instruction store(const Stored& s) {
  const std::string value = s.sums == s.type ? "C[vi, vj]" : fmt::format("T.Cast(\"{}\", C[vi, vj])", s.type);
  return written_instruction(
      "mma.store_" + s.name, "sm75",
      filled(R"(
@T.prim_func
def store(m: T.handle, C: T.Buffer((16, 8), "$sums"), ldm: T.int64):
    M = T.match_buffer(m, (16, 8), "$type", strides=[ldm, 1])
    for i, j in T.grid(16, 8):
        with T.block("M"):
            vi, vj = T.axis.remap("SS", [i, j])
            M[vi, vj] = $value
)",
             {{"sums", s.sums}, {"type", s.type}, {"value", value}}),
      {{.scope = "", .alignment_bytes = std::int64_t{2} * s.bytes, .stride_bytes = std::int64_t{2} * s.bytes},
       sums()},
      {{"cuda", filled(R"(
__device__ __forceinline__ void $function(void* M, const uint32_t* C, int64_t ldm) {
  const int lane = threadIdx.x % 32;
  $pair* const first = ($pair*)((char*)M + ((lane / 4) * ldm + lane % 4 * 2) * $bytes);
  $pair* const second = ($pair*)((char*)first + 8 * ldm * $bytes);
  *first = $low;
  *second = $high;
}
)",
                       {{"pair", s.pair},
                        {"bytes", std::to_string(s.bytes)},
                        {"low", filled(s.of, {{"x", "C[0]"}, {"y", "C[1]"}})},
                        {"high", filled(s.of, {{"x", "C[2]"}, {"y", "C[3]"}})}})}});
}

}  // namespace

}  // namespace mma

std::vector<Instruction> mma_instructions() {
  using namespace mma;
  const std::string sums_of_floats = tensor_core_rounding();
  const std::string tf32 = sums_of_floats + "; of the factors the lowest 13 bits are not read";
  std::vector<Instruction> all;
  for (const int halves : {1, 2}) {
    const std::string first = halves == 1 ? "sm75" : "sm80";
    for (const Factors& f :
         {Factors{"float16", "f16", "f16", "float32", 2, halves, first, sums_of_floats},
          Factors{"bfloat16", "bf16", "bf16", "float32", 2, halves, "sm80", sums_of_floats},
          Factors{"float32", "tf32", "tf32", "float32", 4, halves, "sm80", tf32},
          Factors{"int8", "i8", "s8", "int32", 1, halves, "sm80", ""},
          Factors{"uint8", "u8", "u8", "int32", 1, halves, "sm80", ""}}) {
      all.push_back(product(f));
      for (Instruction& one : loads(f)) all.push_back(std::move(one));
    }
  }
  all.push_back(zero("float32", "f32"));
  all.push_back(zero("int32", "i32"));
  const auto of_floats = [](const std::string& make) {
    return make + "(__uint_as_float($x), __uint_as_float($y))";
  };
  all.push_back(store({"float32", "float32", "f32", 4, "float2", of_floats("make_float2")}));
  all.push_back(store({"float32", "float16", "f16", 2, "__half2", of_floats("__floats2half2_rn")}));
  all.push_back(
      store({"float32", "bfloat16", "bf16", 2, "__nv_bfloat162", of_floats("__floats2bfloat162_rn")}));
  all.push_back(store({"int32", "int32", "i32", 4, "int2", "make_int2((int)$x, (int)$y)"}));
  return all;
}

}  // namespace ardea::intrin
