#include "ardea/codegen/ranges/masks.h"

#include <algorithm>
#include <vector>

#include "ardea/ir/equal.h"
#include "ardea/ir/traverse.h"

namespace ardea::codegen {

namespace {

void add_parts(const Expr& condition, std::vector<Expr>& parts) {
  const auto* both = condition.as<Binary>();
  if (both == nullptr || both->op != BinaryOp::logical_and) return parts.push_back(condition);
  add_parts(both->left, parts);
  add_parts(both->right, parts);
}

/// What must all hold.
std::vector<Expr> parts_of(const Expr& condition) {
  std::vector<Expr> parts;
  add_parts(condition, parts);
  return parts;
}

}  // namespace

bool has_many_masks(const Stmt& body) {
  constexpr int few = 64;
  int count = 0;
  const auto add = [&](const Expr& predicate) {
    if (predicate.defined() && predicate.type().is_vector()) ++count;
  };
  visit_exprs(body, [&](const Expr& e) {
    if (const auto* load = e.as<Load>()) add(load->predicate);
  });
  visit_stmts(body, [&](const Stmt& s) {
    if (const auto* store = s.as<Store>()) add(store->predicate);
  });
  return count > few;
}

bool is_masked_already(const Expr& condition, const Expr& when_true, const Expr& when_false) {
  const auto* load = when_true.as<Load>();
  const auto* other = when_false.as<Broadcast>();
  if (load == nullptr || !load->predicate.defined() || !condition.type().is_vector() || other == nullptr ||
      !is_zero(other->value))
    return false;
  const std::vector<Expr> asked = parts_of(condition), on = parts_of(load->predicate);
  return std::all_of(asked.begin(), asked.end(), [&](const Expr& part) {
    return std::any_of(on.begin(), on.end(), [&](const Expr& e) { return structurally_equal(e, part); });
  });
}

}  // namespace ardea::codegen
