#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "ardea/codegen/llvm/alignment.h"
#include "ardea/codegen/llvm/emitter.h"
#include "ardea/codegen/llvm/types.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"

namespace ardea::codegen {

/// Which memory an access touches, so that LLVM may move it past others: an allocation is apart from
/// everything else, and where the function promises tir.noalias so are the arguments. Handles of unknown
/// origin get no marks.
void Emitter::collect_alias_scopes(const Function& f) {
  aliasing_.clear();
  const bool arguments_apart = integer_attribute(f.attributes, "tir.noalias", 0) != 0;
  std::vector<Var> apart, others;
  arguments_.clear();
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* allocation = s.as<Allocate>()) apart.push_back(allocation->data);
    const auto* let = s.as<LetStmt>();
    const auto* call = let != nullptr ? let->value.as<Call>() : nullptr;
    if (call == nullptr || call->op->name != "abi_tensor_data") return;
    arguments_.insert(let->var);
    (arguments_apart ? apart : others).push_back(let->var);
  });
  llvm::MDBuilder metadata(context_);
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain(f.name);
  std::vector<llvm::Metadata*> scopes;
  for (const Var& data : apart) scopes.push_back(metadata.createAnonymousAliasScope(domain, data.name()));
  const auto node = [&](const std::vector<llvm::Metadata*>& list) {
    return list.empty() ? nullptr : llvm::MDNode::get(context_, list);
  };
  for (std::size_t i = 0; i < apart.size(); ++i) {
    std::vector<llvm::Metadata*> rest = scopes;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    aliasing_[apart[i]] = {node({scopes[i]}), node(rest)};
  }
  for (const Var& data : others) aliasing_[data] = {nullptr, node(scopes)};
}

llvm::Value* Emitter::to_memory(llvm::Value* value, DataType type) {
  return type.is_bool() ? builder_.CreateZExt(value, memory_type(context_, type)) : value;
}

llvm::Value* Emitter::from_memory(llvm::Value* value, DataType type) {
  return type.is_bool() ? builder_.CreateIsNotNull(value) : value;
}

namespace {

const Expr& flat_index(const Buffer& buffer, const std::vector<Expr>& indices) {
  ensure(buffer->shape.size() == 1 && indices.size() == 1 && buffer->strides.empty(),
         "the LLVM backend met the buffer {} with {} dimensions, which flatten_storage removes", buffer->name,
         buffer->shape.size());
  return indices[0];
}

/// The first of consecutive elements, where the index is such a row.
const Ramp* consecutive(const Expr& index) {
  const auto* ramp = index.as<Ramp>();
  return ramp != nullptr && is_one(ramp->stride) ? ramp : nullptr;
}

}  // namespace

/// Of any element.
llvm::Align Emitter::element_alignment(const Buffer& buffer) const {
  const std::int64_t memory = alignment_.at(buffer->data);
  return llvm::Align(static_cast<std::uint64_t>(std::min(memory, power_of_two_in(buffer->type.bytes()))));
}

/// The alignment of the element at the index, or of the first lane of a row.
llvm::Align Emitter::access_alignment(const Buffer& buffer, const std::vector<Expr>& indices) {
  const Expr& index = flat_index(buffer, indices);
  const auto* ramp = index.as<Ramp>();
  const std::int64_t element_bytes = buffer->type.bytes();
  std::int64_t steps = known_divisor(ramp != nullptr ? ramp->base : index, frame_.divisors);
  if (buffer->element_offset.defined())
    steps = std::min(steps, known_divisor(buffer->element_offset, frame_.divisors));
  const std::int64_t memory = alignment_.at(buffer->data);
  return llvm::Align(static_cast<std::uint64_t>(std::min(memory, power_of_two_in(steps * element_bytes))));
}

llvm::Value* Emitter::emit_offset(const Buffer& buffer, const std::vector<Expr>& indices) {
  const Expr& index = flat_index(buffer, indices);
  llvm::Value* offset = emit_index(index);
  if (!buffer->element_offset.defined() || is_zero(buffer->element_offset)) return offset;
  return builder_.CreateAdd(splat(emit_index(buffer->element_offset), index.type().lanes), offset);
}

