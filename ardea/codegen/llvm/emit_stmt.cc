#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "ardea/codegen/llvm/alignment.h"
#include "ardea/codegen/llvm/emitter.h"
#include "ardea/codegen/llvm/types.h"
#include "ardea/codegen/ranges/plain_indices.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/ir/unroll_hint.h"
#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"

namespace ardea::codegen {

void Emitter::emit(const Stmt& s) {
  // Values are shared inside one statement only: the next one may come after a store, or in another block.
  frame_.shared.assign(1, {});
  ranges_.next_statement();
  std::visit(
      overloaded{
          [&](const Store& x) { emit_store(x); },
          [&](const For& x) { emit_for(x); },
          [&](const If& x) { emit_if(x); },
          [&](const Seq& x) {
            for (const Stmt& part : x.statements) emit(part);
          },
          [&](const Allocate& x) { emit_allocate(x); },
          [&](const DeclareBuffer& x) { emit(x.body); },
          [&](const LetStmt& x) {
            llvm::Value* value = emit(x.value);
            if (!llvm::isa<llvm::Constant>(value) && !value->hasName()) value->setName(x.var.name());
            frame_.values[x.var] = value;
            ranges_.define(x.var, ranges_.of(x.value));
            if (const std::int64_t divisor = known_divisor(x.value, frame_.divisors); divisor > 1)
              frame_.divisors[x.var] = divisor;
            emit(x.body);
            frame_.values.erase(x.var);
          },
          [&](const Assert& x) { emit_assert(x); },
          [&](const Evaluate& x) { emit(x.value); },
          [&](const Block& x) {
            throw InternalError("the LLVM backend met the block " + x.name + ", which lowering removes");
          },
      },
      s.variant());
}

namespace {

/// What LLVM is told about a loop: a word, and a value where it has one.
struct LoopRequest {
  const char* word;
  llvm::Constant* value = nullptr;
};

void request(llvm::Instruction& latch, const std::vector<LoopRequest>& requests) {
  llvm::LLVMContext& context = latch.getContext();
  // The first operand of a loop's node is the node itself, which tells it from all others.
  std::vector<llvm::Metadata*> parts = {nullptr};
  for (const LoopRequest& one : requests) {
    std::vector<llvm::Metadata*> words = {llvm::MDString::get(context, one.word)};
    if (one.value != nullptr) words.push_back(llvm::ConstantAsMetadata::get(one.value));
    parts.push_back(llvm::MDNode::get(context, words));
  }
  llvm::MDNode* loop = llvm::MDNode::getDistinct(context, parts);
  loop->replaceOperandWith(0, loop);
  latch.setMetadata(llvm::LLVMContext::MD_loop, loop);
}

bool has_scalable_vectors(const target::Target& target) {
  return target.arch == target::Arch::aarch64 && target.has("sve");
}

/// Where LLVM's loop vectorizer may choose vectors of the processor's own length, it makes one masked loop of
/// a short one; LLVM 19.1.7 then keeps the mask's flags in registers that other values still live in, and the
/// loops beside it read from wrong addresses. What is vectorized here has a size that is known.
LoopRequest vectors_of_known_size(llvm::IRBuilderBase& builder) {
  return {"llvm.loop.vectorize.scalable.enable", builder.getFalse()};
}

/// LLVM writes out loops of up to some hundred instructions, and then the loops around them. So many steps of
/// a nest it may; beyond, its blocks are so long that putting them in order takes seconds.
constexpr std::int64_t most_steps_of_a_nest = 128;
/// An inner loop of more steps than these it keeps. Copies of such loops with constant addresses are fast
/// code, and small where the nest has not more steps than those.
constexpr std::int64_t most_steps_of_a_loop = 96, most_steps_of_long_loops = 2048;

/// Whether the loop works on slots of scope "register". Its schedule has chosen vectors and copies: more of
/// either would not fit the registers.
bool is_tile_loop(const For& loop) {
  bool found = false;
  for (const Buffer& buffer : buffers_in(loop.body)) found = found || buffer->scope == register_scope;
  return found;
}

/// What a loop with loops in it would become if it and they were written out; those of unknown extent once.
std::int64_t written_out_steps(const Stmt& s) {
  constexpr std::int64_t most = 1 << 20;  // any more is as many
  if (s.is<Store>() || s.is<Evaluate>()) return 1;
  std::int64_t steps = 0;
  for_each_child(s, [](const Expr&) {}, [&](const Stmt& part) { steps += written_out_steps(part); });
  if (const auto* loop = s.as<For>())
    steps *= std::clamp<std::int64_t>(constant_int(loop->extent).value_or(1), 0, most);
  return std::min(steps, most);
}

/// Whether LLVM may not write out the loop with the loops in it, which nobody asked for.
bool is_large_nest(const For& loop) {
  std::int64_t longest = 0;
  visit_stmts(loop.body, [&](const Stmt& s) {
    if (s.is<For>()) longest = std::max(longest, written_out_steps(s));
  });
  if (longest == 0) return false;
  return written_out_steps(loop) >
         (longest <= most_steps_of_a_loop ? most_steps_of_a_nest : most_steps_of_long_loops);
}

/// How far e moves with each iteration of the variable's loop, where that shows in its sums.
std::optional<std::int64_t> step_of(const Expr& e, const Var& var) {
  if (e == var) return 1;
  if (!uses(e, var)) return 0;
  const auto* sum = e.as<Binary>();
  if (sum == nullptr || (sum->op != BinaryOp::add && sum->op != BinaryOp::sub)) return std::nullopt;
  const auto left = step_of(sum->left, var), right = step_of(sum->right, var);
  if (!left || !right) return std::nullopt;
  return sum->op == BinaryOp::add ? *left + *right : *left - *right;
}

/// Whether the loop copies a row element by element: LLVM has vectors for it, or one call, unless it has
/// written out all of it first. Of short rows it makes the better code then.
bool copies_a_row(const For& loop) {
  constexpr std::int64_t shortest = 16;
  const auto* store = loop.body.as<Store>();
  const auto* load = store != nullptr ? store->value.as<Load>() : nullptr;
  return load != nullptr && store->value.type().is_scalar() && store->indices.size() == 1 &&
         load->indices.size() == 1 && constant_int(loop.extent).value_or(0) >= shortest &&
         step_of(store->indices[0], loop.var) == 1 && step_of(load->indices[0], loop.var) == 1;
}

}  // namespace

/// Vectorized and thread-bound loops that are still here mean serial ones.
void Emitter::emit_for(const For& loop) {
  if (may_go_past_caches(loop)) return emit_past_caches(loop);
  // A parallel loop inside another would be run serially by the thread pool: a plain loop is cheaper.
  if (loop.kind == ForKind::parallel && !frame_.is_parallel_body) return emit_parallel(loop);
  ranges_.define_loop(loop.var, loop.min, loop.extent);
  llvm::Value* begin = emit(loop.min);
  llvm::Value* end = builder_.CreateAdd(begin, emit(loop.extent));
  llvm::Instruction* latch = emit_counted_loop(begin, end, loop.var.type().is_int(), [&](llvm::Value* value) {
    value->setName(loop.var.name());
    frame_.values[loop.var] = value;
    emit(loop.body);
    frame_.values.erase(loop.var);
  });
  advise(*latch, loop);
}

void Emitter::advise(llvm::Instruction& latch, const For& loop) {
  std::vector<LoopRequest> requests;
  const bool is_tile = is_tile_loop(loop), is_rolled = loop.annotations.contains(rolled_key);
  if (const std::int64_t count = unroll_count(loop); count > 0 && constant_int(loop.extent) == count)
    requests.push_back({"llvm.loop.unroll.full"});
  else if (count > 0)
    requests.push_back({"llvm.loop.unroll.count", builder_.getInt32(static_cast<std::uint32_t>(count))});
  else if (is_tile || is_rolled || copies_a_row(loop) || is_large_nest(loop))
    requests.push_back({"llvm.loop.unroll.disable"});
  if (is_tile || is_rolled || !has_plain_indices(loop.body))
    requests.push_back({"llvm.loop.vectorize.enable", builder_.getFalse()});
  if (has_scalable_vectors(target_)) requests.push_back(vectors_of_known_size(builder_));
  if (!requests.empty()) request(latch, requests);
}

llvm::Instruction* Emitter::emit_counted_loop(llvm::Value* begin, llvm::Value* end, bool is_signed,
                                              const std::function<void(llvm::Value*)>& body) {
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock *head = new_block("loop"), *inside = new_block("body"), *after = new_block("done");
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  llvm::PHINode* value = builder_.CreatePHI(begin->getType(), 2);
  value->addIncoming(begin, before);
  builder_.CreateCondBr(is_signed ? builder_.CreateICmpSLT(value, end) : builder_.CreateICmpULT(value, end),
                        inside, after);
  builder_.SetInsertPoint(inside);
  body(value);
  // Below `end` there is a next number: this addition cannot wrap.
  llvm::Value* next = builder_.CreateAdd(value, integer(value->getType(), 1), "", !is_signed, is_signed);
  value->addIncoming(next, builder_.GetInsertBlock());
  llvm::Instruction* latch = builder_.CreateBr(head);
  if (has_scalable_vectors(target_)) request(*latch, {vectors_of_known_size(builder_)});
  builder_.SetInsertPoint(after);
  return latch;
}

void Emitter::emit_if(const If& branch) {
  llvm::Value* condition = emit(branch.condition);
  llvm::BasicBlock *then_case = new_block("then"), *after = new_block("end");
  llvm::BasicBlock* else_case = branch.else_case.defined() ? new_block("else") : after;
  builder_.CreateCondBr(condition, then_case, else_case);
  builder_.SetInsertPoint(then_case);
  emit(branch.then_case);
  builder_.CreateBr(after);
  if (branch.else_case.defined()) {
    builder_.SetInsertPoint(else_case);
    emit(branch.else_case);
    builder_.CreateBr(after);
  }
  builder_.SetInsertPoint(after);
}

void Emitter::emit_assert(const Assert& assertion) {
  emit_failure_unless(emit(assertion.condition), [&] { set_error(assertion.message); });
}

void Emitter::set_error(const std::string& sentence) {
  builder_.CreateCall(runtime_function("ardea_set_error"), {string_constant(sentence)});
}

void Emitter::emit_failure_unless(llvm::Value* condition, const std::function<void()>& report) {
  llvm::BasicBlock *fine = new_block("fine"), *failed = new_block("failed");
  builder_.CreateCondBr(condition, fine, failed, llvm::MDBuilder(context_).createLikelyBranchWeights());
  builder_.SetInsertPoint(failed);
  report();
  builder_.CreateBr(failure_block(frame_.heap.size()));
  builder_.SetInsertPoint(fine);
}

/// Where an error goes from under `heap_depth` live heap allocations: free the innermost, then as from one
/// fewer.
llvm::BasicBlock* Emitter::failure_block(std::size_t heap_depth) {
  llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  if (heap_depth == 0) {
    if (frame_.failure == nullptr) {
      frame_.failure = new_block("failure");
      builder_.SetInsertPoint(frame_.failure);
      builder_.CreateRet(builder_.getInt32(static_cast<std::uint32_t>(-1)));
    }
    return frame_.failure;
  }
  llvm::BasicBlock* outer = failure_block(heap_depth - 1);
  Frame::HeapMemory& innermost = frame_.heap[heap_depth - 1];
  if (innermost.release == nullptr) {
    innermost.release = new_block("release");
    builder_.SetInsertPoint(innermost.release);
    builder_.CreateCall(runtime_function("ardea_free"), {innermost.memory});
    builder_.CreateBr(outer);
  }
  return innermost.release;
}

}  // namespace ardea::codegen
