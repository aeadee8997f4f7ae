#include <algorithm>
#include <unordered_set>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/limits/register_tile.h"
#include "ardea/lower/passes.h"
#include "ardea/lower/register_slots.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

/// One slot as memory of its own: one element, which is the whole vector.
struct SlotMemory {
  Slot slot;
  Buffer vector;    ///< of one element
  Buffer elements;  ///< the same memory, element by element; empty where no instruction takes its address
};

class Promotion {
 public:
  Promotion(const Allocate& allocation, const std::string& function)
      : data_(allocation.data), type_(allocation.type) {
    int number = 0;
    for (const Slot& slot : slots_of(allocation, function)) {
      require(
          !slot.is_written_in_part || !type_.is_storage_only(),
          "{}: [{}:{}] of the register buffer {} of {} is written in part, which this type does not allow; "
          "hold it as a wider type",
          function, slot.first, slot.end(), data_.name(), to_string(type_));
      slots_.push_back(memory_of(slot, data_.name() + "_" + std::to_string(number++)));
    }
  }

  Stmt run(const Stmt& inside) const {
    Stmt body = rewrite(inside, Rewriter{.expr = [&](const Expr& e) { return instruction(e); },
                                         .expr_after = [&](const Expr& e) { return loaded(e); },
                                         .stmt_after = [&](const Stmt& s) { return stored(s); }});
    // What is written in part keeps the rest, which must be something.
    std::vector<Stmt> steps;
    for (const SlotMemory& memory : slots_)
      if (memory.slot.is_written_in_part)
        steps.push_back(make_store(memory.vector, {make_int(0)}, make_const(0, memory.vector->type)));
    steps.push_back(body);
    body = make_seq(std::move(steps));
    for (std::size_t i = slots_.size(); i-- > 0;) {
      const SlotMemory& memory = slots_[i];
      if (memory.elements.defined()) body = DeclareBuffer{memory.elements, body};
      body = Allocate{memory.vector->data,
                      memory.vector->type,
                      {make_int(1)},
                      std::string(register_scope),
                      DeclareBuffer{memory.vector, body}};
    }
    return body;
  }

 private:
  SlotMemory memory_of(const Slot& slot, const std::string& name) const {
    const DataType type = type_.with_lanes(slot.lanes);
    BufferNode node{.name = name, .data = Var(name, handle_type), .type = type, .shape = {make_int(1)}};
    node.scope = std::string(register_scope);
    SlotMemory memory{slot, Buffer(node), {}};
    if (!slot.is_addressed) return memory;
    node.type = type_;
    node.shape = {make_int(slot.lanes)};
    memory.elements = Buffer(node);
    return memory;
  }

  /// The slot that holds the range; every range that is accessed has one.
  const SlotMemory& holding(const SlotRange& range) const {
    const auto after = std::upper_bound(
        slots_.begin(), slots_.end(), range.first,
        [](std::int64_t first, const SlotMemory& memory) { return first < memory.slot.first; });
    ensure(after != slots_.begin(), "no slot holds element {} of {}", range.first, data_.name());
    return *std::prev(after);
  }

  static Expr whole(const SlotMemory& memory) { return make_load(memory.vector, {make_int(0)}); }

  Expr loaded(const Expr& e) const {
    const auto* load = e.as<Load>();
    if (load == nullptr || !(load->buffer->data == data_)) return e;
    const SlotRange range = *constant_range(load->indices[0]);
    const SlotMemory& memory = holding(range);
    Expr value = whole(memory);
    if (range.lanes < memory.slot.lanes) {
      std::vector<std::int64_t> lanes;
      for (std::int64_t i = 0; i < range.lanes; ++i) lanes.push_back(range.first - memory.slot.first + i);
      value = make_shuffle({value}, lanes);
    }
    return is_true(load->predicate) ? value
                                    : make_select(load->predicate, value, make_const(0, value.type()));
  }

  Stmt stored(const Stmt& s) const {
    if (const auto* declared = s.as<DeclareBuffer>(); declared != nullptr && declared->buffer->data == data_)
      return declared->body;
    const auto* store = s.as<Store>();
    if (store == nullptr || !(store->buffer->data == data_)) return s;
    const SlotRange range = *constant_range(store->indices[0]);
    const SlotMemory& memory = holding(range);
    Expr value = store->value;
    if (!is_true(store->predicate)) value = make_select(store->predicate, value, part_before(*store));
    if (range.lanes < memory.slot.lanes) {
      std::vector<std::int64_t> lanes;  // the new ones among those that stay
      const std::int64_t at = range.first - memory.slot.first;
      for (std::int64_t i = 0; i < memory.slot.lanes; ++i)
        lanes.push_back(i < at || i >= at + range.lanes ? i : memory.slot.lanes + i - at);
      value = make_shuffle({whole(memory), value}, lanes);
    }
    return make_store(memory.vector, {make_int(0)}, value);
  }

  /// What the lanes of a store hold before it.
  Expr part_before(const Store& store) const { return loaded(make_load(store.buffer, store.indices)); }

  /// Operands keep their type: the address of the slot's first element.
  std::optional<Expr> instruction(const Expr& e) const {
    const auto* call = e.as<Call>();
    if (call == nullptr || call->op->name != "address_of") return std::nullopt;
    const auto* corner = call->arguments[0].as<Load>();
    if (corner == nullptr || !(corner->buffer->data == data_)) return std::nullopt;
    const SlotMemory& memory = holding(*constant_range(corner->indices[0]));
    return make_call("address_of", {make_load(memory.elements, {make_int(0)})});
  }

  const Var data_;
  const DataType type_;
  std::vector<SlotMemory> slots_;
};

Stmt promoted(const Stmt& s, const std::string& function) {
  const auto* allocation = s.as<Allocate>();
  const auto inside = [&](const Stmt& part) { return promoted(part, function); };
  if (allocation == nullptr || allocation->scope != register_scope || allocation->type.is_vector())
    return map_children(s, Mapper{.stmt = inside});
  return Promotion(*allocation, function).run(inside(allocation->body));
}

/// Slots that a loop uses and that were there before it live through all its iterations: what does not fit
/// the registers would be stored and loaded again in each.
void check_loops(const Stmt& body, const std::string& function, const target::Target& target) {
  visit_stmts(body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    if (loop == nullptr) return;
    std::unordered_set<Var> own;
    visit_stmts(loop->body, [&](const Stmt& part) {
      if (const auto* allocation = part.as<Allocate>()) own.insert(allocation->data);
    });
    std::int64_t taken = 0;
    std::string example;
    for (const Buffer& buffer : buffers_in(loop->body)) {
      if (buffer->scope != register_scope || !own.insert(buffer->data).second) continue;
      const std::int64_t elements = constant_int(buffer->shape[0]).value_or(1);
      taken += limits::registers_of(buffer->type.with_lanes(buffer->type.lanes * elements), target);
      example = buffer->name;
    }
    require(taken <= target.vector_registers,
            "{}: the loop {} keeps {} vector registers of {} bits in use (the slots of scope \"register\" up "
            "to {}), "
            "the target {} has {}; make the tile smaller, or use scope \"local\"",
            function, loop->var.name(), taken, target.vector_bits, example, target.name,
            target.vector_registers);
  });
}

}  // namespace

Function promote_registers(const Function& f, const target::Target& target) {
  Function out = f;
  out.body = promoted(f.body, f.name);
  if (!(out.body == f.body)) check_loops(out.body, f.name, target);
  return out;
}

}  // namespace ardea::lower
