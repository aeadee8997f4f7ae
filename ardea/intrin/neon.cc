#include "ardea/intrin/families.h"

namespace ardea::intrin {

namespace {

using Words = std::map<std::string, std::string>;

/// A vector times one lane of another. The lane's vector is an operand as a whole, so that four instructions
/// share one load of it.
Instruction fmla_lane() {
  return written_instruction("neon.fmla_f32x4_lane", "neon", R"(
@T.prim_func
def fmla(C: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), A: T.Buffer((4,), "float32"), lane: T.int64):
    for j in range(4):
        with T.block("C"):
            vj = T.axis.spatial(4, j)
            C[vj] = T.fma(A[lane % 4], B[vj], C[vj])
)",
                             {{"", 1}, {"", 1}, {"", 1}},
                             {{"llvm", R"(
define void @fmla(ptr %C, ptr %B, ptr %A, i64 %lane) {
  %c = load <4 x float>, ptr %C, align 4
  %b = load <4 x float>, ptr %B, align 4
  %a = load <4 x float>, ptr %A, align 4
  %in = and i64 %lane, 3
  %x = extractelement <4 x float> %a, i64 %in
  %x0 = insertelement <4 x float> poison, float %x, i64 0
  %xs = shufflevector <4 x float> %x0, <4 x float> poison, <4 x i32> zeroinitializer
  %r = call <4 x float> @llvm.fma.v4f32(<4 x float> %xs, <4 x float> %b, <4 x float> %c)
  store <4 x float> %r, ptr %C, align 4
  ret void
}
declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)
)"},
                              {"c", R"(
#include <arm_neon.h>
static inline void $function(void* C, const void* B, const void* A, int64_t lane) {
  vst1q_f32((float*)C, vfmaq_n_f32(vld1q_f32((const float*)C), vld1q_f32((const float*)B), ((const float*)A)[lane & 3]));
}
)"}});
}

/// Four sums of four products of bytes; one lane of A, four bytes, is used by all.
Instruction dot_lane(const std::string& name, const Words& words) {
  return written_instruction(name, "dotprod",
                             filled(R"(
@T.prim_func
def dot(C: T.Buffer((4,), "int32"), B: T.Buffer((4, 4), "$byte"), A: T.Buffer((4, 4), "$byte"), lane: T.int64):
    for j, k in T.grid(4, 4):
        with T.block("C"):
            vj, vk = T.axis.remap("SR", [j, k])
            C[vj] = C[vj] + T.Cast("int32", A[lane % 4, vk]) * T.Cast("int32", B[vj, vk])
)",
                                    words),
                             {{"", 1}, {"", 1}, {"", 1}},
                             {{"llvm", filled(R"(
define void @dot(ptr %C, ptr %B, ptr %A, i64 %lane) {
  %c = load <4 x i32>, ptr %C, align 4
  %b = load <16 x i8>, ptr %B, align 1
  %a = load <4 x i32>, ptr %A, align 1
  %in = and i64 %lane, 3
  %x = extractelement <4 x i32> %a, i64 %in
  %x0 = insertelement <4 x i32> poison, i32 %x, i64 0
  %xs = shufflevector <4 x i32> %x0, <4 x i32> poison, <4 x i32> zeroinitializer
  %xb = bitcast <4 x i32> %xs to <16 x i8>
  %r = call <4 x i32> @llvm.aarch64.neon.$dot.v4i32.v16i8(<4 x i32> %c, <16 x i8> %b, <16 x i8> %xb)
  store <4 x i32> %r, ptr %C, align 4
  ret void
}
declare <4 x i32> @llvm.aarch64.neon.$dot.v4i32.v16i8(<4 x i32>, <16 x i8>, <16 x i8>)
)",
                                              words)},
                              {"c", filled(R"(
#include <arm_neon.h>
static inline void $function(void* C, const void* B, const void* A, int64_t lane) {
  const $l32_t* four = (const $l32_t*)((const char*)A + 4 * (lane & 3));
  vst1q_$s32(($l32_t*)C, vdotq_$s32(vld1q_$s32((const $l32_t*)C), vld1q_$s8((const $l8_t*)B),
                                  vreinterpretq_$s8_$s32(vld1q_dup_$s32(four))));
}
)",
                                           words)}});
}

