#include "ardea/codegen/llvm/range_extremes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <vector>

namespace ardea::codegen {

namespace {

/// The instruction for vectors of this type, or not_intrinsic.
llvm::Intrinsic::ID range_instruction(llvm::Type* type, bool has_short_ones) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector == nullptr || !(vector->getElementType()->isFloatTy() || vector->getElementType()->isDoubleTy()))
    return llvm::Intrinsic::not_intrinsic;
  const bool single = vector->getElementType()->isFloatTy();
  switch (vector->getPrimitiveSizeInBits().getFixedValue()) {
    case 512:
      return single ? llvm::Intrinsic::x86_avx512_mask_range_ps_512
                    : llvm::Intrinsic::x86_avx512_mask_range_pd_512;
    case 256:
      if (!has_short_ones) break;
      return single ? llvm::Intrinsic::x86_avx512_mask_range_ps_256
                    : llvm::Intrinsic::x86_avx512_mask_range_pd_256;
    case 128:
      if (!has_short_ones) break;
      return single ? llvm::Intrinsic::x86_avx512_mask_range_ps_128
                    : llvm::Intrinsic::x86_avx512_mask_range_pd_128;
    default: break;
  }
  return llvm::Intrinsic::not_intrinsic;
}

/// The range orders zeros as it should, but of a number and NaN it takes the number; the sum of both is NaN
/// then.
llvm::Value* by_range(llvm::IntrinsicInst& extreme, llvm::Intrinsic::ID range) {
  llvm::IRBuilder<> builder(&extreme);
  llvm::Value *a = extreme.getArgOperand(0), *b = extreme.getArgOperand(1);
  constexpr int least_of_two = 4, greatest_of_two = 5, all_lanes = -1, current_rounding = 4;
  const bool greatest = extreme.getIntrinsicID() == llvm::Intrinsic::maximum;
  const bool whole_register = a->getType()->getPrimitiveSizeInBits().getFixedValue() == 512;
  const auto lanes = llvm::cast<llvm::FixedVectorType>(a->getType())->getNumElements();
  std::vector<llvm::Value*> arguments = {
      a, b, builder.getInt32(greatest ? greatest_of_two : least_of_two), llvm::PoisonValue::get(a->getType()),
      builder.getIntN(std::max(lanes, 8U), static_cast<std::uint64_t>(all_lanes))};
  if (whole_register) arguments.push_back(builder.getInt32(current_rounding));
  llvm::Value* found = builder.CreateIntrinsic(range, {}, arguments);
  return builder.CreateSelect(builder.CreateFCmpUNO(a, b), builder.CreateFAdd(a, b), found);
}

bool take_by_range(llvm::Function& function, bool has_short_ones) {
  bool has_changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* extreme = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (extreme == nullptr || (extreme->getIntrinsicID() != llvm::Intrinsic::maximum &&
                               extreme->getIntrinsicID() != llvm::Intrinsic::minimum))
      continue;
    const llvm::Intrinsic::ID range = range_instruction(extreme->getType(), has_short_ones);
    // With a constant LLVM knows more: whether it is NaN, and which zero.
    if (range == llvm::Intrinsic::not_intrinsic || llvm::isa<llvm::Constant>(extreme->getArgOperand(0)) ||
        llvm::isa<llvm::Constant>(extreme->getArgOperand(1)))
      continue;
    extreme->replaceAllUsesWith(by_range(*extreme, range));
    extreme->eraseFromParent();
    has_changed = true;
  }
  return has_changed;
}

}  // namespace

bool take_extremes_by_range(llvm::Function& function, llvm::ScalarEvolution&) {
  return take_by_range(function, false);
}

bool take_short_extremes_by_range(llvm::Function& function, llvm::ScalarEvolution&) {
  return take_by_range(function, true);
}

}  // namespace ardea::codegen
