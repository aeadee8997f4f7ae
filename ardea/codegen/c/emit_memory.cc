#include "ardea/codegen/c/emitter.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/support/error.h"

/// Loads and stores. Memory whose views agree on the type of its elements is an array of them; other memory
/// is bytes, read and written by memcpy. Vectors are memcpy's, too: C compilers make one instruction of it.

namespace ardea::codegen::c {

namespace {

const Expr& flat_index(const Buffer& buffer, const std::vector<Expr>& indices) {
  ensure(buffer->shape.size() == 1 && indices.size() == 1 && buffer->strides.empty(),
         "the C backend met the buffer {} with {} dimensions, which flatten_storage removes", buffer->name,
         buffer->shape.size());
  return indices[0];
}

/// The first of consecutive elements, where the index is such a row.
const Ramp* consecutive(const Expr& index) {
  const auto* ramp = index.as<Ramp>();
  return ramp != nullptr && is_one(ramp->stride) ? ramp : nullptr;
}

/// Where the lanes lie: the first element of a row, or an index for each; with the buffer's offset.
Expr lane_places(const Buffer& buffer, const Expr& index, const Ramp* row) {
  const Expr place = row != nullptr ? row->base : index;
  if (!buffer->element_offset.defined() || is_zero(buffer->element_offset)) return place;
  const Expr offset = make_cast(int64, buffer->element_offset);
  if (row != nullptr) return offset + make_cast(int64, place);
  const int lanes = index.type().lanes;
  return make_broadcast(offset, lanes) + make_cast(int64.with_lanes(lanes), place);
}

/// The index of an access that is certainly made. A sum modulo 2^64 need not be made signed again: what is
/// negative would be outside of the memory either way.
Text as_subscript(const Text& index) {
  const std::string cast = "(int64_t)(";
  if (!index.text.starts_with(cast) || index.binding != Binding::unary) return index;
  int depth = 1;
  for (std::size_t i = cast.size(); i < index.text.size(); ++i) {
    depth += index.text[i] == '(' ? 1 : index.text[i] == ')' ? -1 : 0;
    if (depth == 0 && i + 1 < index.text.size()) return index;
  }
  const std::string sum = index.text.substr(cast.size(), index.text.size() - cast.size() - 1);
  return sum.starts_with("(uint64_t)") ? Text{sum, Binding::conditional} : index;
}

/// In memory bool is a byte.
DataType stored(DataType type) { return type.is_bool() ? uint8.with_lanes(type.lanes) : type; }

}  // namespace

Text Emitter::emit_base(const Buffer& buffer) {
  const std::string& name = frame_.names.of(buffer->data);
  const Memory& memory = memory_[buffer->data];
  return memory.element.empty() ? cast_text(Helpers::memory_type(buffer->type) + "*", {name}) : Text{name};
}

/// With the buffer's offset, counted in elements.
Text Emitter::emit_index(const Buffer& buffer, const Expr& index) {
  const Text at = emit(index);
  if (!buffer->element_offset.defined() || is_zero(buffer->element_offset)) return at;
  return {inside(emit(buffer->element_offset), Binding::sum) + " + " + inside(at, Binding::product),
          Binding::sum};
}

Text Emitter::emit_pointer(const Buffer& buffer, const Text& index) {
  const Text base = emit_base(buffer);
  if (buffer->type.is_vector())  // that many scalars one after another
    return {base.text + " + " + std::to_string(buffer->type.lanes) + " * " + cast_text("int64_t", index).text,
            Binding::sum};
  return index.text == "0" ? base : Text{base.text + " + " + inside(index, Binding::product), Binding::sum};
}

Text Emitter::emit_address(const Load& element) {
  const Expr& index = flat_index(element.buffer, element.indices);
  return cast_text("void*", emit_pointer(element.buffer, emit_index(element.buffer, index)));
}

Text Emitter::emit_load(const Load& load, DataType type) {
  if (type.is_vector()) return emit_vector_load(load, type);
  const Expr& index = flat_index(load.buffer, load.indices);
  if (!is_true(load.predicate)) {
    const Expr all = make_load(load.buffer, load.indices), zero = make_const(0, type);
    return emit_choice(all, load.predicate, all, zero, true);
  }
  const Text at = emit_index(load.buffer, index);
  const Text value = memory_[load.buffer->data].element.empty()
                         ? call_text(helpers_.load(stored(type)), {emit_pointer(load.buffer, at).text})
                         : Text{emit_base(load.buffer).text + "[" + as_subscript(at).text + "]"};
  return type.is_bool() ? emit_comparison(BinaryOp::ne, value, {"0"}) : value;
}

/// Of bool: its bytes.
Text Emitter::emit_vector_load(const Load& load, DataType type) {
  const Buffer& buffer = load.buffer;
  const Expr& index = flat_index(buffer, load.indices);
  const bool masked = !is_true(load.predicate);
  if (index.type().is_scalar()) {  // an element that is a vector
    if (masked) {
      const Expr all = make_load(buffer, load.indices);
      return emit_choice(all, load.predicate, all, make_const(0, all.type()), true);
    }
    return call_text(helpers_.load(type), {emit_pointer(buffer, emit_index(buffer, index)).text});
  }
  ensure(buffer->type.is_scalar(), "a vector index into the vectors of {}", buffer->name);
  const auto* same = index.as<Broadcast>();
  if (same != nullptr && !masked) {
    const Expr one = make_load(buffer, {same->value});
    return call_text(helpers_.broadcast(type), {emit(one).text});
  }
  const Ramp* row = consecutive(index);
  const Expr place = lane_places(buffer, index, row);
  std::vector<Text> parts = operands({place, masked ? load.predicate : Expr{}});
  if (row == nullptr && place.type().element() != int64)
    parts[0] = convert_lanes(parts[0], helpers_.type(int64.with_lanes(type.lanes)));
  const std::string base = emit_base(buffer).text;
  if (row != nullptr && !masked) return call_text(helpers_.load(type), {emit_pointer(buffer, parts[0]).text});
  std::vector<std::string> arguments = {base, parts[0].text};
  if (masked) arguments.push_back(parts[1].text);
  return call_text(helpers_.load_lanes(type, row == nullptr, masked), arguments);
}

void Emitter::emit_store(const Store& store) {
  const Buffer& buffer = store.buffer;
  const Expr& index = flat_index(buffer, store.indices);
  const DataType type = store.value.type();
  begin_statement({index, store.value, store.predicate, buffer->element_offset});
  if (index.type().is_vector()) return emit_vector_store(store);
  const bool masked = !is_true(store.predicate);
  const std::vector<Text> parts = operands({index, store.value, masked ? store.predicate : Expr{}});
  Text at = parts[0];
  if (buffer->element_offset.defined() && !is_zero(buffer->element_offset))
    at = {inside(emit(buffer->element_offset), Binding::sum) + " + " + inside(at, Binding::product),
          Binding::sum};
  Text value = parts[1];
  if (type.is_bool() && type.is_vector())
    value = cast_text(helpers_.type(stored(type)), {"-" + inside(value, Binding::unary), Binding::unary});
  const bool plain = type.is_scalar() && !memory_[buffer->data].element.empty();
  const auto write = [&] {
    line(plain ? emit_base(buffer).text + "[" + as_subscript(at).text + "] = " + value.text + ";"
               : call_text(helpers_.store(stored(type)), {emit_pointer(buffer, at).text, value.text}).text +
                     ";");
  };
  if (masked)
    emit_guarded(parts[2].text, write);
  else
    write();
}

void Emitter::emit_vector_store(const Store& store) {
  const Buffer& buffer = store.buffer;
  const Expr& index = store.indices[0];
  const DataType type = stored(store.value.type());
  ensure(buffer->type.is_scalar(), "a vector index into the vectors of {}", buffer->name);
  const bool masked = !is_true(store.predicate);
  const Ramp* row = consecutive(index);
  const Expr place = lane_places(buffer, index, row);
  const std::vector<Text> parts = operands({place, store.value, masked ? store.predicate : Expr{}});
  const Text value =
      store.value.type().is_bool()
          ? cast_text(helpers_.type(type), {"-" + inside(parts[1], Binding::unary), Binding::unary})
          : parts[1];
  if (row != nullptr && !masked)
    return line(call_text(helpers_.store(type), {emit_pointer(buffer, parts[0]).text, value.text}).text +
                ";");
  const bool converts = row == nullptr && place.type().element() != int64;
  const Text at = converts ? convert_lanes(parts[0], helpers_.type(int64.with_lanes(type.lanes))) : parts[0];
  std::vector<std::string> arguments = {emit_base(buffer).text, at.text, value.text};
  if (masked) arguments.push_back(parts[2].text);
  line(call_text(helpers_.store_lanes(type, row == nullptr, masked), arguments).text + ";");
}

}  // namespace ardea::codegen::c
