#include <fmt/core.h>

#include <algorithm>

#include "ardea/intrin/families.h"
#include "ardea/intrin/ptx_operands.h"

/// `wmma` of Volta and later: sums of 16 × 16, 32 × 8 or 8 × 32, 16 products deep (8 of tf32). Which lane
/// holds what of a fragment PTX leaves open: it is loaded, multiplied and stored by instructions that agree,
/// and nothing else touches it. So there is a scope for each way in which factors were loaded,
/// wmma.matrix_a_row, …_col, wmma.matrix_b_row, …_col, and for sums of each shape,
/// wmma.accumulator_m16n16k16, ….

namespace ardea::intrin {

namespace wmma {

namespace {

struct Shape {
  int m, n, k;

  std::string name() const { return fmt::format("m{}n{}k{}", m, n, k); }
};

/// How a matrix lies in memory.
constexpr const char* layouts[] = {"row", "col"};

/// Factors of one type.
struct Factors {
  std::string type;   ///< as programs spell it
  std::string name;   ///< in names of records
  std::string ptx;    ///< in names of instructions
  std::string since;  ///< the feature of targets that have it
  int bytes = 2;      ///< of an element

  /// Registers of a lane. Of float16 there are eight whatever the shape: some lanes hold the same element.
  int words(int elements) const { return type == "float16" ? 8 : elements * bytes / 128; }
};

struct Sums {
  std::string type, name, ptx;
  int bytes = 4;

  Operand fragment(const Shape& shape) const {
    return {.scope = "wmma.accumulator_" + shape.name(),
            .tile_bytes = std::int64_t{256} * bytes,
            .lane_words = words()};
  }
  int words() const { return 256 * bytes / 128; }
};

/// One of the two factors.
struct Side {
  std::string name;  ///< "a" or "b"
  int rows, columns;
};
Side left(const Shape& shape) { return {"a", shape.m, shape.k}; }
Side right(const Shape& shape) { return {"b", shape.k, shape.n}; }

Operand fragment(const Factors& f, const Side& side, const std::string& layout) {
  const int elements = side.rows * side.columns;
  return {.scope = fmt::format("wmma.matrix_{}_{}", side.name, layout),
          .tile_bytes = std::int64_t{elements} * f.bytes,
          .lane_words = f.words(elements)};
}

/// Rows of a matrix in memory: each on a multiple of 16 bytes, the first on one of 32 where they are as long.
Operand rows_in_memory(const std::string& scope, int row_bytes) {
  return {.scope = scope, .alignment_bytes = std::min(32, row_bytes), .stride_bytes = 16};
}

std::string cast(const std::string& from, const std::string& to, const std::string& element) {
  return from == to ? element : fmt::format("T.Cast(\"{}\", {})", to, element);
}

Instruction product(const Shape& shape, const Factors& f, const Sums& sums, const std::string& layout_a,
                    const std::string& layout_b, const std::string& rounding) {
  const Operand c = sums.fragment(shape), a = fragment(f, left(shape), layout_a),
                b = fragment(f, right(shape), layout_b);
  // Of float16 the types of the sums alone are named.
  const std::string types = f.type == "float16" ? fmt::format("{0}.{0}", sums.ptx)
                                                : fmt::format("{0}.{1}.{1}.{0}", sums.ptx, f.ptx);
  const std::string implementation = fmt::format(
      "__device__ __forceinline__ void $function(uint32_t* C, const uint32_t* A, const uint32_t* B) {{\n"
      "  asm(\"wmma.mma.sync.aligned.{}.{}.{}.{} {{{}}}, {{{}}}, {{{}}}, {{{}}};\"\n"
      "      : {}\n"
      "      : {}, {});\n"
      "}}\n",
      layout_a, layout_b, shape.name(), types, operands_from(0, c.lane_words),
      operands_from(c.lane_words, a.lane_words), operands_from(c.lane_words + a.lane_words, b.lane_words),
      operands_from(0, c.lane_words), registers("+r", "C", c.lane_words), registers("r", "A", a.lane_words),
      registers("r", "B", b.lane_words));
  Instruction record = written_instruction(
      fmt::format("wmma.mma_{}_{}_{}_{}_{}", layout_a, layout_b, shape.name(), f.name, sums.name), f.since,
      filled(R"(
@T.prim_func
def mma(C: T.Buffer(($m, $n), "$sum"), A: T.Buffer(($m, $k), "$type"), B: T.Buffer(($k, $n), "$type")):
    for i, j, k in T.grid($m, $n, $k):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj] = C[vi, vj] + $a * $b
)",
             {{"m", std::to_string(shape.m)},
              {"n", std::to_string(shape.n)},
              {"k", std::to_string(shape.k)},
              {"sum", sums.type},
              {"type", f.type},
              {"a", cast(f.type, sums.type, "A[vi, vk]")},
              {"b", cast(f.type, sums.type, "B[vk, vj]")}}),
      {c, a, b}, {{"cuda", implementation}}, rounding);
  record.cycles = 32;
  return record;
}

/// What a program of two loops over a fragment says: an element of it is `element` of memory, or the other
/// way round.
struct Moved {
  Operand fragment, memory;
  int rows, columns;  ///< of the fragment
  std::string type, layout;

