#include <algorithm>

#include "ardea/arith/reasoner.h"
#include "ardea/ir/equal.h"
#include "ardea/support/overloaded.h"

namespace ardea::arith {

Reasoner::Reasoner(const std::shared_ptr<const Facts>& facts) {
  std::vector<Expr> conditions;
  std::vector<const Facts*> oldest_last;
  for (const Facts* f = facts.get(); f; f = f->older.get()) oldest_last.push_back(f);
  int& order = next_order_;
  Variables& variables = *variables_;
  for (auto it = oldest_last.rbegin(); it != oldest_last.rend(); ++it, ++order) {
    std::visit(overloaded{
                   [&](const BoundVariable& f) {
                     variables[f.var] = {.range = f.range, .order = order};
                     // The variable exists, so its loop runs.
                     if (!f.range.extent.is<IntImm>())
                       conditions.push_back(
                           make_binary(BinaryOp::gt, f.range.extent, make_int(0, f.range.extent.type())));
                   },
                   [&](const PositiveParameter& f) {
                     variables[f.var] = {.least = f.least, .divisor = f.divisor, .order = order};
                   },
                   [&](const DefinedVariable& f) { variables[f.var] = {.value = f.value, .order = order}; },
                   [&](const DataVariable& f) { variables[f.var] = {.data = true, .order = order}; },
                   [&](const AssumedCondition& f) { conditions.push_back(f.condition); },
               },
               (*it)->fact);
  }
  // In order, each under the earlier ones; what was worked out with fewer facts is forgotten.
  try {
    const Question question(steps_of_facts, questions_that_share_facts);
    for (const Expr& condition : conditions) assume(condition, true);
  } catch (const OutOfWork&) {
    intervals_in_progress_.clear();
    ends_in_progress_.clear();
  }
  forget();
}

void Reasoner::forget() {
  intervals_.clear();
  congruences_.clear();
  wholes_.clear();
  normalised_.clear();
  simplified_.clear();
  decided_.clear();
  signs_.clear();
}

bool Reasoner::is_tame(const Var& var) {
  // A uint64 holds values that our 64-bit bounds cannot, so nothing is promised about its arithmetic.
  if (var.type().is_uint() && var.type().bits == 64) return false;
  const auto it = variables_->find(var);
  if (it == variables_->end() || var.type().bits < 64) return true;
  if (!it->second.value || !it->second.value->type().is_integer()) return !it->second.data;
  const auto atoms = atoms_in(normalise(*it->second.value));
  return std::all_of(atoms.begin(), atoms.end(), [&](AtomId id) { return atom(id).tame; });
}

AtomId Reasoner::variable_atom(const Var& var) {
  if (const auto it = variable_atoms_.find(var); it != variable_atoms_.end()) return it->second;
  const bool tame = is_tame(var);  // may itself meet new atoms
  const auto id = static_cast<AtomId>(atoms_.size());
  atoms_.push_back({AtomKind::variable, var, var.type().lanes, {}, tame});
  variable_atoms_.emplace(var, id);
  return id;
}

AtomId Reasoner::lane_atom(int lanes) {
  const auto [it, inserted] = lane_atoms_.try_emplace(lanes, static_cast<AtomId>(atoms_.size()));
  if (inserted) atoms_.push_back({AtomKind::lane, {}, lanes});
  return it->second;
}

AtomId Reasoner::opaque_atom(const Expr& e) {
  if (e.is<VarNode>()) return variable_atom(Var(e));
  const std::uint64_t hash = structural_hash(e);
  const auto [first, last] = opaque_atoms_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (structurally_equal(atom(it->second).expr, e)) return it->second;
  const auto id = static_cast<AtomId>(atoms_.size());
  opaque_atoms_.emplace(hash, id);
  atoms_.push_back({AtomKind::opaque, e, e.type().lanes, {}, e.type().bits < 64});
  return id;
}

AtomId Reasoner::compound_atom(AtomKind kind, std::vector<Polynomial> operands, const Expr& expr) {
  std::vector<std::vector<std::int64_t>> keys;
  for (const Polynomial& p : operands) keys.push_back(key_of(p));
  if (kind == AtomKind::minimum || kind == AtomKind::maximum) std::sort(keys.begin(), keys.end());
  std::vector<std::int64_t> key = {static_cast<std::int64_t>(kind)};
  for (const auto& k : keys) {
    key.push_back(static_cast<std::int64_t>(k.size()));
    key.insert(key.end(), k.begin(), k.end());
  }
  // Which side a choice takes is in its condition, which only the expression knows.
  if (kind == AtomKind::choice) key.push_back(opaque_atom(expr));
  const auto [it, inserted] = compound_atoms_.try_emplace(std::move(key), static_cast<AtomId>(atoms_.size()));
  if (!inserted) return it->second;
  Atom made{kind, expr, 1, std::move(operands), true};
  for (const Polynomial& p : made.operands) {
    made.lanes = std::max(made.lanes, lanes_of(p));
    for (const AtomId part : atoms_in(p)) made.tame = made.tame && atom(part).tame;
  }
  if (kind == AtomKind::choice) made.lanes = expr.type().lanes;
  atoms_.push_back(std::move(made));
  return it->second;
}

int Reasoner::lanes_of(const Polynomial& p) const {
  int lanes = 1;
  for (const Term& term : p.terms)
    for (const AtomId id : term.factors) lanes = std::max(lanes, atom(id).lanes);
  return lanes;
}

const VariableFacts* Reasoner::facts_of(AtomId variable) const {
  const Atom& a = atom(variable);
  if (a.kind != AtomKind::variable) return nullptr;
  const auto it = variables_->find(Var(a.expr));
  return it == variables_->end() ? nullptr : &it->second;
}

const Reasoner::Ends& Reasoner::ends(AtomId variable) {
  static const Ends none;
  if (const auto it = ends_.find(variable); it != ends_.end()) return it->second;
  const VariableFacts* known = facts_of(variable);
  if (!known || !ends_in_progress_.insert(variable).second) return none;
  Ends result;
  const DataType type = atom(variable).expr.type();
  const auto ideal_of = [&](const Expr& e) { return ideal(normalise(e), e.type()); };
  if (known->value && type.is_integer()) {
    result.low = result.high = ideal_of(*known->value);
  } else if (known->range) {
    result.low = ideal_of(known->range->min);
    if (const auto extent = ideal_of(known->range->extent); extent && result.low)
      result.high = add(add(*result.low, *extent), constant_polynomial(-1));
  }
  ends_in_progress_.erase(variable);
  return ends_[variable] = std::move(result);
}

std::optional<bool> Reasoner::assumed_truth(const Expr& condition) {
  for (const auto& [known, truth] : truths_)
    if (structurally_equal(known, condition)) return truth;
  return std::nullopt;
}

}  // namespace ardea::arith
