#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>

#include <algorithm>

#include "ardea/codegen/llvm/emitter.h"
#include "ardea/codegen/llvm/types.h"
#include "ardea/codegen/ranges/masks.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"
#include "ardea/support/narrow_float.h"
#include "ardea/support/overloaded.h"

namespace ardea::codegen {

namespace {

/// x < limit ? limit : x (greatest), or x > limit ? limit : x.
struct Bound {
  bool greatest;
  llvm::Constant* limit;
};

/// What a choice is on a machine with one instruction for it, whose extremes are NaN where x is, as the
/// choice is. Zeros are left alone: there the signs would tell.
std::optional<Bound> bound_by(llvm::Value* condition, llvm::Value* when_true, llvm::Value* when_false,
                              const target::Target& target) {
  const auto* test = llvm::dyn_cast<llvm::FCmpInst>(condition);
  auto* limit = llvm::dyn_cast<llvm::Constant>(when_true);
  if (target.arch != target::Arch::aarch64 || test == nullptr || limit == nullptr ||
      test->getOperand(0) != when_false || test->getOperand(1) != limit)
    return std::nullopt;
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(
      limit->getType()->isVectorTy() ? limit->getSplatValue() : limit);
  if (number == nullptr || number->isZero() || number->isNaN()) return std::nullopt;
  if (test->getPredicate() == llvm::FCmpInst::FCMP_OLT) return Bound{true, limit};
  if (test->getPredicate() == llvm::FCmpInst::FCMP_OGT) return Bound{false, limit};
  return std::nullopt;
}

}  // namespace

llvm::Value* Emitter::integer(llvm::Type* type, std::int64_t value) {
  return llvm::ConstantInt::get(type, static_cast<std::uint64_t>(value), true);
}

llvm::Value* Emitter::splat(llvm::Value* scalar, int lanes) {
  return lanes == 1 ? scalar : builder_.CreateVectorSplat(static_cast<unsigned>(lanes), scalar);
}

llvm::Value* Emitter::emit(const Expr& e) {
  if (e.is<VarNode>()) return emit_variable(Var(e));
  for (const auto& table : frame_.shared)
    if (const auto at = table.find(e); at != table.end()) return at->second;
  const std::int64_t effects_before = frame_.effects;
  llvm::Value* value = emit_node(e);
  // What has an effect runs as often as the tree mentions it, and memory read before it is stale after it.
  if (frame_.effects == effects_before)
    frame_.shared.back().emplace(e, value);
  else
    for (auto& table : frame_.shared) table.clear();
  return value;
}

llvm::Value* Emitter::emit_node(const Expr& e) {
  const DataType type = e.type();
  return std::visit(overloaded{
                        [&](const IntImm& x) { return integer(register_type(context_, type), x.value); },
                        [&](const FloatImm& x) { return emit_constant(x.value, type); },
                        [&](const StringImm& x) -> llvm::Value* { return string_constant(x.value); },
                        [&](const VarNode&) { return emit_variable(Var(e)); },
                        [&](const Cast& x) { return emit_cast(emit(x.value), x.value.type(), type); },
                        [&](const Unary& x) { return emit_unary(x); },
                        [&](const Binary& x) { return emit_binary(e, x); },
                        [&](const Select& x) {
                          if (is_masked_already(x.condition, x.when_true, x.when_false))
                            return emit(x.when_true);
                          llvm::Value* condition = emit(x.condition);
                          llvm::Value* when_true = emit(x.when_true);
                          llvm::Value* when_false = emit(x.when_false);
                          if (const auto bound = bound_by(condition, when_true, when_false, target_))
                            return emit_extreme(bound->greatest, when_false, bound->limit);
                          return builder_.CreateSelect(condition, when_true, when_false);
                        },
                        [&](const Let& x) { return emit_let(x); },
                        [&](const Load& x) { return emit_load(x, type); },
                        [&](const Call& x) { return emit_call(e, x); },
                        [&](const Ramp& x) { return emit_ramp(x, type.lanes); },
                        [&](const Broadcast& x) { return splat(emit(x.value), type.lanes); },
                        [&](const Shuffle& x) { return emit_shuffle(x); },
                    },
                    e.variant());
}

llvm::Value* Emitter::emit_constant(double value, DataType type) {
  if (type.bits == 16)
    return integer(register_type(context_, type), encode_narrow(value, narrow_format(type)));
  return llvm::ConstantFP::get(register_type(context_, type), value);
}

llvm::Value* Emitter::emit_variable(const Var& var) {
  const auto at = frame_.values.find(var);
  ensure(at != frame_.values.end(), "{}: the LLVM backend met the variable {}, which nothing defines", name_,
         var.name());
  return at->second;
}

llvm::Value* Emitter::emit_let(const Let& let) {
  llvm::Value* value = emit(let.value);
  frame_.values[let.var] = value;
  ranges_.define(let.var, ranges_.of(let.value));
  llvm::Value* body = emit(let.body);
  frame_.values.erase(let.var);
  return body;
}

llvm::Value* Emitter::emit_ramp(const Ramp& ramp, int lanes) {
  // A number that is added goes with the lanes: ramps that begin some steps apart then share what changes,
  // which a machine brings from one kind of register to the other once.
  Expr moving = ramp.base;
  std::int64_t added = 0;
  if (const auto* sum = moving.as<Binary>(); sum != nullptr && sum->op == BinaryOp::add)
    if (const auto number = constant_int(sum->right)) {
      moving = sum->left;
      added = *number;
    }
  llvm::Value* base = emit(moving);
  llvm::Value* stride = emit(ramp.stride);
  const auto numbers = [&](std::int64_t first, std::int64_t step) {
    std::vector<llvm::Constant*> all;
    for (int lane = 0; lane < lanes; ++lane)
      all.push_back(llvm::ConstantInt::get(base->getType(), static_cast<std::uint64_t>(first + lane * step)));
    return llvm::ConstantVector::get(all);
  };
  llvm::Value* offsets = builder_.CreateMul(splat(stride, lanes), numbers(0, 1));
  return builder_.CreateAdd(splat(base, lanes), builder_.CreateAdd(offsets, numbers(added, 0)));
}

llvm::Value* Emitter::emit_shuffle(const Shuffle& shuffle) {
  // Vectors of one kind as one instruction, which LLVM knows how to divide; others lane by lane.
  const DataType type = shuffle.vectors[0].type();
  if (!type.is_scalar() && shuffle.indices.size() > 1 &&
      std::all_of(shuffle.vectors.begin(), shuffle.vectors.end(),
                  [&](const Expr& vector) { return vector.type() == type; })) {
    std::vector<llvm::Value*> vectors;
    for (const Expr& vector : shuffle.vectors) vectors.push_back(emit(vector));
    const std::vector<int> picked(shuffle.indices.begin(), shuffle.indices.end());
    return builder_.CreateShuffleVector(llvm::concatenateVectors(builder_, vectors), picked);
  }
  std::vector<llvm::Value*> lanes;
  for (const Expr& vector : shuffle.vectors) {
    llvm::Value* value = emit(vector);
    for (int lane = 0; lane < vector.type().lanes; ++lane)
      lanes.push_back(vector.type().is_scalar() ? value : builder_.CreateExtractElement(value, lane));
  }
  const std::vector<std::int64_t>& picks = shuffle.indices;
  if (picks.size() == 1) return lanes[static_cast<std::size_t>(picks[0])];
  llvm::Value* result =
      llvm::PoisonValue::get(with_lanes(lanes[0]->getType(), static_cast<int>(picks.size())));
  for (std::size_t i = 0; i < picks.size(); ++i)
    result = builder_.CreateInsertElement(result, lanes[static_cast<std::size_t>(picks[i])], i);
  return result;
}

llvm::Value* Emitter::emit_lazily(llvm::Value* condition, const std::function<llvm::Value*()>& when_true,
                                  const std::function<llvm::Value*()>& when_false) {
  llvm::BasicBlock* sides[] = {new_block("chosen"), new_block("other")};
  llvm::BasicBlock* join = new_block("joined");
  builder_.CreateCondBr(condition, sides[0], sides[1]);
  llvm::Value* values[2];
  for (int side = 0; side < 2; ++side) {
    builder_.SetInsertPoint(sides[side]);
    frame_.shared.emplace_back();  // what this side computes does not exist after it
    values[side] = side == 0 ? when_true() : when_false();
    frame_.shared.pop_back();
    sides[side] = builder_.GetInsertBlock();
    builder_.CreateBr(join);
  }
  builder_.SetInsertPoint(join);
  if (values[0]->getType()->isVoidTy()) return values[0];
  llvm::PHINode* result = builder_.CreatePHI(values[0]->getType(), 2);
  for (int side = 0; side < 2; ++side) result->addIncoming(values[side], sides[side]);
  return result;
}

namespace {

/// Whether computing e where it is not wanted costs little and touches nothing.
bool is_free_to_compute(const Expr& e) {
  bool free = true;
  visit_exprs(e, [&](const Expr& x) { free = free && !x.is<Load>() && !x.is<Call>(); });
  return free;
}

}  // namespace

llvm::Value* Emitter::emit_if_then_else(const Expr& condition, const Expr& when_true,
                                        const Expr& when_false) {
  llvm::Value* chosen = emit(condition);
  if (is_free_to_compute(when_true) && is_free_to_compute(when_false)) {
    llvm::Value* left = emit(when_true);
    return builder_.CreateSelect(chosen, left, emit(when_false));
  }
  return emit_lazily(chosen, [&] { return emit(when_true); }, [&] { return emit(when_false); });
}

llvm::Value* Emitter::emit_logical(const Binary& binary) {
  const bool is_and = binary.op == BinaryOp::logical_and;
  llvm::Value* left = emit(binary.left);
  if (binary.left.type().is_vector() || is_free_to_compute(binary.right)) {
    llvm::Value* right = emit(binary.right);
    return is_and ? builder_.CreateAnd(left, right) : builder_.CreateOr(left, right);
  }
  const auto right = [&] { return emit(binary.right); };
  const auto known = [&]() -> llvm::Value* { return builder_.getInt1(!is_and); };
  return is_and ? emit_lazily(left, right, known) : emit_lazily(left, known, right);
}

llvm::Value* Emitter::emit_index(const Expr& index) {
  const DataType type = index.type();
  return emit_cast(emit(index), type, (type.is_uint() ? uint64 : int64).with_lanes(type.lanes));
}

llvm::Constant* Emitter::string_constant(const std::string& text) {
  llvm::Constant*& known = strings_[text];
  if (known == nullptr) known = builder_.CreateGlobalString(text, "text", 0, &module_);
  return known;
}

}  // namespace ardea::codegen
