#include "ardea/codegen/llvm/late_shuffles.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace ardea::codegen {

namespace {

/// Each round takes shuffles past one operation more. Chains are as long as windows are high.
constexpr int most_rounds = 64;

/// What is computed lane by lane, with the flags that say how.
using Kind = std::pair<unsigned, unsigned>;
using Key = std::tuple<Kind, llvm::Value*, llvm::Value*>;

/// Nothing where a lane may trap, or depend on another.
std::optional<Kind> kind_of(const llvm::Instruction& instruction) {
  if (!instruction.getType()->isVectorTy()) return std::nullopt;
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    const llvm::Intrinsic::ID id = call->getIntrinsicID();
    const bool is_extreme = id == llvm::Intrinsic::maximum || id == llvm::Intrinsic::minimum ||
                            llvm::isa<llvm::MinMaxIntrinsic>(call);
    // Beyond all numbers of plain operations.
    constexpr unsigned first_intrinsic = 1 << 16;
    if (!is_extreme) return std::nullopt;
    return Kind{first_intrinsic + id, instruction.getRawSubclassOptionalData()};
  }
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
      return Kind{instruction.getOpcode(), instruction.getRawSubclassOptionalData()};
    default: return std::nullopt;
  }
}

Key key_of(const Kind& kind, const llvm::Instruction& operation) {
  return {kind, operation.getOperand(0), operation.getOperand(1)};
}

/// An operation on two vectors that the same lanes are picked of.
struct Picked {
  llvm::Value *a, *b, *c, *d;  ///< op(shuffle(a, b), shuffle(c, d)); no b and d where only one is picked from
  std::vector<int> lanes;

  auto sources() const { return std::tuple(a, b, c, d); }
};

llvm::ShuffleVectorInst* same_width_shuffle(llvm::Value* value) {
  auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value);
  return shuffle != nullptr && shuffle->getOperand(0)->getType() == shuffle->getType() ? shuffle : nullptr;
}

/// A number that all lanes have is picked of itself.
bool is_same_in_all_lanes(llvm::Value* value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  return constant != nullptr && constant->getSplatValue() != nullptr;
}

std::optional<Picked> picked(const llvm::Instruction& operation) {
  llvm::Value *left = operation.getOperand(0), *right = operation.getOperand(1);
  llvm::ShuffleVectorInst *first = same_width_shuffle(left), *second = same_width_shuffle(right);
  if ((first == nullptr && !is_same_in_all_lanes(left)) ||
      (second == nullptr && !is_same_in_all_lanes(right)) || (first == nullptr && second == nullptr))
    return std::nullopt;
  const llvm::ShuffleVectorInst& one = first != nullptr ? *first : *second;
  const llvm::ArrayRef<int> lanes = one.getShuffleMask();
  if (first != nullptr && second != nullptr && first->getShuffleMask() != second->getShuffleMask())
    return std::nullopt;
  const auto source = [&](llvm::ShuffleVectorInst* shuffle, llvm::Value* same, unsigned operand) {
    return shuffle != nullptr ? shuffle->getOperand(operand) : same;
  };
  Picked out{source(first, left, 0),
             source(first, left, 1),
             source(second, right, 0),
             source(second, right, 1),
             {lanes.begin(), lanes.end()}};
  if (llvm::isa<llvm::UndefValue>(one.getOperand(1))) out.b = out.d = nullptr;
  const bool reads_second =
      first != nullptr && second != nullptr &&
      llvm::isa<llvm::UndefValue>(first->getOperand(1)) != llvm::isa<llvm::UndefValue>(second->getOperand(1));
  return reads_second ? std::nullopt : std::optional(out);
}

class Round {
 public:
  explicit Round(llvm::BasicBlock& block) : block_(block) {
    for (const llvm::Instruction& instruction : block) {
      const auto kind = kind_of(instruction);
      if (!kind) continue;
      present_.insert(key_of(*kind, instruction));
      if (const auto p = picked(instruction)) lanes_[{*kind, p->sources()}].insert(p->lanes);
    }
  }

  bool run() {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block_)) {
      const auto kind = kind_of(instruction);
      if (!kind) continue;
      const Key key = key_of(*kind, instruction);
      if (const auto before = made_.find(key); before != made_.end()) {
        replace(instruction, before->second);
        continue;
      }
      const auto p = picked(instruction);
      made_[key] = p && pays(*kind, *p) ? shuffled(*kind, *p, instruction) : &instruction;
    }
    for (const llvm::WeakTrackingVH& value : replaced_)
      if (value) llvm::RecursivelyDeleteTriviallyDeadInstructions(value);
    return !replaced_.empty();
  }

 private:
  bool pays(const Kind& kind, const Picked& p) const {
    if (p.b == nullptr) return true;
    const int needed =
        (present_.contains({kind, p.a, p.c}) ? 0 : 1) + (present_.contains({kind, p.b, p.d}) ? 0 : 1);
    const auto ways = lanes_.find({kind, p.sources()});
    return needed < 2 || (ways != lanes_.end() && ways->second.size() > 1);
  }

  llvm::Value* shuffled(const Kind& kind, const Picked& p, llvm::Instruction& operation) {
    llvm::Value* first = of(kind, p.a, p.c, operation);
    llvm::Value* second =
        p.b == nullptr ? llvm::PoisonValue::get(operation.getType()) : of(kind, p.b, p.d, operation);
    llvm::Value* shuffle = llvm::IRBuilder<>(&operation).CreateShuffleVector(first, second, p.lanes);
    replace(operation, shuffle);
    return shuffle;
  }

  /// The same operation on other vectors, before it.
  llvm::Value* of(const Kind& kind, llvm::Value* left, llvm::Value* right, llvm::Instruction& operation) {
    llvm::Value*& value = made_[{kind, left, right}];
    if (value != nullptr) return value;
    llvm::Instruction* copy = operation.clone();
    copy->setOperand(0, left);
    copy->setOperand(1, right);
    copy->insertBefore(&operation);
    return value = copy;
  }

  void replace(llvm::Instruction& instruction, llvm::Value* by) {
    instruction.replaceAllUsesWith(by);
    replaced_.emplace_back(&instruction);
  }

  llvm::BasicBlock& block_;
  std::set<Key> present_;  ///< at the beginning
  std::map<std::pair<Kind, decltype(std::declval<Picked>().sources())>, std::set<std::vector<int>>> lanes_;
  std::map<Key, llvm::Value*> made_;
  std::vector<llvm::WeakTrackingVH> replaced_;
};

}  // namespace

bool shuffle_after_operations(llvm::Function& function, llvm::ScalarEvolution&) {
  bool has_changed = false;
  for (llvm::BasicBlock& block : function)
    for (int round = 0; round < most_rounds && Round(block).run(); ++round) has_changed = true;
  return has_changed;
}

}  // namespace ardea::codegen
