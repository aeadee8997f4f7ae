#include <algorithm>
#include <unordered_set>

#include "ardea/codegen/llvm/emitter.h"
#include "ardea/codegen/llvm/types.h"
#include "ardea/ir/traverse.h"

/// A parallel loop becomes a function of its own, int32_t body(int64_t begin, int64_t end, void* closure),
/// which the runtime's thread pool calls on chunks of the iterations. The closure holds the values that the
/// body uses.

namespace ardea::codegen {

/// The variables with a value here that the loop mentions: by name, as the memory of a buffer, or in a
/// buffer's offset.
std::vector<Var> Emitter::captured_variables(const For& loop) {
  std::vector<Var> captured;
  std::unordered_set<Var> seen;
  const auto add = [&](const Expr& e) {
    if (!e.is<VarNode>()) return;
    const Var var(e);
    if (frame_.values.contains(var) && seen.insert(var).second) captured.push_back(var);
  };
  visit_exprs(loop.min, add);
  visit_exprs(loop.body, add);
  for (const Buffer& buffer : buffers_in(loop.body)) {
    add(buffer->data);
    if (buffer->element_offset.defined()) visit_exprs(buffer->element_offset, add);
  }
  return captured;
}

void Emitter::emit_parallel(const For& loop) {
  const std::vector<Var> captured = captured_variables(loop);
  ranges_.define_loop(loop.var, loop.min, loop.extent);
  std::vector<llvm::Type*> types;
  for (const Var& var : captured) types.push_back(frame_.values.at(var)->getType());
  auto* closure_type = llvm::StructType::create(context_, types, "closure");

  llvm::Value* extent = emit_index(loop.extent);
  llvm::AllocaInst* closure =
      stack_slot(closure_type, module_.getDataLayout().getABITypeAlign(closure_type), "closure");
  for (unsigned i = 0; i < captured.size(); ++i)
    builder_.CreateStore(frame_.values.at(captured[i]), builder_.CreateStructGEP(closure_type, closure, i));

  llvm::Function* body = emit_parallel_body(loop, captured, closure_type);
  llvm::Value* status = builder_.CreateCall(runtime_function("ardea_parallel_for"), {body, closure, extent});
  emit_failure_unless(builder_.CreateICmpEQ(status, builder_.getInt32(0)), [] {});
}

llvm::Function* Emitter::emit_parallel_body(const For& loop, const std::vector<Var>& captured,
                                            llvm::StructType* closure_type) {
  Frame caller = std::move(frame_);
  llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  llvm::Type *word = builder_.getInt64Ty(), *pointer = builder_.getPtrTy();
  begin_function(caller.function->getName().str() + "_parallel",
                 llvm::FunctionType::get(builder_.getInt32Ty(), {word, word, pointer}, false),
                 llvm::GlobalValue::InternalLinkage);
  llvm::Function* function = frame_.function;
  frame_.is_parallel_body = true;
  frame_.divisors = caller.divisors;
  llvm::Argument* closure = function->getArg(2);
  closure->addAttr(llvm::Attribute::NoAlias);
  closure->addAttr(llvm::Attribute::ReadOnly);
  for (unsigned i = 0; i < captured.size(); ++i) {
    llvm::Value* slot = builder_.CreateStructGEP(closure_type, closure, i);
    frame_.values[captured[i]] =
        builder_.CreateLoad(closure_type->getElementType(i), slot, captured[i].name());
  }
  llvm::Value* first = emit(loop.min);
  llvm::Type* type = register_type(context_, loop.var.type());
  llvm::Instruction* latch =
      emit_counted_loop(function->getArg(0), function->getArg(1), true, [&](llvm::Value* iteration) {
        frame_.values[loop.var] =
            builder_.CreateAdd(first, builder_.CreateIntCast(iteration, type, true), loop.var.name());
        emit(loop.body);
      });
  advise(*latch, loop);
  if (goes_past_caches()) emit_past_caches_fence();
  end_function();
  frame_ = std::move(caller);
  return function;
}

}  // namespace ardea::codegen
