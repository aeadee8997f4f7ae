#include <numeric>

#include "ardea/arith/inside.h"
#include "ardea/codegen/cuda/emitter.h"
#include "ardea/ir/guarded_copy.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

/// Loads and stores. Rows of lanes move as Packs of up to 16 bytes where they are proved to lie on a multiple
/// of their size; other lanes one by one.

namespace ardea::codegen::cuda {

namespace {

constexpr std::int64_t widest_access_bytes = 16;

const Expr& flat_index(const Buffer& buffer, const std::vector<Expr>& indices) {
  ensure(buffer->shape.size() == 1 && indices.size() == 1 && buffer->strides.empty() &&
             (!buffer->element_offset.defined() || is_zero(buffer->element_offset)),
         "the CUDA backend met the buffer {}, which flatten_storage makes flat", buffer->name);
  return indices[0];
}

/// The first of consecutive elements, where the index is such a row.
const Ramp* row_of(const Expr& index) {
  const auto* ramp = index.as<Ramp>();
  return ramp != nullptr && is_one(ramp->stride) ? ramp : nullptr;
}

/// The place of one lane, counted in scalars: an element may be a vector itself.
Expr lane_place(const Buffer& buffer, const Expr& index, int lane) {
  const DataType type = index.type().element();
  if (buffer->type.is_vector()) return index * make_int(buffer->type.lanes, type) + make_int(lane, type);
  const auto* ramp = index.as<Ramp>();
  return ramp == nullptr ? index : lane_of(*ramp, lane);
}

}  // namespace

Text Emitter::emit_pointer(const Buffer& buffer, const Text& index) const {
  const std::string& name = names_.of(buffer->data);
  if (memory_.at(buffer->data).is_bytes)
    return {name + " + " + inside(index, Binding::product) + " * " +
                std::to_string(buffer->type.element().bytes()),
            Binding::sum};
  return index.text == "0" ? Text{name} : Text{name + " + " + inside(index, Binding::product), Binding::sum};
}

Text Emitter::element(const Buffer& buffer, const Text& index) const {
  if (memory_.at(buffer->data).is_bytes)
    return c::call_text(fmt::format("{}<{}>", helpers_.need("load_bytes"), type_name(buffer->type.element())),
                        {emit_pointer(buffer, index).text});
  return {names_.of(buffer->data) + "[" + index.text + "]"};
}

std::int64_t Emitter::proved_alignment(const Buffer& buffer, const Expr& index) const {
  const std::int64_t bytes = buffer->type.element().bytes();
  const auto base = alignments_.find(buffer->data);
  const std::int64_t aligned = base == alignments_.end() ? bytes : base->second;
  const arith::Congruence at = facts_.congruence(index);
  const std::int64_t step = std::gcd(at.multiple, at.remainder);  // 0 of the index 0: on every multiple
  return step == 0 ? aligned : std::gcd(aligned, step * bytes);
}

int Emitter::lanes_at_once(const Buffer& buffer, const Expr& first, int lanes) const {
  if (memory_.at(buffer->data).is_bytes) return 1;
  const std::int64_t bytes = buffer->type.element().bytes(), aligned = proved_alignment(buffer, first);
  std::int64_t count = 1;
  while (lanes % (count * 2) == 0 && count * 2 * bytes <= widest_access_bytes &&
         aligned % (count * 2 * bytes) == 0)
    count *= 2;
  return static_cast<int>(count);
}

bool Emitter::picks_private_element(const Stmt& s, const Var& var) {
  bool found = false;
  const auto look = [&](const Buffer& buffer, const std::vector<Expr>& indices) {
    const bool is_kept = lower::is_private(buffer->scope) || lower::is_warp_memory(buffer->scope);
    found = found || (is_kept && uses(indices[0], var));
  };
  visit_stmts(s, [&](const Stmt& part) {
    if (const auto* store = part.as<Store>()) look(store->buffer, store->indices);
  });
  visit_exprs(s, [&](const Expr& part) {
    if (const auto* load = part.as<Load>()) look(load->buffer, load->indices);
  });
  return found;
}

Text Emitter::emit_load(const Expr& e, const Load& load, int lane) {
  const Buffer& buffer = load.buffer;
  require_no_fragment(buffer);
  helpers_.need_type(buffer->type);
  const Expr& index = flat_index(buffer, load.indices);
  const bool is_vector = index.type().is_vector();
  const auto one = [&] {
    const Text at =
        is_vector && !index.is<Ramp>() ? emit(index, lane) : emit(lane_place(buffer, index, lane));
    return element(buffer, at);
  };
  if (!is_true(load.predicate)) {
    const DataType type = buffer->type.element();
    const Text test = emit(load.predicate, lane);
    return lazy_choice(type, inside(test, Binding::logical_or), one,
                       [&] { return emit_typed(make_const(0, type), 0); });
  }
  const Ramp* row = row_of(index);
  const int together = row == nullptr ? 1 : lanes_at_once(buffer, row->base, e.type().lanes);
  if (together == 1) return one();
  // The lanes that come with this one are known from now on.
  const int first = lane / together * together;
  const Text at = emit(lane_place(buffer, index, first));
  const std::string pack = fmt::format("{}<{},{}>", helpers_.need("Pack"), type_name(buffer->type), together);
  const std::string name = names_.fresh(buffer->name + "_row");
  line(fmt::format("const {0} {1} = *(const {0}*)({2});", pack, name, emit_pointer(buffer, at).text));
  for (int l = 0; l < together; ++l) known_.back()[e][first + l] = Text{fmt::format("{}.lane[{}]", name, l)};
  return known_.back().at(e).at(lane);
}

void Emitter::store_element(const Buffer& buffer, const Text& index, const Text& value) {
  if (memory_.at(buffer->data).is_bytes)
    return line(fmt::format("{}<{}>({}, {});", helpers_.need("store_bytes"),
                            type_name(buffer->type.element()), emit_pointer(buffer, index).text, value.text));
  line(element(buffer, index).text + " = " + value.text + ";");
}

bool Emitter::emit_guarded_copy(const Store& store) {
  const auto copy = guarded_copy(store.value);
  if (!copy || !copy->condition.defined() || arith::reads_memory(copy->condition) ||
      !is_true(store.predicate) || !is_true(copy->load->predicate))
    return false;
  const Buffer &to = store.buffer, &from = copy->load->buffer;
  const Ramp *row = row_of(flat_index(to, store.indices)),
             *source = row_of(flat_index(from, copy->load->indices));
  const int lanes = store.value.type().lanes;
  if (row == nullptr || source == nullptr || lanes_at_once(to, row->base, lanes) != lanes ||
      lanes_at_once(from, source->base, lanes) != lanes)
    return false;
  require_no_fragment(from);
  const std::string pack = fmt::format("{}<{},{}>", helpers_.need("Pack"), type_name(to->type), lanes);
  const Text test = emit(copy->condition);
  line(fmt::format("*({0}*)({1}) = {2} ? *(const {0}*)({3}) : {0}{{}};", pack,
                   emit_pointer(to, emit(row->base)).text, inside(test, Binding::logical_or),
                   emit_pointer(from, emit(source->base)).text));
  return true;
}

void Emitter::emit_store(const Store& store) {
  require_no_fragment(store.buffer);
  const Buffer& buffer = store.buffer;
  helpers_.need_type(buffer->type);
  const Expr& index = flat_index(buffer, store.indices);
  const int lanes = store.value.type().lanes;
  begin_statement({index, store.value, store.predicate});
  if (emit_guarded_copy(store)) return;
  // Complete before the first lane is stored.
  std::vector<Text> places, values, masks;
  const Ramp* row = row_of(index);
  const bool masked = !is_true(store.predicate);
  const int together = row == nullptr || masked ? 1 : lanes_at_once(buffer, row->base, lanes);
  for (int lane = 0; lane < lanes; ++lane) {
    const bool is_gather = index.type().is_vector() && !index.is<Ramp>();
    if (lane % together == 0)
      places.push_back(is_gather ? emit(index, lane) : emit(lane_place(buffer, index, lane)));
    Text value = emit(store.value, lane);
    if (lanes > together && !c::is_identifier(value.text)) value = named("value", store.value.type(), value);
    values.push_back(value);
    if (masked) masks.push_back(emit(store.predicate, lane));
  }
  if (together == 1) {
    for (std::size_t lane = 0; lane < values.size(); ++lane) {
      if (masked) line("if (" + masks[lane].text + ")");
      depth_ += masked ? 1 : 0;
      store_element(buffer, places[lane], values[lane]);
      depth_ -= masked ? 1 : 0;
    }
    return;
  }
  const std::string pack = fmt::format("{}<{},{}>", helpers_.need("Pack"), type_name(buffer->type), together);
  for (std::size_t group = 0; group < places.size(); ++group) {
    std::vector<std::string> parts;
    for (int l = 0; l < together; ++l)
      parts.push_back(values[group * static_cast<std::size_t>(together) + static_cast<std::size_t>(l)].text);
    line(fmt::format("*({0}*)({1}) = {0}{{{{{2}}}}};", pack, emit_pointer(buffer, places[group]).text,
                     join(parts, ", ")));
  }
}

}  // namespace ardea::codegen::cuda
