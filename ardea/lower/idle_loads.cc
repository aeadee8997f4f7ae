#include "ardea/lower/idle_loads.h"

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

namespace ardea::lower {

namespace {

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

bool is_plain(const Expr& condition) {
  bool plain = true;
  visit_exprs(condition,
              [&](const Expr& e) { plain = plain && !e.is<Load>() && !e.is<Call>() && !e.is<Let>(); });
  return plain;
}

}  // namespace

bool is_plain_mask(const Expr& mask) { return !is_true(mask) && !mask.type().is_scalar() && is_plain(mask); }

bool is_same_mask(const Expr& a, const Expr& b) {
  return a.defined() && b.defined() && structurally_equal(a, b);
}

IdleLoads::IdleLoads(const Stmt& body) {
  visit_stmts(body, [&](const Stmt& s) {
    const auto* branch = s.as<If>();
    const auto* store = branch != nullptr ? branch->then_case.as<Store>() : nullptr;
    const bool is_masked = store != nullptr && store->predicate.defined();
    if (store != nullptr && !branch->else_case.defined() && is_plain(branch->condition) &&
        (!is_masked || is_plain_mask(store->predicate)))
      conditions_.emplace(store, branch->condition);
  });
  visit_stmts(body, [&](const Stmt& s) {
    const auto* store = s.as<Store>();
    if (store == nullptr || (!is_plain_mask(store->predicate) && !conditions_.contains(store)))
      return for_each_child(s, [&](const Expr& e) { busy(e); }, [](const Stmt&) {});
    for (const Expr& index : store->indices) busy(index);
    std::unordered_set<Expr> seen;
    visit(store->value, store->predicate, seen);
  });
}

Expr IdleLoads::mask_of(const Expr& written, const Store& store, int lanes) const {
  const auto around = conditions_.find(&store);
  if (around == conditions_.end()) return written;
  const Expr all = lanes > 1 ? make_broadcast(around->second, lanes) : around->second;
  return written.defined() ? logical_and(all, written) : all;
}

void IdleLoads::visit(const Expr& e, const Expr& mask, std::unordered_set<Expr>& seen) {
  if (!seen.insert(e).second) return;
  const auto* load = e.as<Load>();
  const bool is_under_it =
      load != nullptr && (mask.defined() ? is_same_mask(load->predicate, mask) : !load->predicate.defined());
  if (is_under_it) {
    idle_.insert(e);
    for (const Expr& index : load->indices) busy(index);
  } else if (is_lane_by_lane(e)) {
    for_each_child(e, [&](const Expr& part) { visit(part, mask, seen); });
  } else {
    busy(e);
  }
}

void IdleLoads::busy(const Expr& e) {
  if (e.defined() && busy_.insert(e).second) for_each_child(e, [&](const Expr& part) { busy(part); });
}

}  // namespace ardea::lower