  bool turns() const { return layout == "col"; }
  std::string shape_in_memory() const {
    return turns() ? fmt::format("{}, {}", columns, rows) : fmt::format("{}, {}", rows, columns);
  }
  std::string element() const { return turns() ? "M[vj, vi]" : "M[vi, vj]"; }
  std::map<std::string, std::string> words() const {
    return {{"rows", std::to_string(rows)},
            {"columns", std::to_string(columns)},
            {"type", type},
            {"memory", shape_in_memory()},
            {"element", element()},
            {"layout", layout}};
  }
};

Instruction load(const Shape& shape, const Factors& f, const Side& side, const std::string& layout) {
  const Operand to = fragment(f, side, layout);
  const int row_bytes = (layout == "row" ? side.columns : side.rows) * f.bytes;
  const Moved moved{to, rows_in_memory("shared", row_bytes), side.rows, side.columns, f.type, layout};
  const std::string implementation = fmt::format(
      "__device__ __forceinline__ void $function(uint32_t* F, const void* M, int64_t ldm) {{\n"
      "  const uint32_t from = (uint32_t)__cvta_generic_to_shared(M);\n"
      "  asm volatile(\"wmma.load.{}.sync.aligned.{}.{}.shared.{} {{{}}}, [%{}], %{};\"\n"
      "               : {}\n"
      "               : \"r\"(from), \"r\"((int)ldm)\n"
      "               : \"memory\");\n"
      "}}\n",
      side.name, layout, shape.name(), f.ptx, operands_from(0, to.lane_words), to.lane_words,
      to.lane_words + 1, registers("=r", "F", to.lane_words));
  return written_instruction(fmt::format("wmma.load_{}_{}_{}_{}", side.name, layout, shape.name(), f.name),
                             f.since,
                             filled(R"(
@T.prim_func
def load(F: T.Buffer(($rows, $columns), "$type"), m: T.handle, ldm: T.int64):
    M = T.match_buffer(m, ($memory), "$type", strides=[ldm, 1])
    for i, j in T.grid($rows, $columns):
        with T.block("F"):
            vi, vj = T.axis.remap("SS", [i, j])
            F[vi, vj] = $element
)",
                                    moved.words()),
                             {moved.fragment, moved.memory}, {{"cuda", implementation}});
}

