#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "ardea/codegen/llvm/emitter.h"
#include "ardea/codegen/llvm/types.h"

/// T.lookup: lanes of a table by their numbers.

namespace ardea::codegen {

namespace {

constexpr unsigned lanes_of_register = 16;

/// Whether one instruction picks from two registers what the lanes of a third number.
bool is_one_instruction(llvm::Value* index, llvm::Value* table, const target::Target& target) {
  const auto* numbers = llvm::dyn_cast<llvm::FixedVectorType>(index->getType());
  const auto* values = llvm::cast<llvm::FixedVectorType>(table->getType());
  return target.arch == target::Arch::x86_64 && target.has("avx512f") && numbers != nullptr &&
         numbers->getElementType()->isIntegerTy(32) && numbers->getNumElements() == lanes_of_register &&
         values->getElementType()->isFloatTy() && values->getNumElements() == 2 * lanes_of_register;
}

}  // namespace

llvm::Value* Emitter::emit_lookup(llvm::Value* index, llvm::Value* table) {
  const unsigned count = llvm::cast<llvm::FixedVectorType>(table->getType())->getNumElements();
  if (is_one_instruction(index, table, target_)) {
    const auto half = [&](int first) {
      return builder_.CreateShuffleVector(table, llvm::createSequentialMask(first, lanes_of_register, 0));
    };
    return builder_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_ps_512, {},
                                    {half(0), index, half(lanes_of_register)});
  }
  llvm::Value* within = builder_.CreateAnd(index, llvm::ConstantInt::get(index->getType(), count - 1));
  const auto* numbers = llvm::dyn_cast<llvm::FixedVectorType>(index->getType());
  if (numbers == nullptr) return builder_.CreateExtractElement(table, within);
  llvm::Value* result = llvm::PoisonValue::get(
      with_lanes(table->getType()->getScalarType(), static_cast<int>(numbers->getNumElements())));
  for (unsigned lane = 0; lane < numbers->getNumElements(); ++lane)
    result = builder_.CreateInsertElement(
        result, builder_.CreateExtractElement(table, builder_.CreateExtractElement(within, lane)), lane);
  return result;
}

}  // namespace ardea::codegen
