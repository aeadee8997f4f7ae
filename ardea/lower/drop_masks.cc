#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/filled_first.h"
#include "ardea/lower/idle_loads.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/movable.h"
#include "ardea/lower/passes.h"
#include "ardea/lower/register_slots.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// Names of plain masks give way to what they stand for.
Stmt with_masks_written_out(const Stmt& s) {
  return rewrite(s, Rewriter{.stmt_after = [](const Stmt& x) -> Stmt {
                   const auto* let = x.as<LetStmt>();
                   const bool is_mask =
                       let != nullptr && let->var.type().is_bool() && is_plain_mask(let->value);
                   return is_mask ? substitute(let->body, let->var, let->value) : x;
                 }});
}

bool lets_all_run(const Expr& mask) {
  const auto* broadcast = mask.as<Broadcast>();
  return broadcast != nullptr && is_true(broadcast->value);
}

/// Where a loop is written out, some of its masks turn out to leave out nothing.
Stmt without_full_masks(const Stmt& s) {
  return rewrite(s, Rewriter{.expr_after = [](const Expr& e) -> Expr {
                               const auto* load = e.as<Load>();
                               const bool is_whole = load != nullptr && load->predicate.defined() &&
                                                     lets_all_run(load->predicate);
                               return is_whole ? make_load(load->buffer, load->indices) : e;
                             },
                             .stmt_after = [](const Stmt& x) -> Stmt {
                               const auto* store = x.as<Store>();
                               const bool is_whole = store != nullptr && store->predicate.defined() &&
                                                     lets_all_run(store->predicate);
                               return is_whole ? make_store(store->buffer, store->indices, store->value) : x;
                             }});
}

/// A slot, and whether no one can see its masks: every access is of the whole slot under the same one, and
/// every load is idle.
struct SlotMask {
  Slot slot;
  Expr mask = {};  ///< empty until an access is met
  const Store* first_store = nullptr;
  bool is_unseen = true;
};

class Dropping {
 public:
  explicit Dropping(const Function& f) : idle_(f.body), movable_(f) {
    if (idle_.empty()) return;
    for (const Parameter& p : f.parameters)
      if (p.buffer.defined()) readable_.insert(p.buffer->data);
    visit_stmts(f.body, [&](const Stmt& s) {
      if (const auto* store = s.as<Store>()) readable_.erase(store->buffer->data);
    });
    visit_exprs(f.body, [&](const Expr& e) {
      if (e.type().is_handle() && e.is<VarNode>()) readable_.erase(Var(e));
      if (const auto* call = e.as<Call>(); call != nullptr && call->op->name == "address_of")
        readable_.erase(call->arguments[0].as<Load>()->buffer->data);
    });
    visit_stmts(f.body, [&](const Stmt& s) {
      const auto* allocation = s.as<Allocate>();
      if (allocation == nullptr) return;
      if (allocation->scope == register_scope) {
        std::vector<SlotMask> slots;
        for (const Slot& slot : slots_of(*allocation, f.name)) slots.push_back({slot});
        slots_[allocation->data] = masks_in(allocation->body, allocation->data, std::move(slots));
      }
      if (integer_attribute(allocation->annotations, std::string(filled_first_key), 0) != 0)
        readable_.insert(allocation->data);
    });
  }

  bool has_work() const { return !idle_.empty(); }

  Stmt visit(const Stmt& s, const Analyzer& facts) {
    if (const auto* loop = s.as<For>(); loop != nullptr && loop->kind == ForKind::serial)
      return visit_loop(*loop, facts);
    if (const auto* branch = s.as<If>(); branch != nullptr && is_needless(*branch, facts))
      return visit(branch->then_case, facts);
    const auto* store = s.as<Store>();
    if (store == nullptr) return visit_parts(s, facts);
    if (!is_plain_mask(store->predicate)) return s;
    Store out = *store;
    out.value = rewrite(store->value, [&](const Expr& e) -> std::optional<Expr> {
      const auto* load = e.as<Load>();
      if (load == nullptr || !idle_.contains(e)) return std::nullopt;
      const bool drops = load->buffer->scope == register_scope ? needs_none(load->buffer, load->indices[0])
                                                               : is_inside(*load, facts);
      return drops ? std::optional(make_load(load->buffer, load->indices)) : std::nullopt;
    });
    if (out.buffer->scope == register_scope && needs_none(out.buffer, out.indices[0])) out.predicate = {};
    return out;
  }

 private:
  Stmt visit_parts(const Stmt& s, const Analyzer& facts) {
    return map_inside(s, facts, [&](const Stmt& part, const Analyzer& known) { return visit(part, known); });
  }

