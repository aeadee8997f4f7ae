#include "ardea/lower/guarded_updates.h"

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/facts.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

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

Stmt guarded(const Stmt& s, const Analyzer& facts) {
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
  if (!structurally_equal(facts.simplify(updated(any, chosen->arguments[2])), any)) return s;
  Store out = *store;
  out.value = updated(is_left ? update->left : update->right, chosen->arguments[1]);
  // The condition is of this access only: of a register all lanes are kept (partition_loops).
  const bool is_register = store->buffer->scope == register_scope;
  const Expr& condition = chosen->arguments[0];
  return If{is_register ? make_call("likely", {condition}) : condition, out};
}

}  // namespace

Stmt guarded_updates(const Stmt& s, const Analyzer& facts) {
  if (s.is<Store>()) return guarded(s, facts);
  return map_children(s, Mapper{.stmt = [&](const Stmt& part) { return guarded_updates(part, facts); }});
}

}  // namespace ardea::lower