/// Four sums of n products: every row of A with every row of B.
Instruction matrix(const std::string& name, const std::string& feature, const Words& words,
                   const std::string& rounding = {}) {
  return written_instruction(name, feature,
                             filled(R"(
@T.prim_func
def mmla(C: T.Buffer((2, 2), "$wide"), A: T.Buffer((2, $n), "$a"), B: T.Buffer((2, $n), "$b")):
    for i, j, k in T.grid(2, 2, $n):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj] = C[vi, vj] + T.Cast("$wide", A[vi, vk]) * T.Cast("$wide", B[vj, vk])
)",
                                    words),
                             {{"", 1}, {"", 1}, {"", 1}},
                             {{"llvm", filled(R"(
define void @mmla(ptr %C, ptr %A, ptr %B) {
  %c = load <4 x $acc>, ptr %C, align 4
  %a = load <$lanes x $element>, ptr %A, align $bytes
  %b = load <$lanes x $element>, ptr %B, align $bytes
  %r = call <4 x $acc> @llvm.aarch64.neon.$intrinsic(<4 x $acc> %c, <$lanes x $element> %a, <$lanes x $element> %b)
  store <4 x $acc> %r, ptr %C, align 4
  ret void
}
declare <4 x $acc> @llvm.aarch64.neon.$intrinsic(<4 x $acc>, <$lanes x $element>, <$lanes x $element>)
)",
                                              words)},
                              {"c", filled(R"(
#include <arm_neon.h>
static inline void $function(void* C, const void* A, const void* B) {
  vst1q_$sw(($cw*)C, $call(vld1q_$sw((const $cw*)C), vld1q_$sa((const $ca*)A), vld1q_$sb((const $cb*)B)));
}
)",
                                           words)}},
                             rounding);
}

/// The signs of A and of B are "s" or "u"; `name` is that of the instruction.
Words byte_matrix(const std::string& a, const std::string& b, const std::string& name) {
  const std::string type_a = a == "u" ? "uint8" : "int8", type_b = b == "u" ? "uint8" : "int8";
  // The sums are signed but for the product of two unsigned ones, where C has another type for the same bits.
  const std::string sum = a == b ? a : "s";
  return {{"wide", "int32"},
          {"a", type_a},
          {"b", type_b},
          {"n", "8"},
          {"acc", "i32"},
          {"lanes", "16"},
          {"element", "i8"},
          {"bytes", "1"},
          {"intrinsic", name + ".v4i32.v16i8"},
          {"sw", sum + "32"},
          {"sa", a + "8"},
          {"sb", b + "8"},
          {"cw", sum == "u" ? "uint32_t" : "int32_t"},
          {"ca", type_a + "_t"},
          {"cb", type_b + "_t"},
          {"call", (a == b ? "vmmlaq_" : "vusmmlaq_") + sum + "32"}};
}

}  // namespace

std::vector<Instruction> neon_instructions() {
  return {
      fmla_lane(),
      dot_lane("neon.sdot_lane", {{"byte", "int8"}, {"dot", "sdot"}, {"s", "s"}, {"l", "int"}}),
      dot_lane("neon.udot_lane", {{"byte", "uint8"}, {"dot", "udot"}, {"s", "u"}, {"l", "uint"}}),
      matrix("neon.smmla", "i8mm", byte_matrix("s", "s", "smmla")),
      matrix("neon.ummla", "i8mm", byte_matrix("u", "u", "ummla")),
      matrix("neon.usmmla", "i8mm", byte_matrix("u", "s", "usmmla")),
      matrix("neon.bfmmla", "bf16",
             {{"wide", "float32"},
              {"a", "bfloat16"},
              {"b", "bfloat16"},
              {"n", "4"},
              {"acc", "float"},
              {"lanes", "8"},
              {"element", "bfloat"},
              {"bytes", "2"},
              {"intrinsic", "bfmmla"},
              {"sw", "f32"},
              {"sa", "bf16"},
              {"sb", "bf16"},
              {"cw", "float"},
              {"ca", "bfloat16_t"},
              {"cb", "bfloat16_t"},
              {"call", "vbfmmlaq_f32"}},
             "two products are summed at a time; every sum rounds to odd or to nearest, as the processor has "
             "it, "
             "and numbers below the normal ones are taken and given as 0"),
  };
}

}  // namespace ardea::intrin