  /// for k: R[c] = f(R[c]) under m   ⇒   kept[c] = R[c]
  ///                                     for k: R[c] = f(R[c])
  ///                                     R[c] = R[c] if m else kept[c]
  /// where the loop does not change m, and what it does to the lanes that m leaves out reaches these lanes
  /// only: they get back what they had. A sum of some points asks for them once, not in every term.
  Stmt visit_loop(const For& loop, const Analyzer& facts) {
    const std::size_t outside = restored_.size();
    restore_after(loop, facts);
    const Stmt whole = visit_parts(loop, facts);
    const std::vector<Restored> restored(restored_.begin() + static_cast<std::ptrdiff_t>(outside),
                                         restored_.end());
    restored_.resize(outside);
    if (restored.empty()) return whole;

    std::vector<Stmt> before, after;
    std::unordered_map<Var, Buffer> copies;
    std::vector<Buffer> in_order;
    for (const Restored& slot : restored) {
      Buffer& copy = copies[slot.buffer->data];
      if (!copy.defined()) in_order.push_back(copy = like(slot.buffer));
      const Expr sum = make_load(slot.buffer, {slot.index}), former = make_load(copy, {slot.index});
      before.push_back(make_store(copy, {slot.index}, sum));
      after.push_back(make_store(slot.buffer, {slot.index}, make_select(slot.mask, sum, former)));
    }
    before.push_back(whole);
    before.insert(before.end(), after.begin(), after.end());
    Stmt out = make_seq(std::move(before));
    for (const Buffer& copy : in_order)
      out = Allocate{copy->data, copy->type, copy->shape, copy->scope, DeclareBuffer{copy, out}};
    return out;
  }

  /// Whether it may as well run always: its one store is undone where it should not have run, and all that is
  /// read for it is there.
  bool is_needless(const If& branch, const Analyzer& facts) {
    const auto* store = branch.then_case.as<Store>();
    if (branch.else_case.defined() || store == nullptr || store->buffer->scope != register_scope ||
        !idle_.has_condition(*store) || !is_restored(store->buffer, store->indices[0]))
      return false;
    return may_be_computed(store->value, facts);
  }

  /// Whether e has a value here whether or not the program asks for it.
  bool may_be_computed(const Expr& e, const Analyzer& facts) {
    if (const auto* load = e.as<Load>()) {
      return load->buffer->scope == register_scope ? is_restored(load->buffer, load->indices[0])
                                                   : is_inside(*load, facts);
    }
    bool may = movable_.with_its_parts(e);
    for_each_child(e, [&](const Expr& part) { may = may && may_be_computed(part, facts); });
    return may;
  }

  static Buffer like(const Buffer& buffer) {
    const std::string name = buffer->name + "_kept";
    BufferNode node{
        .name = name, .data = Var(name, handle_type), .type = buffer->type, .shape = buffer->shape};
    node.scope = buffer->scope;
    return Buffer(node);
  }

  /// A slot that a loop updates under one mask, which goes.
  struct Restored {
    Buffer buffer;
    Expr index, mask;
  };

  /// Adds those of `loop` that no loop around it has: every access is of the whole slot under one mask that
  /// the loop does not change, every load is idle, and a condition that is the mask may be left out.
  void restore_after(const For& loop, const Analyzer& facts) {
    std::unordered_set<Var> own;
    visit_stmts(loop.body, [&](const Stmt& s) {
      if (const auto* allocation = s.as<Allocate>()) own.insert(allocation->data);
    });
    std::vector<const Store*> asked;
    for (const Buffer& buffer : buffers_in(loop.body)) {
      if (buffer->scope != register_scope || !own.insert(buffer->data).second) continue;
      for (const SlotMask& at : masks_in(loop, buffer->data, slots_.at(buffer->data))) {
        if (!at.is_unseen || at.first_store == nullptr || needs_none(buffer, at.first_store->indices[0]))
          continue;
        restored_.push_back({buffer, at.first_store->indices[0], at.mask});
        if (idle_.has_condition(*at.first_store)) asked.push_back(at.first_store);
      }
    }
    const Analyzer known = inside(facts, loop);
    for (const Store* store : asked)
      if (!may_be_computed(store->value, known))
        std::erase_if(restored_, [&](const Restored& slot) {
          return slot.buffer->data == store->buffer->data && slot.index == store->indices[0];
        });
  }

