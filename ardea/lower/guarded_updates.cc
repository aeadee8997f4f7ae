#include "ardea/lower/guarded_updates.h"

#include <cmath>
#include <unordered_set>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/facts.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;
using Memories = std::unordered_set<Var>;

/// Whether e is what the store is about to overwrite.
bool is_former_value(const Expr& e, const Store& store) {
  const auto* load = e.as<Load>();
  if (load == nullptr || !(load->buffer == store.buffer) || load->predicate.defined() ||
      load->indices.size() != store.indices.size())
    return false;
  for (std::size_t d = 0; d < store.indices.size(); ++d)
    if (!structurally_equal(load->indices[d], store.indices[d])) return false;
  return true;
}

/// The condition and the two values of a choice.
const Call* choice(const Expr& e) {
  const auto* call = e.as<Call>();
  return call != nullptr && call->op->name == "if_then_else" && e.type().is_scalar() ? call : nullptr;
}

/// Memory that is allocated in s, and all that is ever stored to which are numbers but -0 and sums of what
/// was there: a sum of floats is -0 only where both sides are, so that no element ever is, and adding +0
/// changes none.
Memories without_negative_zero(const Stmt& s) {
  Memories found;
  visit_stmts(s, [&](const Stmt& part) {
    const auto* allocation = part.as<Allocate>();
    if (allocation != nullptr && allocation->type.is_float()) found.insert(allocation->data);
  });
  visit_stmts(s, [&](const Stmt& part) {
    const auto* store = part.as<Store>();
    if (store == nullptr) return;
    const auto* number = store->value.as<FloatImm>();
    const auto* sum = store->value.as<Binary>();
    const bool is_number = number != nullptr && (number->value != 0 || !std::signbit(number->value));
    const bool is_sum = sum != nullptr && sum->op == BinaryOp::add &&
                        (is_former_value(sum->left, *store) || is_former_value(sum->right, *store));
    if (!is_number && !is_sum) found.erase(store->buffer->data);
  });
  visit_exprs(s, [&](const Expr& e) {
    if (e.type().is_handle() && e.is<VarNode>()) found.erase(Var(e));
    if (const auto* call = e.as<Call>(); call != nullptr && call->op->name == "address_of")
      found.erase(call->arguments[0].as<Load>()->buffer->data);
  });
  return found;
}

bool is_positive_zero(const Expr& e) {
  const auto* number = e.as<FloatImm>();
  return number != nullptr && number->value == 0 && !std::signbit(number->value);
}

Stmt guarded(const Stmt& s, const Analyzer& facts, const Memories& without_negative_zeros) {
  const auto* store = s.as<Store>();
  const auto* update = store != nullptr ? store->value.as<Binary>() : nullptr;
  if (update == nullptr || store->predicate.defined()) return s;
  const bool is_left = is_former_value(update->left, *store);
  if (!is_left && !is_former_value(update->right, *store)) return s;
  const Call* chosen = choice(is_left ? update->right : update->left);
  if (chosen == nullptr || reads_memory(chosen->arguments[0]) || has_effect(chosen->arguments[0])) return s;
  const auto updated = [&](const Expr& former, const Expr& value) {
    return is_left ? make_binary(update->op, former, value) : make_binary(update->op, value, former);
  };
  // For every x: a variable of which nothing is known stands for it.
  const Var any("x", store->buffer->type);
  const bool adds_nothing = update->op == BinaryOp::add && is_positive_zero(chosen->arguments[2]) &&
                            without_negative_zeros.contains(store->buffer->data);
  if (!adds_nothing && !structurally_equal(facts.simplify(updated(any, chosen->arguments[2])), any)) return s;
  Store out = *store;
  out.value = updated(is_left ? update->left : update->right, chosen->arguments[1]);
  // The condition is of this access only: of a register all lanes are kept (partition_loops).
  const bool is_register = store->buffer->scope == register_scope;
  const Expr& condition = chosen->arguments[0];
  return If{is_register ? make_call("likely", {condition}) : condition, out};
}

Stmt all_guarded(const Stmt& s, const Analyzer& facts, const Memories& without_negative_zeros) {
  if (s.is<Store>()) return guarded(s, facts, without_negative_zeros);
  return map_children(
      s, Mapper{.stmt = [&](const Stmt& part) { return all_guarded(part, facts, without_negative_zeros); }});
}

}  // namespace

Stmt guarded_updates(const Stmt& s, const Analyzer& facts) {
  return all_guarded(s, facts, without_negative_zero(s));
}

}  // namespace ardea::lower
