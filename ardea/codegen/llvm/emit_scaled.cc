#include <llvm/IR/IntrinsicsX86.h>

#include "ardea/codegen/llvm/emitter.h"

/// T.scalbn: x * 2^n, n a whole number as a float.

namespace ardea::codegen {

namespace {

/// The machine's own instruction for whole registers of this type, or not_intrinsic.
llvm::Intrinsic::ID scaling_instruction(llvm::Type* type, const target::Target& target) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector == nullptr || target.arch != target::Arch::x86_64) return llvm::Intrinsic::not_intrinsic;
  const bool single = vector->getElementType()->isFloatTy(), narrow = target.has("avx512vl");
  const auto bits = vector->getPrimitiveSizeInBits().getFixedValue();
  if (bits == 512 && target.has("avx512f"))
    return single ? llvm::Intrinsic::x86_avx512_mask_scalef_ps_512
                  : llvm::Intrinsic::x86_avx512_mask_scalef_pd_512;
  if (bits == 256 && narrow)
    return single ? llvm::Intrinsic::x86_avx512_mask_scalef_ps_256
                  : llvm::Intrinsic::x86_avx512_mask_scalef_pd_256;
  if (bits == 128 && narrow)
    return single ? llvm::Intrinsic::x86_avx512_mask_scalef_ps_128
                  : llvm::Intrinsic::x86_avx512_mask_scalef_pd_128;
  return llvm::Intrinsic::not_intrinsic;
}

}  // namespace

llvm::Value* Emitter::emit_scaled(llvm::Value* x, llvm::Value* n) {
  llvm::Type* type = x->getType();
  const llvm::Intrinsic::ID scaling = scaling_instruction(type, target_);
  if (scaling == llvm::Intrinsic::not_intrinsic) {
    // Saturating: a NaN is no number of steps, and x is NaN then.
    llvm::Type* steps = type->getWithNewType(builder_.getInt32Ty());
    llvm::Value* whole = builder_.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {steps, type}, {n});
    llvm::Value* scaled = builder_.CreateIntrinsic(llvm::Intrinsic::ldexp, {type, steps}, {x, whole});
    return builder_.CreateSelect(builder_.CreateFCmpUNO(n, n), n, scaled);
  }
  constexpr int current_rounding = 4;
  const auto lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  std::vector<llvm::Value*> arguments = {
      x, n, llvm::PoisonValue::get(type),
      llvm::Constant::getAllOnesValue(builder_.getIntNTy(std::max(lanes, 8U)))};
  if (type->getPrimitiveSizeInBits().getFixedValue() == 512)
    arguments.push_back(builder_.getInt32(current_rounding));
  return builder_.CreateIntrinsic(scaling, {}, arguments);
}

}  // namespace ardea::codegen
