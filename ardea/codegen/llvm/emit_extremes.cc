#include <llvm/IR/IntrinsicsX86.h>

#include "ardea/codegen/llvm/emitter.h"

/// IEEE's minimum and maximum: NaN where either side is NaN, and -0 below +0.

namespace ardea::codegen {

namespace {

/// The machine's own range instruction for vectors of this type, or not_intrinsic.
llvm::Intrinsic::ID range_instruction(llvm::Type* type, const target::Target& target) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector == nullptr || target.arch != target::Arch::x86_64 || !target.has("avx512dq"))
    return llvm::Intrinsic::not_intrinsic;
  const bool single = vector->getElementType()->isFloatTy();
  switch (vector->getPrimitiveSizeInBits().getFixedValue()) {
    case 512:
      return single ? llvm::Intrinsic::x86_avx512_mask_range_ps_512
                    : llvm::Intrinsic::x86_avx512_mask_range_pd_512;
    case 256:
      if (!target.has("avx512vl")) break;
      return single ? llvm::Intrinsic::x86_avx512_mask_range_ps_256
                    : llvm::Intrinsic::x86_avx512_mask_range_pd_256;
    case 128:
      if (!target.has("avx512vl")) break;
      return single ? llvm::Intrinsic::x86_avx512_mask_range_ps_128
                    : llvm::Intrinsic::x86_avx512_mask_range_pd_128;
    default: break;
  }
  return llvm::Intrinsic::not_intrinsic;
}

}  // namespace

llvm::Value* Emitter::emit_extreme(bool greatest, llvm::Value* a, llvm::Value* b) {
  const llvm::Intrinsic::ID range = range_instruction(a->getType(), target_);
  // With a constant LLVM knows more: whether it is NaN, and which zero.
  if (range == llvm::Intrinsic::not_intrinsic || llvm::isa<llvm::Constant>(a) || llvm::isa<llvm::Constant>(b))
    return builder_.CreateBinaryIntrinsic(greatest ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, a,
                                          b);
  // Three instructions, where LLVM 19 finds six: the range orders zeros as it should, but of a number and NaN
  // it takes the number; the sum of both is NaN then.
  constexpr int least_of_two = 4, greatest_of_two = 5, all_lanes = -1, current_rounding = 4;
  const bool whole_register = a->getType()->getPrimitiveSizeInBits().getFixedValue() == 512;
  const auto lanes = llvm::cast<llvm::FixedVectorType>(a->getType())->getNumElements();
  std::vector<llvm::Value*> arguments = {
      a, b, builder_.getInt32(greatest ? greatest_of_two : least_of_two),
      llvm::PoisonValue::get(a->getType()),
      builder_.getIntN(std::max(lanes, 8U), static_cast<std::uint64_t>(all_lanes))};
  if (whole_register) arguments.push_back(builder_.getInt32(current_rounding));
  llvm::Value* extreme = builder_.CreateIntrinsic(range, {}, arguments);
  return builder_.CreateSelect(builder_.CreateFCmpUNO(a, b), builder_.CreateFAdd(a, b), extreme);
}

}  // namespace ardea::codegen
