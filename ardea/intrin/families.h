#pragma once

#include <vector>

#include "ardea/intrin/instruction.h"

namespace ardea::intrin {

/// The records that come with Ardea, one file a family, one row an instruction. Every operand is read before
/// anything is written; none needs more alignment than its elements have.

/// Arm's vectors: neon.fmla_f32x4_lane, neon.sdot_lane, neon.udot_lane, neon.smmla, neon.ummla, neon.bfmmla.
std::vector<Instruction> neon_instructions();

/// avx512.fma_f32x16, avx512.fma_f64x8, avx512.vpdpbusd_broadcast_u8, …_i8, …_signed.
std::vector<Instruction> avx512_instructions();

/// amx.tdpbssd, …sud, …usd, …uud, amx.tdpbf16ps; amx.tileloadd_*, amx.tileloaddt1_*, amx.tilestored_*,
/// amx.tilezero_*.
std::vector<Instruction> amx_instructions();

/// vta.load_inp, vta.load_wgt, vta.load_acc; vta.gemm, vta.reset; vta.alu_*; vta.store_i8, vta.store_i32.
std::vector<Instruction> vta_instructions();

/// NVIDIA's products of a warp's fragments: mma.m16n8k16_f16, …; mma.load_a_*, mma.load_b_*, mma.zero_*,
/// mma.store_*.
std::vector<Instruction> mma_instructions();

/// The same in three shapes of sums, of Volta and later: wmma.mma_row_col_m16n16k16_f16_f32, …;
/// wmma.load_a_row_*, wmma.load_a_col_*, wmma.load_b_row_*, wmma.load_b_col_*, wmma.zero_*, wmma.store_row_*,
/// wmma.store_col_*.
std::vector<Instruction> wmma_instructions();

/// Products of four warps out of shared memory, of Hopper: wgmma.m64n128k64_f16, …_by_columns; each again as
/// …_swizzled.
std::vector<Instruction> wgmma_instructions();

/// How tensor cores' sums of floating-point products differ from sums one by one.
std::string tensor_core_rounding();

/// A record whose meaning is written in the text form.
Instruction written_instruction(const std::string& name, const std::string& feature,
                                const std::string& meaning, std::vector<Operand> operands,
                                std::map<std::string, std::string> implementations,
                                const std::string& rounding = {});

/// `text` with every $word of the list replaced.
std::string filled(std::string text, const std::map<std::string, std::string>& words);

}  // namespace ardea::intrin
