#include <llvm/IR/MDBuilder.h>

#include "ardea/codegen/llvm/alignment.h"
#include "ardea/codegen/llvm/emitter.h"
#include "ardea/codegen/llvm/types.h"
#include "ardea/codegen/unroll_hint.h"
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

/// Asks LLVM to unroll the loop whose latch this is.
void request_unrolling(llvm::Instruction& latch, std::int64_t count, bool whole) {
  llvm::LLVMContext& context = latch.getContext();
  std::vector<llvm::Metadata*> request = {
      llvm::MDString::get(context, whole ? "llvm.loop.unroll.full" : "llvm.loop.unroll.count")};
  if (!whole)
    request.push_back(llvm::ConstantAsMetadata::get(
        llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), static_cast<std::uint64_t>(count))));
  // The first operand of a loop's node is the node itself, which tells it from all others.
  llvm::MDNode* loop = llvm::MDNode::getDistinct(context, {nullptr, llvm::MDNode::get(context, request)});
  loop->replaceOperandWith(0, loop);
  latch.setMetadata(llvm::LLVMContext::MD_loop, loop);
}

}  // namespace

/// Vectorized and thread-bound loops that are still here mean serial ones.
void Emitter::emit_for(const For& loop) {
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
  if (const std::int64_t count = unroll_count(loop); count > 0)
    request_unrolling(*latch, count, constant_int(loop.extent) == count);
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
  builder_.SetInsertPoint(after);
  return latch;
}

void Emitter::emit_if(const If& branch) {
  llvm::Value* condition = emit(branch.condition);
  llvm::BasicBlock *then_case = new_block("then"), *after = new_block("end");
  llvm::BasicBlock* else_case = branch.else_case ? new_block("else") : after;
  builder_.CreateCondBr(condition, then_case, else_case);
  builder_.SetInsertPoint(then_case);
  emit(branch.then_case);
  builder_.CreateBr(after);
  if (branch.else_case) {
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
