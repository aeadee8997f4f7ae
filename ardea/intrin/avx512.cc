#include <fmt/format.h>

#include "ardea/intrin/families.h"

namespace ardea::intrin {

namespace {

/// One scalar times a vector, added to a vector with one rounding.
Instruction fma(const std::string& name, const std::map<std::string, std::string>& words) {
  return written_instruction(name, "avx512f",
                             filled(R"(
@T.prim_func
def fma(C: T.Buffer(($n,), "$type"), A: T.Buffer((1,), "$type"), B: T.Buffer(($n,), "$type")):
    for j in range($n):
        with T.block("C"):
            vj = T.axis.spatial($n, j)
            C[vj] = T.fma(A[0], B[vj], C[vj])
)",
                                    words),
                             {{"", 1}, {"", 1}, {"", 1}},
                             {{"llvm", filled(R"(
define void @fma(ptr %C, ptr %A, ptr %B) {
  %c = load <$n x $llvm>, ptr %C, align $bytes
  %a = load $llvm, ptr %A, align $bytes
  %b = load <$n x $llvm>, ptr %B, align $bytes
  %a0 = insertelement <$n x $llvm> poison, $llvm %a, i64 0
  %as = shufflevector <$n x $llvm> %a0, <$n x $llvm> poison, <$n x i32> zeroinitializer
  %r = call <$n x $llvm> @llvm.fma.v$n$suffix(<$n x $llvm> %as, <$n x $llvm> %b, <$n x $llvm> %c)
  store <$n x $llvm> %r, ptr %C, align $bytes
  ret void
}
declare <$n x $llvm> @llvm.fma.v$n$suffix(<$n x $llvm>, <$n x $llvm>, <$n x $llvm>)
)",
                                              words)},
                              {"c", filled(R"(
#include <immintrin.h>
static inline void $function(void* C, const void* A, const void* B) {
  _mm512_storeu_$c(C, _mm512_fmadd_$c(_mm512_set1_$c(*(const $ctype*)A), _mm512_loadu_$c(B), _mm512_loadu_$c(C)));
}
)",
                                           words)}});
}

/// Sixteen sums of four products of bytes; `A` has four that every sum uses. In the texts, `as` are these in
/// all lanes, `b` are the others and `c` the sums so far: `$llvm` and `$c` make the result of them.
Instruction vpdpbusd(const std::string& name, const std::map<std::string, std::string>& words) {
  return written_instruction(name, "avx512vnni",
                             filled(R"(
@T.prim_func
def vpdpbusd(C: T.Buffer((16,), "int32"), A: T.Buffer((4,), "$a"), B: T.Buffer((16, 4), "$b")):
    for j, k in T.grid(16, 4):
        with T.block("C"):
            vj, vk = T.axis.remap("SR", [j, k])
            C[vj] = C[vj] + T.Cast("int32", A[vk]) * T.Cast("int32", B[vj, vk])
)",
                                    words),
                             {{"", 1}, {"", 1}, {"", 1}},
                             {{"llvm", filled(R"(
define void @vpdpbusd(ptr %C, ptr %A, ptr %B) {
  %c = load <16 x i32>, ptr %C, align 4
  %four = load i32, ptr %A, align 1
  %b = load <16 x i32>, ptr %B, align 1
  %a = xor i32 %four, $up
  %a0 = insertelement <16 x i32> poison, i32 %a, i64 0
  %as = shufflevector <16 x i32> %a0, <16 x i32> poison, <16 x i32> zeroinitializer
  $llvm
  store <16 x i32> %r, ptr %C, align 4
  ret void
}
declare <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32>, <16 x i32>, <16 x i32>)
)",
                                              words)},
                              {"c", filled(R"(
#include <immintrin.h>
#include <string.h>
static inline void $function(void* C, const void* A, const void* B) {
  int32_t four;
  memcpy(&four, A, 4);
  const __m512i as = _mm512_set1_epi32(four), b = _mm512_loadu_si512(B), c = _mm512_loadu_si512(C);
  $c
  _mm512_storeu_si512(C, r);
}
)",
                                           words)}});
}

/// What the machine has: unsigned with signed bytes.
std::map<std::string, std::string> mixed(const std::string& unsigned_bytes, const std::string& signed_bytes) {
  return {
      {"llvm", fmt::format("%r = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %c, <16 x i32> "
                           "%{}, <16 x i32> %{})",
                           unsigned_bytes, signed_bytes)},
      {"c", fmt::format("const __m512i r = _mm512_dpbusd_epi32(c, {}, {});", unsigned_bytes, signed_bytes)},
      {"a", unsigned_bytes == "as" ? "uint8" : "int8"},
      {"b", unsigned_bytes == "as" ? "int8" : "uint8"},
      {"up", "0"}};
}

/// Signed with signed bytes, which the machine does not have: what all lanes share is moved up by 128, and
/// 128 times the sum of the others is taken off. That sum is the same for all rows that meet the same vector:
/// the compiler finds it once for them.
std::map<std::string, std::string> both_signed() {
  return {{"a", "int8"},
          {"b", "int8"},
          {"up", "-2139062144"},  // 128 in each byte
          {"llvm", R"(%by0 = insertelement <16 x i32> poison, i32 -2139062144, i64 0
  %by = shufflevector <16 x i32> %by0, <16 x i32> poison, <16 x i32> zeroinitializer
  %sums = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %c, <16 x i32> %as, <16 x i32> %b)
  %over = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <16 x i32> %by, <16 x i32> %b)
  %r = sub <16 x i32> %sums, %over)"},
          {"c", R"(const __m512i by = _mm512_set1_epi8(-128);
  const __m512i over = _mm512_dpbusd_epi32(_mm512_setzero_si512(), by, b);
  const __m512i r = _mm512_sub_epi32(_mm512_dpbusd_epi32(c, _mm512_xor_si512(as, by), b), over);)"}};
}

}  // namespace

std::vector<Instruction> avx512_instructions() {
  return {
      fma("avx512.fma_f32x16", {{"n", "16"},
                                {"type", "float32"},
                                {"llvm", "float"},
                                {"suffix", "f32"},
                                {"bytes", "4"},
                                {"ctype", "float"},
                                {"c", "ps"}}),
      fma("avx512.fma_f64x8", {{"n", "8"},
                               {"type", "float64"},
                               {"llvm", "double"},
                               {"suffix", "f64"},
                               {"bytes", "8"},
                               {"ctype", "double"},
                               {"c", "pd"}}),
      vpdpbusd("avx512.vpdpbusd_broadcast_u8", mixed("as", "b")),
      vpdpbusd("avx512.vpdpbusd_broadcast_i8", mixed("b", "as")),
      vpdpbusd("avx512.vpdpbusd_broadcast_signed", both_signed()),
  };
}

}  // namespace ardea::intrin
