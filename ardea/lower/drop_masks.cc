#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/filled_first.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/passes.h"
#include "ardea/lower/register_slots.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// A mask that is arithmetic on variables: equal where these are.
bool is_plain_mask(const Expr& mask) {
  if (is_true(mask) || mask.type().is_scalar()) return false;
  bool plain = true;
  visit_exprs(mask, [&](const Expr& e) { plain = plain && !e.is<Load>() && !e.is<Call>() && !e.is<Let>(); });
  return plain;
}

/// Names of such masks give way to what they stand for.
Stmt with_masks_written_out(const Stmt& s) {
  return rewrite(s, Rewriter{.stmt_after = [](const Stmt& x) -> Stmt {
                   const auto* let = x.as<LetStmt>();
                   const bool is_mask =
                       let != nullptr && let->var.type().is_bool() && is_plain_mask(let->value);
                   return is_mask ? substitute(let->body, let->var, let->value) : x;
                 }});
}

bool is_same_mask(const Expr& a, const Expr& b) {
  return a.defined() && b.defined() && structurally_equal(a, b);
}

/// Whether a lane of the value depends on the same lane of its operands only, and on any of their values has
/// one: a division by 0 has none, a shift may be too wide.
bool is_lane_by_lane(const Expr& e) {
  if (const auto* binary = e.as<Binary>()) {
    switch (binary->op) {
      case BinaryOp::floor_div:
      case BinaryOp::floor_mod:
      case BinaryOp::trunc_div:
      case BinaryOp::trunc_mod:
      case BinaryOp::shift_left:
      case BinaryOp::shift_right: return false;
      default: return true;
    }
  }
  if (const auto* call = e.as<Call>())
    return call->op->effect == Effect::pure && call->op->floats_only &&
           call->op->result == ResultRule::same_as_first;
  return e.is<Cast>() || e.is<Unary>() || e.is<Select>();
}

/// The loads of a function that stand under the mask of the store they feed, and whose other lanes reach
/// nothing but the lanes that the store leaves out: these are idle.
class IdleLoads {
 public:
  explicit IdleLoads(const Stmt& body) {
    visit_stmts(body, [&](const Stmt& s) {
      const auto* store = s.as<Store>();
      if (store == nullptr || !is_plain_mask(store->predicate))
        return for_each_child(s, [&](const Expr& e) { busy(e); }, [](const Stmt&) {});
      for (const Expr& index : store->indices) busy(index);
      std::unordered_set<Expr> seen;
      visit(store->value, store->predicate, seen);
    });
  }

  bool contains(const Expr& e) const { return idle_.contains(e) && !busy_.contains(e); }
  bool empty() const { return idle_.empty(); }

 private:
  void visit(const Expr& e, const Expr& mask, std::unordered_set<Expr>& seen) {
    if (!seen.insert(e).second) return;
    const auto* load = e.as<Load>();
    if (load != nullptr && is_same_mask(load->predicate, mask)) {
      idle_.insert(e);
      for (const Expr& index : load->indices) busy(index);
    } else if (is_lane_by_lane(e)) {
      for_each_child(e, [&](const Expr& part) { visit(part, mask, seen); });
    } else {
      busy(e);
    }
  }

  /// Nodes are shared: a load that is idle here may not be elsewhere.
  void busy(const Expr& e) {
    if (e.defined() && busy_.insert(e).second) for_each_child(e, [&](const Expr& part) { busy(part); });
  }

  std::unordered_set<Expr> idle_, busy_;
};

/// A slot, and whether no one can see its masks: every access is of the whole slot under the same one, and
/// every load is idle.
struct SlotMask {
  Slot slot;
  Expr mask;  ///< empty until an access is met
  bool is_unseen = true;
};