  /// The masks of `slots`, which are of `data`, in s and all that is in it.
  std::vector<SlotMask> masks_in(const Stmt& s, const Var& data, std::vector<SlotMask> slots) const {
    for (SlotMask& at : slots) at = {at.slot};
    std::unordered_set<Var> inner;
    visit_stmts(s, [&](const Stmt& part) {
      if (const auto* loop = part.as<For>()) inner.insert(loop->var);
      if (const auto* let = part.as<LetStmt>()) inner.insert(let->var);
    });
    const auto stays = [&](const Expr& mask) {
      const std::vector<Var> used = free_variables(mask);
      return std::none_of(used.begin(), used.end(), [&](const Var& var) { return inner.contains(var); });
    };
    const auto note = [&](const Expr& index, const Expr& mask, bool is_idle) -> SlotMask& {
      const SlotRange range = *constant_range(index);
      SlotMask& at = slots[position(slots, range)];
      if (!at.mask.defined()) at.mask = mask;
      at.is_unseen = at.is_unseen && is_idle && at.slot.lanes == range.lanes && is_plain_mask(mask) &&
                     stays(mask) && is_same_mask(at.mask, mask) && !at.slot.is_addressed;
      return at;
    };
    visit_stmts(s, [&](const Stmt& part) {
      const auto* store = part.as<Store>();
      if (store != nullptr && store->buffer->data == data) {
        const int lanes = store->indices[0].type().lanes;
        SlotMask& at = note(store->indices[0], idle_.mask_of(store->predicate, *store, lanes), true);
        if (at.first_store == nullptr) at.first_store = store;
      }
      const auto loads = [&](const Expr& e) {
        visit_exprs(e, [&](const Expr& inside) {
          const auto* load = inside.as<Load>();
          if (load == nullptr || !(load->buffer->data == data)) return;
          const bool is_idle = store != nullptr && idle_.contains(inside);
          const int lanes = load->indices[0].type().lanes;
          note(load->indices[0], is_idle ? idle_.mask_of(load->predicate, *store, lanes) : load->predicate,
               is_idle);
        });
      };
      for_each_child(part, loads, [](const Stmt&) {});
    });
    return slots;
  }

  static std::size_t position(const std::vector<SlotMask>& slots, const SlotRange& range) {
    const auto after =
        std::upper_bound(slots.begin(), slots.end(), range.first,
                         [](std::int64_t first, const SlotMask& at) { return first < at.slot.first; });
    return static_cast<std::size_t>(after - slots.begin()) - 1;
  }

  bool is_unseen(const Buffer& buffer, const Expr& index) const {
    const std::vector<SlotMask>& slots = slots_.at(buffer->data);
    return slots[position(slots, *constant_range(index))].is_unseen;
  }

  /// Whether accesses to the slot go without their masks here.
  bool needs_none(const Buffer& buffer, const Expr& index) const {
    return is_unseen(buffer, index) || is_restored(buffer, index);
  }

  bool is_restored(const Buffer& buffer, const Expr& index) const {
    return std::any_of(restored_.begin(), restored_.end(), [&](const Restored& slot) {
      return slot.buffer->data == buffer->data &&
             constant_range(slot.index)->first == constant_range(index)->first;
    });
  }

  /// Whether the element, or all lanes of the row, may be read.
  bool is_inside(const Load& load, const Analyzer& facts) const {
    const Expr& index = load.indices[0];
    const auto* row = index.as<Ramp>();
    if ((row == nullptr || !is_one(row->stride)) && !index.type().is_scalar()) return false;
    if (load.buffer->shape.size() != 1 || load.buffer->element_offset.defined() ||
        !readable_.contains(load.buffer->data))
      return false;
    const Expr first = as_index(row != nullptr ? row->base : index), lanes = make_int(index.type().lanes);
    return facts.proves(first >= make_int(0)) &&
           facts.proves(first + lanes <= as_index(load.buffer->shape[0]));
  }

  IdleLoads idle_;
  Movable movable_;
  std::unordered_set<Var> readable_;  ///< memory that is only read, or filled before it is read
  std::unordered_map<Var, std::vector<SlotMask>> slots_;
  std::vector<Restored> restored_;  ///< by the loops around
};

}  // namespace

Function drop_masks(const Function& f, const target::Target&) {
  bool has_masks = false;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* branch = s.as<If>();
    const auto* store = branch != nullptr ? branch->then_case.as<Store>() : s.as<Store>();
    if (store == nullptr) return;
    const bool is_masked = !is_true(store->predicate) && !store->predicate.type().is_scalar();
    has_masks = has_masks || is_masked || (branch != nullptr && store->buffer->scope == register_scope);
  });
  if (!has_masks) return f;
  Function out = f;
  out.body = without_full_masks(with_masks_written_out(f.body));
  Dropping dropping(out);
  if (!dropping.has_work()) return f;
  out.body = dropping.visit(out.body, arith::facts_of(f));
  return out;
}

}  // namespace ardea::lower
