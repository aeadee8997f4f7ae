#include "ardea/schedule/analysis/prefix_cut.h"

#include <algorithm>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/regions_conditions.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/program/both_hold.h"

namespace ardea::schedule {

namespace {

/// The place of the only iterator of the kind that e uses; nothing where it uses none, or several.
std::optional<std::size_t> only_used(const Expr& e, const Block& block, IteratorKind kind) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < block.iterators.size(); ++i) {
    if (block.iterators[i].kind != kind || !uses(e, block.iterators[i].var)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

/// r < j + shift, however it is written.
std::optional<PrefixCut> cut_of(const Expr& condition, const Block& block) {
  const auto end = only_used(condition, block, IteratorKind::spatial);
  const auto step = only_used(condition, block, IteratorKind::reduce);
  if (!end || !step) return std::nullopt;
  const std::vector<Expr> parts = arith::nonnegative_parts(condition);
  if (parts.size() != 1) return std::nullopt;
  const Expr rest = parts[0] - (as_index(block.iterators[*end].var) - as_index(block.iterators[*step].var));
  const auto room = constant_int(arith::Analyzer().simplify(rest));
  if (!room) return std::nullopt;
  return PrefixCut{.end = *end, .step = *step, .shift = *room + 1};
}

/// What is taken where a condition holds, the neutral element elsewhere.
struct ChosenTerm {
  Expr condition, value;
  bool asks = false;  ///< the value is evaluated nowhere else
};

std::optional<ChosenTerm> chosen_term(const ReducedElement& element) {
  if (const auto* choice = element.term.as<Select>())
    return structurally_equal(choice->when_false, element.neutral)
               ? std::optional(ChosenTerm{choice->condition, choice->when_true})
               : std::nullopt;
  const auto* call = element.term.as<Call>();
  if (call == nullptr || call->op != find_intrinsic("if_then_else") ||
      !structurally_equal(call->arguments[2], element.neutral))
    return std::nullopt;
  return ChosenTerm{call->arguments[0], call->arguments[1], true};
}

bool is_same(const PrefixCut& a, const PrefixCut& b) {
  return a.end == b.end && a.step == b.step && a.shift == b.shift;
}

/// The cut by which the element's term is chosen, and the term without it.
std::optional<PrefixCut> cut_of_term(const ReducedElement& element, const Block& block) {
  const auto chosen = chosen_term(element);
  if (!chosen) return std::nullopt;
  std::optional<PrefixCut> found;
  Expr others;
  for (const Expr& part : arith::conjuncts(chosen->condition)) {
    const auto cut = found ? std::nullopt : cut_of(part, block);
    if (cut)
      found = cut;
    else
      others = both_hold(others, part);
  }
  if (!found) return std::nullopt;
  const Expr& value = chosen->value;
  if (!others.defined())
    found->terms = {value};
  else
    found->terms = {chosen->asks ? make_call("if_then_else", {others, value, element.neutral})
                                 : make_select(others, value, element.neutral)};
  return found;
}

}  // namespace

std::optional<PrefixCut> prefix_cut(const Block& block, const Reducer& reducer,
                                    const std::vector<Expr>& conditions) {
  std::optional<PrefixCut> found;
  for (const Expr& condition : conditions) {
    if (found) return std::nullopt;
    found = cut_of(condition, block);
    if (!found) return std::nullopt;
    for (const ReducedElement& element : reducer.elements()) found->terms.push_back(element.term);
  }
  if (!found)
    for (const ReducedElement& element : reducer.elements()) {
      const auto cut = cut_of_term(element, block);
      if (!cut || (found && !is_same(*found, *cut))) return std::nullopt;
      if (!found)
        found = cut;
      else
        found->terms.push_back(cut->terms[0]);
    }
  const bool differ = !found || std::any_of(found->terms.begin(), found->terms.end(), [&](const Expr& term) {
    return uses(term, block.iterators[found->end].var);
  });
  return differ ? std::nullopt : found;
}

}  // namespace ardea::schedule
