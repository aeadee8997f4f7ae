#include "ardea/intrin/families.h"

/// Tiles of 16 rows of 64 bytes in the scope "amx.tile": 16 × 64 bytes, 16 × 32 bfloat16, 16 × 16 of 32 bits.
/// An implementation names a tile by the number of its register, which the backend puts in the place of $T,
/// $A, $B or $C.

namespace ardea::intrin {

namespace {

using Words = std::map<std::string, std::string>;

const Operand tile = {"amx.tile", 1};
const Operand memory = {"", 1};

/// A product of tiles; of B, which lies as [k / group][j][k % group], `group` values lie side by side.
Instruction product(const std::string& name, const std::string& feature, const Words& words,
                    const std::string& rounding = {}) {
  Instruction record = written_instruction(
      "amx." + name, feature,
      filled(R"(
@T.prim_func
def tdp(c: T.handle, a: T.handle, b: T.handle, ldc: T.int64, lda: T.int64, ldb: T.int64):
    C = T.match_buffer(c, (16, 16), "$sum", strides=[ldc, 1])
    A = T.match_buffer(a, (16, $depth), "$a", strides=[lda, 1])
    B = T.match_buffer(b, (16, 16, $group), "$b", strides=[ldb, $group, 1])
    for i, j, k, q in T.grid(16, 16, 16, $group):
        with T.block("C"):
            vi, vj, vk, vq = T.axis.remap("SSRR", [i, j, k, q])
            C[vi, vj] = C[vi, vj] + T.Cast("$sum", A[vi, vk * $group + vq]) * T.Cast("$sum", B[vk, vj, vq])
)",
             words),
      {tile, tile, tile},
      {{"llvm", "define void @tdp(i64 %ldc, i64 %lda, i64 %ldb) {\n  call void @llvm.x86." + name +
                    "(i8 $C, i8 $A, i8 $B)\n  ret void\n}\ndeclare void @llvm.x86." + name +
                    "(i8 immarg, i8 immarg, i8 immarg)\n"},
       {"c", filled(R"(
#include <immintrin.h>
static inline void $function(int64_t ldc, int64_t lda, int64_t ldb) {
  (void)ldc, (void)lda, (void)ldb;
  _tile_$c($C, $A, $B);
}
)",
                    words)}},
      rounding);
  record.cycles = 16;  // one a row of A
  return record;
}

/// `name` is tileloadd, or tileloaddt1, which says that the memory is not read again soon: it leaves the
/// first cache to others.
Instruction load(const std::string& name, Words words) {
  words["name"] = name;
  words["c"] = name == "tileloadd" ? "loadd" : "stream_loadd";
  return written_instruction("amx." + name + "_" + words.at("short"), "amx-tile",
                             filled(R"(
@T.prim_func
def load(t: T.handle, m: T.handle, ldt: T.int64, ldm: T.int64):
    T_ = T.match_buffer(t, (16, $width), "$type", strides=[ldt, 1])
    M = T.match_buffer(m, (16, $width), "$type", strides=[ldm, 1])
    for i, j in T.grid(16, $width):
        with T.block("T"):
            vi, vj = T.axis.remap("SS", [i, j])
            T_[vi, vj] = M[vi, vj]
)",
                                    words),
                             {tile, memory},
                             {{"llvm", filled(R"(
define void @load(ptr %M, i64 %ldt, i64 %ldm) {
  %stride = mul i64 %ldm, $bytes
  call void @llvm.x86.$name64(i8 $T_, ptr %M, i64 %stride)
  ret void
}
declare void @llvm.x86.$name64(i8 immarg, ptr, i64)
)",
                                              words)},
                              {"c", filled(R"(
#include <immintrin.h>
static inline void $function(const void* M, int64_t ldt, int64_t ldm) {
  (void)ldt;
  _tile_$c($T_, M, ldm * $bytes);
}
)",
                                           words)}});
}

