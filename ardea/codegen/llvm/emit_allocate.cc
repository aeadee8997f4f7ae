#include "ardea/codegen/llvm/emitter.h"
#include "ardea/codegen/llvm/optimize.h"
#include "ardea/codegen/llvm/types.h"
#include "ardea/ir/scope.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::codegen {

namespace {

/// What one function may take of a thread's stack for allocations; the rest comes from the heap.
constexpr std::int64_t stack_limit_bytes = std::int64_t{64} * 1024;
/// Of these one allocation: a large one, in an outer loop, would send the small ones of inner loops to the
/// heap, and these are made more often.
constexpr std::int64_t largest_on_stack_bytes = stack_limit_bytes / 4;

/// The bytes of an allocation with constant extents, where they are few.
std::optional<std::int64_t> few_constant_bytes(const Allocate& allocation) {
  std::int64_t elements = 1;
  for (const Expr& extent : allocation.extents) {
    const auto value = constant_int(extent);
    if (!value || *value < 0 || *value > stack_limit_bytes) return std::nullopt;
    elements *= *value;
    if (elements > stack_limit_bytes * 8) return std::nullopt;
  }
  return allocation.type.bytes(elements);
}

}  // namespace

/// In the entry block, so that an allocation in a loop does not grow the stack with every iteration.
llvm::AllocaInst* Emitter::stack_slot(llvm::Type* type, llvm::Align alignment, const std::string& name) {
  llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(frame_.entry, frame_.entry->begin());
  llvm::AllocaInst* slot = builder_.CreateAlloca(type, nullptr, name);
  slot->setAlignment(alignment);
  return slot;
}

/// A slot of scope "register" has no lifetime marks: mem2reg makes values of it, and optimize says where it
/// could not.
void Emitter::emit_register_slot(const Allocate& allocation) {
  ensure(allocation.extents.size() == 1 && is_one(allocation.extents[0]),
         "the LLVM backend met the register buffer {} of several elements, which promote_registers divides",
         allocation.data.name());
  llvm::Type* type = memory_type(context_, allocation.type);
  frame_.values[allocation.data] = stack_slot(type, module_.getDataLayout().getPrefTypeAlign(type),
                                              std::string(register_slot_prefix) + allocation.data.name());
  emit(allocation.body);
  frame_.values.erase(allocation.data);
}

void Emitter::emit_allocate(const Allocate& allocation) {
  if (allocation.scope == register_scope) return emit_register_slot(allocation);
  if (tiles_.are(allocation.data)) {
    tiles_.begin(allocation);
    emit(allocation.body);
    tiles_.end(allocation);
    return;
  }
  const std::int64_t promised = std::max<std::int64_t>(alignment_[allocation.data], allocation.type.bytes());
  const auto alignment = static_cast<std::int64_t>(llvm::PowerOf2Ceil(static_cast<std::uint64_t>(promised)));
  const std::optional<std::int64_t> bytes = few_constant_bytes(allocation);
  if (bytes && *bytes <= largest_on_stack_bytes && frame_.stack_bytes + *bytes <= stack_limit_bytes) {
    frame_.stack_bytes += *bytes;
    llvm::AllocaInst* slot =
        stack_slot(llvm::ArrayType::get(builder_.getInt8Ty(), static_cast<std::uint64_t>(*bytes)),
                   llvm::Align(static_cast<std::uint64_t>(alignment)), allocation.data.name());
    llvm::ConstantInt* size = builder_.getInt64(static_cast<std::uint64_t>(*bytes));
    builder_.CreateLifetimeStart(slot, size);
    frame_.values[allocation.data] = slot;
    emit(allocation.body);
    builder_.CreateLifetimeEnd(slot, size);
    frame_.values.erase(allocation.data);
    return;
  }

  // A product beyond 63 bits asks for -1 bytes, which ardea_allocate refuses like any size it does not have.
  llvm::Type* word = builder_.getInt64Ty();
  llvm::Value* total = builder_.getInt64(static_cast<std::uint64_t>(allocation.type.bytes()));
  llvm::Value* overflows = builder_.getFalse();
  for (const Expr& extent : allocation.extents) {
    llvm::Value* count =
        builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, emit_index(extent), builder_.getInt64(0));
    llvm::Value* product =
        builder_.CreateIntrinsic(llvm::Intrinsic::smul_with_overflow, {word}, {total, count});
    total = builder_.CreateExtractValue(product, 0);
    overflows = builder_.CreateOr(overflows, builder_.CreateExtractValue(product, 1));
  }
  total = builder_.CreateSelect(overflows, builder_.getInt64(static_cast<std::uint64_t>(-1)), total);
  llvm::Value* memory = builder_.CreateCall(runtime_function("ardea_allocate"),
                                            {total, builder_.getInt64(static_cast<std::uint64_t>(alignment))},
                                            allocation.data.name());
  emit_failure_unless(builder_.CreateIsNotNull(memory), [&] {
    set_error(fmt::format("{}: there is no memory for the allocation {} of {}", name_, allocation.data.name(),
                          to_string(allocation.type)));
  });
  frame_.heap.push_back({memory});
  frame_.values[allocation.data] = memory;
  emit(allocation.body);
  frame_.values.erase(allocation.data);
  frame_.heap.pop_back();
  builder_.CreateCall(runtime_function("ardea_free"), {memory});
}

}  // namespace ardea::codegen