/// In bounds only for what is certainly accessed: an address that is only computed may lie anywhere.
llvm::Value* Emitter::emit_address(const Buffer& buffer, llvm::Value* offset, bool in_bounds) {
  llvm::Type* element = memory_type(context_, buffer->type);
  llvm::Value* data = emit_variable(buffer->data);
  if (buffer->type.is_vector()) {  // LLVM pads some vectors; arrays of them do not
    element = builder_.getInt8Ty();
    offset = builder_.CreateMul(offset, integer(offset->getType(), buffer->type.bytes()));
  }
  return in_bounds ? builder_.CreateInBoundsGEP(element, data, offset)
                   : builder_.CreateGEP(element, data, offset);
}

llvm::Value* Emitter::emit_load(const Load& load, DataType type) {
  const Buffer& buffer = load.buffer;
  const Expr& index = flat_index(buffer, load.indices);
  llvm::Type* stored = memory_type(context_, type);
  const llvm::Align alignment = access_alignment(buffer, load.indices);
  const bool masked = !is_true(load.predicate);

  if (index.type().is_scalar()) {
    const auto read = [&]() -> llvm::Value* {
      llvm::Value* address = emit_address(buffer, emit_offset(buffer, load.indices), true);
      return from_memory(mark_aliasing(builder_.CreateAlignedLoad(stored, address, alignment), buffer), type);
    };
    if (!masked) return read();
    const auto zero = [&]() -> llvm::Value* {
      return llvm::Constant::getNullValue(register_type(context_, type));
    };
    return emit_lazily(emit(load.predicate), read, zero);
  }
  ensure(buffer->type.is_scalar(), "a vector index into the vectors of {}", buffer->name);
  const int lanes = type.lanes;
  if (const Ramp* row = consecutive(index)) {
    llvm::Value* address = emit_address(buffer, emit_offset(buffer, {row->base}), !masked);
    if (!masked)
      return from_memory(mark_aliasing(builder_.CreateAlignedLoad(stored, address, alignment), buffer), type);
    llvm::Value* zero = llvm::Constant::getNullValue(stored);
    llvm::Value* mask = emit(load.predicate);
    return from_memory(
        mark_aliasing(builder_.CreateMaskedLoad(stored, address, alignment, mask, zero), buffer), type);
  }
  if (const auto* same = index.as<Broadcast>(); same != nullptr && !masked)
    return splat(emit(make_load(buffer, {same->value})), lanes);
  if (const auto* ramp = index.as<Ramp>(); ramp != nullptr && !masked)
    if (llvm::Value* apart = emit_strided_load(buffer, *ramp, lanes)) return from_memory(apart, type);
  llvm::Value* addresses = emit_address(buffer, emit_offset(buffer, load.indices), false);
  llvm::Value* mask = masked ? emit(load.predicate) : splat(builder_.getTrue(), lanes);
  llvm::Value* zero = llvm::Constant::getNullValue(stored);
  return from_memory(
      mark_aliasing(builder_.CreateMaskedGather(stored, addresses, element_alignment(buffer), mask, zero),
                    buffer),
      type);
}

void Emitter::emit_store(const Store& store) {
  const Buffer& buffer = store.buffer;
  const Expr& index = flat_index(buffer, store.indices);
  const bool masked = !is_true(store.predicate);
  const llvm::Align alignment = access_alignment(buffer, store.indices);

  if (index.type().is_scalar()) {
    if (masked) return emit_if(If{store.predicate, Store{buffer, store.indices, store.value}});
    llvm::Value* value = to_memory(emit(store.value), store.value.type());
    llvm::Value* address = emit_address(buffer, emit_offset(buffer, store.indices), true);
    mark_aliasing(builder_.CreateAlignedStore(value, address, alignment), buffer);
    return;
  }
  ensure(buffer->type.is_scalar(), "a vector index into the vectors of {}", buffer->name);
  llvm::Value* value = to_memory(emit(store.value), store.value.type());
  llvm::Value* mask = masked ? emit(store.predicate) : splat(builder_.getTrue(), index.type().lanes);
  if (const Ramp* row = consecutive(index)) {
    llvm::Value* address = emit_address(buffer, emit_offset(buffer, {row->base}), !masked);
    if (masked)
      mark_aliasing(builder_.CreateMaskedStore(value, address, alignment, mask), buffer);
    else
      send_past_caches(*mark_aliasing(builder_.CreateAlignedStore(value, address, alignment), buffer),
                       buffer);
    return;
  }
  llvm::Value* addresses = emit_address(buffer, emit_offset(buffer, store.indices), false);
  mark_aliasing(builder_.CreateMaskedScatter(value, addresses, element_alignment(buffer), mask), buffer);
}

}  // namespace ardea::codegen
