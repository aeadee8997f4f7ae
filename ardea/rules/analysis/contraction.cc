#include "ardea/rules/analysis/contraction.h"

#include <algorithm>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

namespace {

bool moves(const std::vector<Expr>& indices, const Var& iterator) {
  return std::any_of(indices.begin(), indices.end(), [&](const Expr& e) { return uses(e, iterator); });
}

/// Whether it asks for the block's iterators and sizes alone: a condition that reads memory is none that a
/// copy could ask.
bool asks_no_memory(const Expr& condition) {
  bool asks = false;
  if (condition.defined())
    visit_exprs(condition,
                [&](const Expr& e) { asks = asks || e.is<Load>() || e.is<Call>() || e.is<Let>(); });
  return !asks;
}

/// The place among what the block reads; nothing where it declares the buffer twice, or not.
std::optional<std::int64_t> read_of(const Block& block, const Buffer& buffer) {
  if (!block.reads) return std::nullopt;
  std::optional<std::int64_t> found;
  for (std::size_t i = 0; i < block.reads->size(); ++i) {
    if ((*block.reads)[i].buffer != buffer) continue;
    if (found) return std::nullopt;
    found = static_cast<std::int64_t>(i);
  }
  return found;
}

}  // namespace

std::int64_t Contraction::extent(const std::vector<std::size_t>& group) const {
  std::int64_t product = 1;
  for (const std::size_t i : group) product *= stage.extents[i];
  return product;
}

std::optional<std::size_t> Contraction::last_of(const std::vector<Expr>& indices) const {
  if (indices.empty()) return std::nullopt;
  // One of a single value is a digit of nothing: taken for two, it keeps its place in the sum.
  arith::Analyzer facts;
  for (std::size_t i = 0; i < stage.iterators.size(); ++i)
    facts.bind(stage.iterators[i], {make_int(0), make_int(std::max<std::int64_t>(stage.extents[i], 2))});
  const Expr last = as_index(indices.back());
  for (std::size_t i = 0; i < stage.iterators.size(); ++i) {
    const Expr iterator = as_index(stage.iterators[i]);
    const bool is_last = indices.back().is<VarNode>() && Var(indices.back()) == stage.iterators[i];
    const bool is_digit = stage.extents[i] > 1 && uses(last, stage.iterators[i]) &&
                          facts.proves(equals(floor_mod(last, make_int(stage.extents[i])), iterator));
    if (is_last || is_digit) return i;
  }
  return std::nullopt;
}

std::optional<Contraction> contraction(const Function& program, const schedule::BlockRef& block) {
  const auto stage = plain_stage(program, block);
  if (!stage || !stage->reduces()) return std::nullopt;
  const Block& body = schedule::path_to(program, block)->block();
  const auto added = added_term(body);
  if (!added) return std::nullopt;
  const auto [value, condition] = asked_value(*added);
  const auto* term = value.as<Binary>();
  if (term == nullptr || term->op != BinaryOp::mul) return std::nullopt;
  const AskedValue first = asked_under_casts(term->left), second = asked_under_casts(term->right);
  const Load *left = load_under_casts(first.value), *right = load_under_casts(second.value);
  if (left == nullptr || right == nullptr || left->buffer == right->buffer) return std::nullopt;
  if (!asks_no_memory(condition) || !asks_no_memory(first.condition) || !asks_no_memory(second.condition))
    return std::nullopt;
  const bool is_plain_result = std::all_of(stage->indices.begin(), stage->indices.end(),
                                           [](const Expr& index) { return index.is<VarNode>(); });
  const auto left_read = read_of(body, left->buffer), right_read = read_of(body, right->buffer);
  if (!is_plain_result || !left_read || !right_read) return std::nullopt;
  Contraction found{.stage = *stage,
                    .left = *left,
                    .right = *right,
                    .condition = condition,
                    .left_condition = first.condition,
                    .right_condition = second.condition,
                    .left_read = *left_read,
                    .right_read = *right_read};
  for (std::size_t i = 0; i < stage->iterators.size(); ++i) {
    const auto asks = [&](const Expr& e) { return e.defined() && uses(e, stage->iterators[i]); };
    const bool in_left =
        asks(condition) || asks(first.condition) || moves(left->indices, stage->iterators[i]);
    const bool in_right =
        asks(condition) || asks(second.condition) || moves(right->indices, stage->iterators[i]);
    const bool makes = i < stage->spatial;
    if (makes != moves(stage->indices, stage->iterators[i])) return std::nullopt;
    if (in_left && in_right)
      (makes ? found.batch : found.depth).push_back(i);
    else if (makes && (in_left || in_right))
      (in_left ? found.rows : found.columns).push_back(i);
    else
      return std::nullopt;
  }
  if (found.depth.empty()) return std::nullopt;
  const auto last = found.last_of(stage->indices);
  if (last && std::find(found.rows.begin(), found.rows.end(), *last) != found.rows.end()) {
    std::swap(found.left, found.right);
    std::swap(found.left_condition, found.right_condition);
    std::swap(found.left_read, found.right_read);
    std::swap(found.rows, found.columns);
  }
  return found;
}

}  // namespace ardea::rules
