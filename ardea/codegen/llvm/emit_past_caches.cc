#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

#include "ardea/codegen/llvm/emitter.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/store_hint.h"
#include "ardea/ir/traverse.h"

/// Stores that go past the caches write whole lines, so the memory must begin on one. Where an argument
/// begins is known at a call: the loop is there twice.

namespace ardea::codegen {

namespace {

constexpr std::int64_t usual_line_bytes = 64;

}  // namespace

bool Emitter::may_go_past_caches(const For& loop) const {
  return loop.annotations.contains(past_caches_key) && target_.arch == target::Arch::x86_64 &&
         !past_caches_line_;
}

/// The arguments that the loop stores to in vectors.
std::vector<Var> Emitter::streamed_arguments(const For& loop) const {
  std::vector<Var> found;
  visit_stmts(loop.body, [&](const Stmt& s) {
    const auto* store = s.as<Store>();
    if (store == nullptr || store->value.type().is_scalar() || !arguments_.contains(store->buffer->data))
      return;
    if (std::find(found.begin(), found.end(), store->buffer->data) == found.end())
      found.push_back(store->buffer->data);
  });
  return found;
}

void Emitter::emit_past_caches(const For& loop) {
  For plain = loop;
  plain.annotations.erase(past_caches_key);
  const std::vector<Var> written = streamed_arguments(loop);
  if (written.empty()) return emit_for(plain);
  const target::Cache* nearest = target_.cache(1);
  const std::int64_t line = nearest != nullptr ? nearest->line_bytes : usual_line_bytes;
  llvm::Value* begins_within = builder_.getInt64(0);
  for (const Var& data : written)
    begins_within =
        builder_.CreateOr(begins_within, builder_.CreatePtrToInt(emit_variable(data), builder_.getInt64Ty()));
  llvm::Value* is_on_line =
      builder_.CreateIsNull(builder_.CreateAnd(begins_within, builder_.getInt64(line - 1)));
  llvm::BasicBlock *on_line = new_block("on_line"), *elsewhere = new_block("elsewhere"),
                   *after = new_block("after");
  builder_.CreateCondBr(is_on_line, on_line, elsewhere);

  builder_.SetInsertPoint(on_line);
  const auto known = alignment_;
  for (const Var& data : written) alignment_[data] = std::max(alignment_.at(data), line);
  past_caches_line_ = line;
  emit_for(plain);
  emit_past_caches_fence();
  past_caches_line_ = 0;  // loops inside do not ask again
  alignment_ = known;
  builder_.CreateBr(after);

  builder_.SetInsertPoint(elsewhere);
  emit_for(plain);
  past_caches_line_.reset();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

/// Such stores may be seen later than what the thread does next, unless it waits.
void Emitter::emit_past_caches_fence() { builder_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {}); }

void Emitter::send_past_caches(llvm::StoreInst& store, const Buffer& buffer) {
  const std::uint64_t bytes = module_.getDataLayout().getTypeStoreSize(store.getValueOperand()->getType());
  if (!goes_past_caches() || !arguments_.contains(buffer->data) || store.getAlign().value() < bytes) return;
  llvm::Metadata* one = llvm::ConstantAsMetadata::get(builder_.getInt32(1));
  store.setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(context_, {one}));
}

}  // namespace ardea::codegen
