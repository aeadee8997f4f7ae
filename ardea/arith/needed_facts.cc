#include "ardea/arith/needed_facts.h"

#include <algorithm>
#include <ranges>

#include "ardea/ir/traverse.h"
#include "ardea/support/overloaded.h"

namespace ardea::arith {

namespace {

std::vector<Expr> expressions_of(const Fact& fact) {
  return std::visit(
      overloaded{
          [](const BoundVariable& f) -> std::vector<Expr> { return {f.range.min, f.range.extent}; },
          [](const DefinedVariable& f) -> std::vector<Expr> { return {f.value}; },
          [](const AssumedCondition& f) -> std::vector<Expr> { return {f.condition}; },
          [](const auto&) -> std::vector<Expr> { return {}; },
      },
      fact);
}

}  // namespace

NeededFacts::NeededFacts(const NeededFacts& older, const Facts& facts, const Reasoner& without,
                         const Reasoner& with) {
  are_apart_ = older.are_apart_ && older.known_.size() < most && without.is_open_to(facts.fact) &&
               !with.has_given_up();
  if (!are_apart_) return;
  known_ = older.known_;
  always_ = older.always_;
  const Set itself = Set{1} << known_.size();
  Known known{itself, itself, with.has_learnt_since(without)};
  for (const Expr& e : expressions_of(facts.fact)) {
    const auto named = named_by(e, without);
    are_apart_ = are_apart_ && named;
    if (!named) return;
    known.needs |= named->needs;
    // A name for another variable is written as that one.
    if (!known.is_learnt && !std::holds_alternative<DefinedVariable>(facts.fact)) continue;
    known.is_about |= named->is_about;
    known.is_about_others = known.is_about_others || named->is_about_others;
  }
  if (known.is_learnt && known.is_about_others) always_ |= known.needs;
  known_.push_back(known);
}

std::optional<NeededFacts::Known> NeededFacts::named_by(const Expr& e, const Reasoner& all) const {
  constexpr int most_nodes = 128;
  Known named;
  int nodes = 0;
  const std::function<void(const Expr&)> visit = [&](const Expr& part) {
    if (++nodes > most_nodes) return;
    const auto* call = part.as<Call>();
    const bool is_variable = part.is<VarNode>();
    const auto at = is_variable ? all.place_of(part) : std::nullopt;
    if (at) {
      const Known& known = known_[static_cast<std::size_t>(*at)];
      named.needs |= known.needs;
      named.is_about |= known.is_about;
      named.is_about_others = named.is_about_others || known.is_about_others;
    } else if (is_variable || part.is<Load>() || (call != nullptr && call->arguments.empty())) {
      named.is_about_others = true;
    }
    if (!is_variable) for_each_child(part, visit);
  };
  visit(e);
  return nodes > most_nodes ? std::nullopt : std::optional(named);
}

std::shared_ptr<const Facts> NeededFacts::among(const std::shared_ptr<const Facts>& facts,
                                                const Reasoner& all, const std::vector<Expr>& named) {
  if (!are_apart_) return facts;
  Set needed = always_;
  for (const Expr& e : named) {
    const auto parts = named_by(e, all);
    if (!parts) return facts;
    needed |= parts->needs;
  }
  for (Set before = ~needed; before != needed;) {
    before = needed;
    for (const Known& known : known_)
      if (known.is_learnt && (known.is_about & needed) != 0) needed |= known.needs;
  }
  const std::size_t count = known_.size();
  if (needed == (count == most ? ~Set{0} : (Set{1} << count) - 1)) return facts;
  if (const auto known = found_.find(needed); known != found_.end()) return known->second;
  std::vector<const Fact*> kept;
  const Facts* at = facts.get();
  for (std::size_t i = count; i-- > 0; at = at->older.get())
    if (needed >> i & 1) kept.push_back(&at->fact);
  std::shared_ptr<const Facts> found;
  for (const Fact* fact : std::views::reverse(kept)) found = with_fact(found, *fact);
  return found_[needed] = found;
}

}  // namespace ardea::arith
