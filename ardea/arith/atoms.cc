#include <algorithm>
#include <ranges>

#include "ardea/arith/reasoner.h"
#include "ardea/ir/equal.h"
#include "ardea/support/overloaded.h"

namespace ardea::arith {

Reasoner::Reasoner(const std::shared_ptr<const Facts>& facts) {
  std::vector<const Facts*> oldest_last;
  for (const Facts* f = facts.get(); f; f = f->older.get()) oldest_last.push_back(f);
  std::vector<Expr> conditions;
  for (const Facts* f : std::views::reverse(oldest_last))
    if (auto condition = note(f->fact)) conditions.push_back(*std::move(condition));
  understand(conditions);
}

Reasoner::Reasoner(const Reasoner& older, const Fact& newest) : Reasoner(older) {
  if (const auto condition = note(newest)) understand({*condition});
}

bool Reasoner::is_open_to(const Fact& fact) const {
  return std::visit(overloaded{
                        [](const AssumedCondition&) { return true; },
                        [&](const auto& f) {
                          return understood_.variables.find(f.var) == nullptr && !atoms_.find_variable(f.var);
                        },
                    },
                    fact);
}

bool Reasoner::has_learnt_since(const Reasoner& older) const {
  const Understood &mine = understood_, &theirs = older.understood_;
  return mine.assumptions->size() != theirs.assumptions->size() ||
         mine.equal_products->size() != theirs.equal_products->size() ||
         mine.truths.size() != theirs.truths.size() || mine.residues.size() != theirs.residues.size();
}

std::optional<int> Reasoner::place_of(const Expr& var) const {
  const VariableFacts* known = understood_.variables.find(var);
  return known != nullptr ? std::optional(known->order) : std::nullopt;
}

std::optional<Expr> Reasoner::note(const Fact& fact) {
  const int order = understood_.next_order++;
  return std::visit(
      overloaded{
          [&](const BoundVariable& f) -> std::optional<Expr> {
            understood_.variables.set(f.var, {.range = f.range, .order = order});
            // The variable exists, so its loop runs.
            if (f.range.extent.is<IntImm>()) return std::nullopt;
            return make_binary(BinaryOp::gt, f.range.extent, make_int(0, f.range.extent.type()));
          },
          [&](const PositiveParameter& f) -> std::optional<Expr> {
            understood_.variables.set(f.var, {.least = f.least, .divisor = f.divisor, .order = order});
            return std::nullopt;
          },
          [&](const DefinedVariable& f) -> std::optional<Expr> {
            understood_.variables.set(f.var, {.value = f.value, .order = order});
            return std::nullopt;
          },
          [&](const DataVariable& f) -> std::optional<Expr> {
            understood_.variables.set(f.var, {.data = true, .order = order});
            return std::nullopt;
          },
          [&](const AssumedCondition& f) -> std::optional<Expr> { return f.condition; },
      },
      fact);
}

void Reasoner::understand(const std::vector<Expr>& conditions) {
  if (understood_.has_given_up || conditions.empty()) return;
  const Question question(steps_of_facts - understood_.price, paid_by_nobody);
  try {
    for (const Expr& condition : conditions) assume(condition, true);
  } catch (const OutOfWork&) {
    understood_.has_given_up = true;
    in_progress_ = {.asked = in_progress_.asked};
  }
  understood_.price += question.spent();
  forget();  // what was worked out with fewer facts
}

void Reasoner::forget() { answers_ = {}; }

bool Reasoner::is_tame(const Var& var) {
  // A uint64 holds values that our 64-bit bounds cannot, so nothing is promised about its arithmetic.
  if (var.type().is_uint() && var.type().bits == 64) return false;
  const VariableFacts* known = understood_.variables.find(var);
  if (known == nullptr || var.type().bits < 64) return true;
  if (!known->value || !known->value->type().is_integer()) return !known->data;
  const auto atoms = atoms_in(normalise(*known->value));
  return std::all_of(atoms.begin(), atoms.end(), [&](AtomId id) { return atom(id).tame; });
}

AtomId Reasoner::variable_atom(const Var& var) {
  if (const auto known = atoms_.find_variable(var)) return *known;
  const bool tame = is_tame(var);  // may itself meet new atoms
  return atoms_.add_variable(var, tame);
}

AtomId Reasoner::opaque_atom(const Expr& e) {
  return e.is<VarNode>() ? variable_atom(Var(e)) : atoms_.opaque(e);
}

const VariableFacts* Reasoner::facts_of(AtomId variable) const {
  const Atom& a = atom(variable);
  return a.kind == AtomKind::variable ? understood_.variables.find(a.expr) : nullptr;
}

const Ends& Reasoner::ends(AtomId variable) {
  static const Ends none;
  if (const auto it = ends_->find(variable); it != ends_->end()) return *it->second;
  const VariableFacts* known = facts_of(variable);
  if (!known || InProgress::holds(in_progress_.ends, variable)) return none;
  in_progress_.ends.push_back(variable);
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
  in_progress_.ends.pop_back();
  return *(ends_.own()[variable] = std::make_shared<const Ends>(std::move(result)));
}

std::optional<bool> Reasoner::assumed_truth(const Expr& condition) {
  for (const auto& [known, truth] : understood_.truths)
    if (structurally_equal(known, condition)) return truth;
  return std::nullopt;
}

}  // namespace ardea::arith