class Dropping {
 public:
  explicit Dropping(const Function& f) : idle_(f.body) {
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
      if (allocation->scope == register_scope) collect_slots(*allocation, f.name);
      if (integer_attribute(allocation->annotations, std::string(filled_first_key), 0) != 0)
        readable_.insert(allocation->data);
    });
  }

  bool has_work() const { return !idle_.empty(); }

  Stmt visit(const Stmt& s, const Analyzer& facts) const {
    const auto* store = s.as<Store>();
    if (store == nullptr)
      return map_inside(s, facts,
                        [&](const Stmt& part, const Analyzer& known) { return visit(part, known); });
    if (!is_plain_mask(store->predicate)) return s;
    Store out = *store;
    out.value = rewrite(store->value, [&](const Expr& e) -> std::optional<Expr> {
      const auto* load = e.as<Load>();
      if (load == nullptr || !idle_.contains(e)) return std::nullopt;
      const bool drops = load->buffer->scope == register_scope ? is_unseen(load->buffer, load->indices[0])
                                                               : is_inside(*load, facts);
      return drops ? std::optional(make_load(load->buffer, load->indices)) : std::nullopt;
    });
    if (out.buffer->scope == register_scope && is_unseen(out.buffer, out.indices[0])) out.predicate = {};
    return out;
  }

 private:
  void collect_slots(const Allocate& allocation, const std::string& function) {
    std::vector<SlotMask>& slots = slots_[allocation.data];
    std::unordered_set<Var> inner;
    visit_stmts(allocation.body, [&](const Stmt& s) {
      if (const auto* loop = s.as<For>()) inner.insert(loop->var);
      if (const auto* let = s.as<LetStmt>()) inner.insert(let->var);
    });
    const auto stays = [&](const Expr& mask) {
      const std::vector<Var> used = free_variables(mask);
      return std::none_of(used.begin(), used.end(), [&](const Var& var) { return inner.contains(var); });
    };
    for (const Slot& slot : slots_of(allocation, function)) slots.push_back({slot, {}});
    const auto note = [&](const Buffer& buffer, const Expr& index, const Expr& mask, bool is_idle) {
      if (!(buffer->data == allocation.data)) return;
      const SlotRange range = *constant_range(index);
      SlotMask& at = slots[position(slots, range)];
      if (!at.mask.defined()) at.mask = mask;
      at.is_unseen = at.is_unseen && is_idle && at.slot.lanes == range.lanes && is_plain_mask(mask) &&
                     stays(mask) && is_same_mask(at.mask, mask) && !at.slot.is_addressed;
    };
    visit_stmts(allocation.body, [&](const Stmt& s) {
      if (const auto* store = s.as<Store>()) note(store->buffer, store->indices[0], store->predicate, true);
    });
    visit_exprs(allocation.body, [&](const Expr& e) {
      if (const auto* load = e.as<Load>())
        note(load->buffer, load->indices[0], load->predicate, idle_.contains(e));
    });
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

  /// Whether all lanes of the row may be read.
  bool is_inside(const Load& load, const Analyzer& facts) const {
    const auto* row = load.indices[0].as<Ramp>();
    if (row == nullptr || !is_one(row->stride) || load.buffer->shape.size() != 1 ||
        load.buffer->element_offset.defined() || !readable_.contains(load.buffer->data))
      return false;
    const Expr first = as_index(row->base), lanes = make_int(load.indices[0].type().lanes);
    return facts.proves(first >= make_int(0)) &&
           facts.proves(first + lanes <= as_index(load.buffer->shape[0]));
  }

  IdleLoads idle_;
  std::unordered_set<Var> readable_;  ///< memory that is only read, or filled before it is read
  std::unordered_map<Var, std::vector<SlotMask>> slots_;
};

}  // namespace

Function drop_masks(const Function& f, const target::Target&) {
  bool has_masks = false;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* store = s.as<Store>();
    has_masks =
        has_masks || (store != nullptr && !is_true(store->predicate) && !store->predicate.type().is_scalar());
  });
  if (!has_masks) return f;
  Function out = f;
  out.body = with_masks_written_out(f.body);
  const Dropping dropping(out);
  if (!dropping.has_work()) return f;
  out.body = dropping.visit(out.body, arith::facts_of(f));
  return out;
}

}  // namespace ardea::lower
