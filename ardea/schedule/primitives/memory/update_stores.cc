#include "ardea/schedule/primitives/memory/update_stores.h"

#include <algorithm>
#include <unordered_set>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/program/touches.h"

namespace ardea::schedule {

namespace {

/// Whether evaluating e always loads the element.
bool always_loads(const Expr& e, const Buffer& buffer, const std::vector<Expr>& indices) {
  if (const auto* load = e.as<Load>();
      load != nullptr && load->buffer == buffer && !load->predicate.defined())
    if (std::equal(indices.begin(), indices.end(), load->indices.begin(), load->indices.end(),
                   [](const Expr& a, const Expr& b) { return structurally_equal(a, b); }))
      return true;
  bool found = false, first = true;
  const auto* call = e.as<Call>();
  const auto* binary = e.as<Binary>();
  const bool is_lazy =
      (call != nullptr && call->op->name == "if_then_else") ||
      (binary != nullptr && (binary->op == BinaryOp::logical_and || binary->op == BinaryOp::logical_or));
  for_each_child(e, [&](const Expr& part) {
    found = found || ((first || !is_lazy) && always_loads(part, buffer, indices));
    first = false;
  });
  return found;
}

}  // namespace

bool writes_are_updates(const Stmt& s, const Buffer& buffer) {
  bool all = true;
  visit_stmts(s, [&](const Stmt& part) {
    const auto* store = part.as<Store>();
    if (store != nullptr && store->buffer == buffer)
      all = all && !store->predicate.defined() && always_loads(store->value, buffer, store->indices);
  });
  return all;
}

bool only_adds(const Stmt& s, const Buffer& buffer) {
  bool all = true;
  std::unordered_set<Expr> sums;  // the loads of x there
  const auto is_element = [&](const Expr& e, const Store& store) {
    const auto* load = e.as<Load>();
    return load != nullptr && !load->predicate.defined() && load->buffer == buffer &&
           always_loads(e, buffer, store.indices);
  };
  visit_stmts(s, [&](const Stmt& part) {
    const auto* store = part.as<Store>();
    if (store == nullptr || !(store->buffer == buffer)) return;
    const auto* sum = store->value.as<Binary>();
    all = all && !store->predicate.defined() && sum != nullptr && sum->op == BinaryOp::add;
    if (!all) return;
    const Expr& old = is_element(sum->left, *store) ? sum->left : sum->right;
    const Expr& added = is_element(sum->left, *store) ? sum->right : sum->left;
    const std::vector<Buffer> read = loaded_buffers(added);
    all = is_element(old, *store) && std::find(read.begin(), read.end(), buffer) == read.end();
    sums.insert(old);
  });
  visit_exprs(s, [&](const Expr& e) {
    const auto* load = e.as<Load>();
    all = all && (load == nullptr || !(load->buffer == buffer) || sums.contains(e));
  });
  return all;
}

}  // namespace ardea::schedule
