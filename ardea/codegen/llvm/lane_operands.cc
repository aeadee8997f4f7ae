#include "ardea/codegen/llvm/lane_operands.h"

#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <vector>

namespace ardea::codegen {

namespace {

/// Of the vectors that have lanes to multiply by.
constexpr unsigned vector_bits = 128;

/// The broadcasts that are all that is done with the number; nothing where something else is.
std::vector<llvm::ShuffleVectorInst*> broadcasts_of(llvm::LoadInst& load) {
  std::vector<llvm::ShuffleVectorInst*> all;
  for (llvm::User* user : load.users()) {
    auto* first = llvm::dyn_cast<llvm::InsertElementInst>(user);
    const auto* lane = first == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(first->getOperand(2));
    if (lane == nullptr || !lane->isZero() || first->getOperand(1) != &load) return {};
    for (llvm::User* shuffled : first->users()) {
      auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(shuffled);
      if (shuffle == nullptr || shuffle->getOperand(0) != first || !shuffle->isZeroEltSplat()) return {};
      all.push_back(shuffle);
    }
  }
  return all;
}

bool is_operand(llvm::Instruction& instruction) {
  auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  return load != nullptr && load->isSimple() &&
         (load->getType()->isFloatTy() || load->getType()->isDoubleTy()) && !broadcasts_of(*load).empty();
}

/// Whether loads must not be brought forward from behind it: what it stores may be what they read, and where
/// it does not go on they were never made.
bool is_border(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    if (call->getIntrinsicID() == llvm::Intrinsic::prefetch) return false;
  return instruction.mayWriteToMemory() || !llvm::isGuaranteedToTransferExecutionToSuccessor(&instruction);
}

using Loads = std::vector<llvm::LoadInst*>;

/// The loads of each part of a block that has no border, in its order.
std::vector<Loads> parts_of(llvm::BasicBlock& block) {
  std::vector<Loads> parts(1);
  for (llvm::Instruction& instruction : block) {
    if (is_border(instruction)) parts.emplace_back();
    if (is_operand(instruction)) parts.back().push_back(llvm::cast<llvm::LoadInst>(&instruction));
  }
  return parts;
}

class OperandRewriter {
 public:
  explicit OperandRewriter(llvm::ScalarEvolution& evolution) : evolution_(evolution) {}

  bool has_changed() const { return has_changed_; }

  /// Each load is tried as the first of a vector: what it begins is whole, or stays as it is.
  void rewrite(Loads loads) {
    while (!loads.empty()) {
      const Loads row = row_from(loads);
      if (row.empty()) {
        loads.erase(loads.begin());
        continue;
      }
      std::erase_if(
          loads, [&](llvm::LoadInst* load) { return std::find(row.begin(), row.end(), load) != row.end(); });
      replace(row);
    }
  }

 private:
  /// The loads of the numbers from the first one's on that fill a vector. They come after it, so that its
  /// address is known where the vector is loaded.
  Loads row_from(const Loads& loads) const {
    const llvm::LoadInst& first = *loads.front();
    llvm::Type* type = first.getType();
    Loads row(vector_bits / type->getScalarSizeInBits(), nullptr);
    for (llvm::LoadInst* load : loads) {
      if (load->getType() != type) continue;
      const auto distance =
          llvm::getPointersDiff(type, const_cast<llvm::Value*>(first.getPointerOperand()), type,
                                load->getPointerOperand(), first.getDataLayout(), evolution_, true);
      if (distance && *distance >= 0 && *distance < std::ssize(row))
        row[static_cast<std::size_t>(*distance)] = load;
    }
    return std::find(row.begin(), row.end(), nullptr) == row.end() ? row : Loads{};
  }

  void replace(const Loads& row) {
    llvm::LoadInst& first = *row.front();
    llvm::IRBuilder<> builder(&first);
    auto* type = llvm::FixedVectorType::get(first.getType(), static_cast<unsigned>(row.size()));
    llvm::LoadInst* vector =
        builder.CreateAlignedLoad(type, first.getPointerOperand(), first.getAlign(), "operands");
    llvm::propagateMetadata(vector, std::vector<llvm::Value*>(row.begin(), row.end()));
    for (std::size_t lane = 0; lane < row.size(); ++lane)
      for (llvm::ShuffleVectorInst* broadcast : broadcasts_of(*row[lane])) {
        builder.SetInsertPoint(broadcast);
        const std::vector<int> mask(llvm::cast<llvm::FixedVectorType>(broadcast->getType())->getNumElements(),
                                    static_cast<int>(lane));
        broadcast->replaceAllUsesWith(builder.CreateShuffleVector(vector, mask));
        llvm::RecursivelyDeleteTriviallyDeadInstructions(broadcast);
      }
    has_changed_ = true;
  }

  llvm::ScalarEvolution& evolution_;
  bool has_changed_ = false;
};

}  // namespace

bool load_lane_operands(llvm::Function& function, llvm::ScalarEvolution& evolution) {
  OperandRewriter rewriter(evolution);
  for (llvm::BasicBlock& block : function)
    for (Loads& loads : parts_of(block)) rewriter.rewrite(std::move(loads));
  return rewriter.has_changed();
}

}  // namespace ardea::codegen
