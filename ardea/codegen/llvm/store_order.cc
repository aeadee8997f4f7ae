#include "ardea/codegen/llvm/store_order.h"

#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace ardea::codegen {

namespace {

using Row = std::vector<llvm::StoreInst*>;

bool stores_a_vector(const llvm::Instruction& instruction) {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store != nullptr && store->isSimple() && store->getValueOperand()->getType()->isVectorTy();
}

bool follows(llvm::StoreInst& before, llvm::StoreInst& after, llvm::ScalarEvolution& evolution) {
  llvm::Type* type = before.getValueOperand()->getType();
  if (after.getValueOperand()->getType() != type) return false;
  const auto distance = llvm::getPointersDiff(type, before.getPointerOperand(), type,
                                              after.getPointerOperand(), before.getDataLayout(), evolution,
                                              /*StrictCheck=*/true);
  return distance && *distance == 1;
}

/// The rows of each part of a block in which memory is touched by stores of vectors only.
std::vector<std::vector<Row>> runs_of(llvm::BasicBlock& block, llvm::ScalarEvolution& evolution) {
  std::vector<std::vector<Row>> runs(1);
  for (llvm::Instruction& instruction : block) {
    if (!instruction.mayReadOrWriteMemory()) continue;
    if (!stores_a_vector(instruction)) {
      if (!runs.back().empty()) runs.emplace_back();
      continue;
    }
    auto* store = llvm::cast<llvm::StoreInst>(&instruction);
    std::vector<Row>& rows = runs.back();
    if (rows.empty() || !follows(*rows.back().back(), *store, evolution)) rows.emplace_back();
    rows.back().push_back(store);
  }
  return runs;
}

}  // namespace

bool keep_rows_of_stores_together(llvm::Function& function, llvm::ScalarEvolution& evolution) {
  bool has_changed = false;
  for (llvm::BasicBlock& block : function)
    for (const std::vector<Row>& rows : runs_of(block, evolution))
      for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows[i - 1].size() < 2 && rows[i].size() < 2) continue;
        llvm::IRBuilder<> builder(rows[i].front());
        builder.CreateFence(llvm::AtomicOrdering::AcquireRelease, llvm::SyncScope::SingleThread);
        has_changed = true;
      }
  return has_changed;
}

}  // namespace ardea::codegen