Instruction store(const Words& words) {
  return written_instruction("amx.tilestored_" + words.at("short"), "amx-tile",
                             filled(R"(
@T.prim_func
def store(m: T.handle, t: T.handle, ldm: T.int64, ldt: T.int64):
    T_ = T.match_buffer(t, (16, $width), "$type", strides=[ldt, 1])
    M = T.match_buffer(m, (16, $width), "$type", strides=[ldm, 1])
    for i, j in T.grid(16, $width):
        with T.block("M"):
            vi, vj = T.axis.remap("SS", [i, j])
            M[vi, vj] = T_[vi, vj]
)",
                                    words),
                             {memory, tile},
                             {{"llvm", filled(R"(
define void @store(ptr %M, i64 %ldm, i64 %ldt) {
  %stride = mul i64 %ldm, $bytes
  call void @llvm.x86.tilestored64(i8 $T_, ptr %M, i64 %stride)
  ret void
}
declare void @llvm.x86.tilestored64(i8 immarg, ptr, i64)
)",
                                              words)},
                              {"c", filled(R"(
#include <immintrin.h>
static inline void $function(void* M, int64_t ldm, int64_t ldt) {
  (void)ldt;
  _tile_stored($T_, M, ldm * $bytes);
}
)",
                                           words)}});
}

Instruction zero(const Words& words) {
  return written_instruction("amx.tilezero_" + words.at("short"), "amx-tile",
                             filled(R"(
@T.prim_func
def zero(t: T.handle, ldt: T.int64):
    T_ = T.match_buffer(t, (16, 16), "$type", strides=[ldt, 1])
    for i, j in T.grid(16, 16):
        with T.block("T"):
            vi, vj = T.axis.remap("SS", [i, j])
            T_[vi, vj] = T.$type(0)
)",
                                    words),
                             {tile},
                             {{"llvm", R"(
define void @zero(i64 %ldt) {
  call void @llvm.x86.tilezero(i8 $T_)
  ret void
}
declare void @llvm.x86.tilezero(i8 immarg)
)"},
                              {"c", R"(
#include <immintrin.h>
static inline void $function(int64_t ldt) {
  (void)ldt;
  _tile_zero($T_);
}
)"}});
}

Words bytes_of(const std::string& a, const std::string& b, const std::string& c) {
  return {{"sum", "int32"}, {"depth", "64"}, {"group", "4"}, {"a", a}, {"b", b}, {"c", c}};
}

Words type_of(const std::string& type, const std::string& short_name, int bytes) {
  return {{"type", type},
          {"short", short_name},
          {"bytes", std::to_string(bytes)},
          {"width", std::to_string(64 / bytes)}};
}

}  // namespace

std::vector<Instruction> amx_instructions() {
  const Words i8 = type_of("int8", "i8", 1), u8 = type_of("uint8", "u8", 1),
              bf16 = type_of("bfloat16", "bf16", 2), i32 = type_of("int32", "i32", 4),
              f32 = type_of("float32", "f32", 4);
  return {
      product("tdpbssd", "amx-int8", bytes_of("int8", "int8", "dpbssd")),
      product("tdpbsud", "amx-int8", bytes_of("int8", "uint8", "dpbsud")),
      product("tdpbusd", "amx-int8", bytes_of("uint8", "int8", "dpbusd")),
      product("tdpbuud", "amx-int8", bytes_of("uint8", "uint8", "dpbuud")),
      product("tdpbf16ps", "amx-bf16",
              {{"sum", "float32"},
               {"depth", "32"},
               {"group", "2"},
               {"a", "bfloat16"},
               {"b", "bfloat16"},
               {"c", "dpbf16ps"}},
              "the sums of even and of odd k are made apart, with one rounding a product, and then added; "
              "numbers below "
              "the normal ones are taken and given as 0"),
      load("tileloadd", i8),
      load("tileloadd", u8),
      load("tileloadd", bf16),
      load("tileloadd", i32),
      load("tileloadd", f32),
      load("tileloaddt1", i8),
      load("tileloaddt1", u8),
      load("tileloaddt1", bf16),
      store(i32),
      store(f32),
      zero(i32),
      zero(f32),
  };
}

}  // namespace ardea::intrin