Instruction store(const Shape& shape, const Sums& sums, const std::string& since, const std::string& layout) {
  const int row_bytes = (layout == "row" ? shape.n : shape.m) * sums.bytes;
  const Moved moved{sums.fragment(shape), rows_in_memory("", row_bytes), shape.m, shape.n, sums.type, layout};
  const std::string implementation = fmt::format(
      "__device__ __forceinline__ void $function(void* M, const uint32_t* C, int64_t ldm) {{\n"
      "  asm volatile(\"wmma.store.d.sync.aligned.{}.{}.{} [%0], {{{}}}, %1;\"\n"
      "               :\n"
      "               : \"l\"(M), \"r\"((int)ldm), {}\n"
      "               : \"memory\");\n"
      "}}\n",
      layout, shape.name(), sums.ptx, operands_from(2, sums.words()), registers("r", "C", sums.words()));
  return written_instruction(fmt::format("wmma.store_{}_{}_{}", layout, shape.name(), sums.name), since,
                             filled(R"(
@T.prim_func
def store(m: T.handle, C: T.Buffer(($rows, $columns), "$type"), ldm: T.int64):
    M = T.match_buffer(m, ($memory), "$type", strides=[ldm, 1])
    for i, j in T.grid($rows, $columns):
        with T.block("M"):
            vi, vj = T.axis.remap("SS", [i, j])
            $element = C[vi, vj]
)",
                                    moved.words()),
                             {moved.memory, moved.fragment}, {{"cuda", implementation}});
}

Instruction zero(const Shape& shape, const Sums& sums, const std::string& since) {
  std::string registers;
  for (int i = 0; i < sums.words(); ++i) registers += fmt::format("{}C[{}] = 0", i > 0 ? ", " : "", i);
  return written_instruction(
      fmt::format("wmma.zero_{}_{}", shape.name(), sums.name), since,
      filled(R"(
@T.prim_func
def zero(C: T.Buffer(($m, $n), "$type")):
    for i, j in T.grid($m, $n):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.$type(0)
)",
             {{"m", std::to_string(shape.m)}, {"n", std::to_string(shape.n)}, {"type", sums.type}}),
      {sums.fragment(shape)},
      {{"cuda",
        fmt::format("__device__ __forceinline__ void $function(uint32_t* C) {{\n  {};\n}}\n", registers)}});
}

void add_products(std::vector<Instruction>& all, const Shape& shape, const Factors& f, const Sums& sums,
                  const std::string& rounding) {
  for (const char* a : layouts)
    for (const char* b : layouts) all.push_back(product(shape, f, sums, a, b, rounding));
}

void add_loads(std::vector<Instruction>& all, const Shape& shape, const Factors& f) {
  for (const char* layout : layouts)
    for (const Side& side : {left(shape), right(shape)}) all.push_back(load(shape, f, side, layout));
}

void add_ends(std::vector<Instruction>& all, const Shape& shape, const Sums& sums, const std::string& since) {
  all.push_back(zero(shape, sums, since));
  for (const char* layout : layouts) all.push_back(store(shape, sums, since, layout));
}

}  // namespace

}  // namespace wmma

std::vector<Instruction> wmma_instructions() {
  using namespace wmma;
  const Factors f16{"float16", "f16", "f16", "sm70", 2}, bf16{"bfloat16", "bf16", "bf16", "sm80", 2},
      i8{"int8", "i8", "s8", "sm72", 1}, u8{"uint8", "u8", "u8", "sm72", 1},
      tf32{"float32", "tf32", "tf32", "sm80", 4};
  const Sums of_f32{"float32", "f32", "f32", 4}, of_f16{"float16", "f16", "f16", 2},
      of_i32{"int32", "i32", "s32", 4};
  const std::string fewer = tensor_core_rounding();
  std::vector<Instruction> all;
  for (const Shape& shape : {Shape{16, 16, 16}, Shape{32, 8, 16}, Shape{8, 32, 16}}) {
    for (const Factors& f : {f16, bf16, i8, u8}) add_loads(all, shape, f);
    add_products(all, shape, f16, of_f32, fewer);
    add_products(all, shape, f16, of_f16, fewer);
    add_products(all, shape, bf16, of_f32, fewer);
    add_products(all, shape, i8, of_i32, "");
    add_products(all, shape, u8, of_i32, "");
    add_ends(all, shape, of_f32, "sm70");
    add_ends(all, shape, of_f16, "sm70");
    add_ends(all, shape, of_i32, "sm72");
  }
  const Shape shallow{16, 16, 8};
  add_loads(all, shallow, tf32);
  add_products(all, shallow, tf32, of_f32, fewer + "; of the factors the lowest 13 bits are not read");
  add_ends(all, shallow, of_f32, "sm80");
  return all;
}

}  // namespace ardea::intrin
