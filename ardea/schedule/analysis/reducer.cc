#include "ardea/schedule/analysis/reducer.h"

#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/ir/neutral_element.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/program/removal.h"

namespace ardea::schedule {

namespace {

bool is_element(const Expr& e, const ReducedElement& element) {
  const auto* load = e.as<Load>();
  if (load == nullptr || !(load->buffer == element.buffer) || load->predicate.defined()) return false;
  for (std::size_t d = 0; d < load->indices.size(); ++d)
    if (!structurally_equal(load->indices[d], element.indices[d])) return false;
  return true;
}

/// The terms must not look at what is being reduced.
bool terms_read_outputs(const std::vector<ReducedElement>& elements) {
  bool found = false;
  for (const ReducedElement& element : elements)
    visit_exprs(element.term, [&](const Expr& e) {
      if (const auto* load = e.as<Load>())
        found = found || std::any_of(elements.begin(), elements.end(), [&](const ReducedElement& other) {
                  return other.buffer->data == load->buffer->data;
                });
    });
  return found;
}

Expr old_value(const ReducedElement& element) { return make_load(element.buffer, element.indices); }

/// Whether the old tuple is the better one: its value, or of equal values its index.
Expr old_is_better(const ReducedElement& index, const ReducedElement& value, bool greatest) {
  const Expr before = old_value(value);
  const Expr better = greatest ? before > value.term : before < value.term;
  return logical_or(better, logical_and(equals(before, value.term), old_value(index) < index.term));
}

}  // namespace

std::optional<Reducer> Reducer::of_stores(const Stmt& body) {
  Reducer found;
  for (const Stmt& s : statements_of(body)) {
    const auto* store = s.as<Store>();
    const auto* update = store == nullptr || store->predicate.defined() ? nullptr : store->value.as<Binary>();
    if (update == nullptr || !store->value.type().is_scalar()) return std::nullopt;
    ReducedElement element{
        store->buffer, store->indices, {}, neutral_element(update->op, store->value.type())};
    if (!element.neutral.defined()) return std::nullopt;
    const bool term_first = !is_element(update->left, element);
    if (term_first && !is_element(update->right, element)) return std::nullopt;
    element.term = term_first ? update->left : update->right;
    for (const ReducedElement& other : found.elements_)
      if (other.buffer->data == element.buffer->data) return std::nullopt;
    found.elements_.push_back(std::move(element));
    found.operations_.push_back({update->op, term_first});
  }
  if (terms_read_outputs(found.elements_)) return std::nullopt;
  return found;
}

std::optional<Reducer> Reducer::of_indexed_extreme(const Stmt& body) {
  const auto* outer = body.as<LetStmt>();
  const auto* inner = outer == nullptr ? nullptr : outer->body.as<LetStmt>();
  if (inner == nullptr) return std::nullopt;
  const std::vector<Stmt> stores = statements_of(inner->body);
  if (stores.size() != 2) return std::nullopt;
  Reducer found;
  std::vector<Expr> conditions;
  for (const LetStmt* let : {outer, inner}) {
    const auto at = std::find_if(stores.begin(), stores.end(), [&](const Stmt& s) {
      const auto* store = s.as<Store>();
      return store != nullptr && !store->predicate.defined() && store->value == let->var;
    });
    const auto* choice = let->value.as<Select>();
    if (at == stores.end() || choice == nullptr) return std::nullopt;
    const Store& store = *at->as<Store>();
    ReducedElement element{store.buffer, store.indices, choice->when_false, {}};
    if (!is_element(choice->when_true, element)) return std::nullopt;
    found.elements_.push_back(std::move(element));
    conditions.push_back(choice->condition);
  }
  if (terms_read_outputs(found.elements_)) return std::nullopt;
  for (const std::size_t index : {0, 1})
    for (const bool greatest : {true, false}) {
      ReducedElement &place = found.elements_[index], &value = found.elements_[1 - index];
      if (!place.term.type().is_integer()) continue;
      const Expr better = old_is_better(place, value, greatest);
      if (!structurally_equal(better, conditions[0]) || !structurally_equal(better, conditions[1])) continue;
      place.neutral = neutral_element(BinaryOp::min, place.term.type());
      value.neutral = greatest ? neutral_element(BinaryOp::max, value.term.type())
                               : neutral_element(BinaryOp::min, value.term.type());
      found.index_ = index;
      found.greatest_ = greatest;
      return found;
    }
  return std::nullopt;
}

std::optional<Reducer> Reducer::of(const Block& block) {
  if (auto found = of_stores(block.body)) return found;
  return of_indexed_extreme(block.body);
}

Stmt Reducer::update(const std::vector<ReducedElement>& elements) const {
  std::vector<Stmt> stores;
  if (!operations_.empty()) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Expr before = old_value(elements[i]), &term = elements[i].term;
      stores.push_back(make_store(elements[i].buffer, elements[i].indices,
                                  operations_[i].term_first ? make_binary(operations_[i].op, term, before)
                                                            : make_binary(operations_[i].op, before, term)));
    }
    return make_seq(std::move(stores));
  }
  const Expr better = old_is_better(elements[index_], elements[1 - index_], greatest_);
  std::vector<Var> now;
  for (const ReducedElement& element : elements) {
    now.emplace_back("v_" + element.buffer->name, element.buffer->type);
    stores.push_back(make_store(element.buffer, element.indices, now.back()));
  }
  Stmt body = make_seq(std::move(stores));
  for (std::size_t i = elements.size(); i-- > 0;)
    body = LetStmt{now[i], make_select(better, old_value(elements[i]), elements[i].term), body};
  return body;
}

}  // namespace ardea::schedule
