#include "ardea/arith/atom_table.h"

#include <algorithm>

#include "ardea/ir/equal.h"

namespace ardea::arith {

AtomId AtomTable::add(Atom atom) {
  atoms_.push_back(std::make_shared<const Atom>(std::move(atom)));
  return static_cast<AtomId>(atoms_.size() - 1);
}

std::optional<AtomId> AtomTable::find_variable(const Var& var) const {
  const auto it = variables_->find(var);
  return it == variables_->end() ? std::nullopt : std::optional(it->second);
}

AtomId AtomTable::add_variable(const Var& var, bool tame) {
  const AtomId id = add({AtomKind::variable, var, var.type().lanes, {}, tame});
  variables_.own().emplace(var, id);
  return id;
}

AtomId AtomTable::lane(int lanes) {
  if (const auto it = lanes_->find(lanes); it != lanes_->end()) return it->second;
  const AtomId id = add({AtomKind::lane, {}, lanes});
  lanes_.own().emplace(lanes, id);
  return id;
}

AtomId AtomTable::opaque(const Expr& e) {
  const std::uint64_t hash = structural_hash(e);
  const auto [first, last] = opaques_->equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (structurally_equal((*this)[it->second].expr, e)) return it->second;
  const AtomId id = add({AtomKind::opaque, e, e.type().lanes, {}, e.type().bits < 64});
  opaques_.own().emplace(hash, id);
  return id;
}

AtomId AtomTable::compound(AtomKind kind, std::vector<Polynomial> operands, const Expr& expr) {
  std::vector<std::int64_t> key = {static_cast<std::int64_t>(kind)};
  if (kind == AtomKind::minimum || kind == AtomKind::maximum) {  // in any order
    std::vector<std::vector<std::int64_t>> keys;
    for (const Polynomial& p : operands) keys.push_back(key_of(p));
    std::sort(keys.begin(), keys.end());
    for (const auto& k : keys) key.insert(key.end(), k.begin(), k.end());
  } else {
    for (const Polynomial& p : operands) add_key(key, p);
  }
  // Which side a choice takes is in its condition, which only the expression knows.
  if (kind == AtomKind::choice) key.push_back(opaque(expr));
  if (const auto it = compounds_->find(key); it != compounds_->end()) return it->second;
  Atom made{kind, expr, 1, std::move(operands), true};
  for (const Polynomial& p : made.operands) {
    made.lanes = std::max(made.lanes, lanes_of(p));
    for (const AtomId part : atoms_in(p)) made.tame = made.tame && (*this)[part].tame;
  }
  if (kind == AtomKind::choice) made.lanes = expr.type().lanes;
  const AtomId id = add(std::move(made));
  compounds_.own().emplace(std::move(key), id);
  return id;
}

int AtomTable::lanes_of(const Polynomial& p) const {
  int lanes = 1;
  for (const Term& term : p.terms)
    for (const AtomId id : term.factors) lanes = std::max(lanes, (*this)[id].lanes);
  return lanes;
}

}  // namespace ardea::arith
