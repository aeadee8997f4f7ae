#pragma once

#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/answers.h"
#include "ardea/arith/atom_table.h"
#include "ardea/arith/facts.h"
#include "ardea/arith/interval.h"
#include "ardea/arith/polynomial.h"
#include "ardea/arith/reasoner_parts.h"
#include "ardea/arith/work.h"

/// The inside of one question to the Analyzer: what the facts say (reasoner_parts.h), the atoms met so far
/// (atom_table.h) and what was worked out about them (answers.h).
///
/// The law that everything here keeps: a polynomial stands for a typed value *modulo 2^bits*, with every atom
/// read as the ideal integer that it holds. `ideal` says when the two are equal, and only then may bounds,
/// comparisons and divisions look at it.

namespace ardea::arith {

class Reasoner {
 public:
  explicit Reasoner(const std::shared_ptr<const Facts>& facts);
  /// One that knows all that `older` does, and one fact more; requires older.is_open_to(newest).
  Reasoner(const Reasoner& older, const Fact& newest);
  /// Whether nothing that it has understood so far could have been understood better with this fact: the
  /// variable that the fact is about was not met yet.
  bool is_open_to(const Fact& fact) const;
  /// The steps that it took to understand the facts.
  std::int64_t price() const { return understood_.price; }
  /// Whether it knows of a condition, or part of one, that `older` does not.
  bool has_learnt_since(const Reasoner& older) const;
  /// Whether some conditions cost too much to be understood.
  bool has_given_up() const { return understood_.has_given_up; }
  /// How many facts are older than that of the variable; nothing where there is none.
  std::optional<int> place_of(const Expr& var) const;

  /// One Reasoner may answer several questions, and a copy of it others: each has the whole budget.
  void begin_question() { contexts_.left = std::make_shared<int>(Contexts::most); }

  // normalise.cc, simplify_*.cc: expressions to normal form and back
  /// For every expression; the other functions here take expressions without effects only.
  Expr simplify_with_effects(const Expr& e);
  Expr simplify(const Expr& e);
  /// Integers only.
  Polynomial normalise(const Expr& e);
  /// rebuild.cc: the polynomial as an expression of `type`; atoms of other types are cast.
  Expr rebuild(const Polynomial& unwrapped, DataType type);

  // bounds.cc
  Interval interval(const Polynomial& p);
  Interval interval(AtomId id);
  /// The polynomial whose ideal value is the typed value of p, where the bounds (or the law of index
  /// arithmetic) show it.
  std::optional<Polynomial> ideal(const Polynomial& p, DataType type);
  bool fits(const Polynomial& p, DataType type);
  /// p = multiple · k + remainder for ideal p.
  Congruence congruence(const Polynomial& p);
  Congruence congruence(AtomId id);

  // prove.cc: of ideal polynomials
  bool nonnegative(const Polynomial& p);
  bool positive(const Polynomial& p) { return nonnegative(add(p, constant_polynomial(-1))); }
  bool at_most(const Polynomial& a, const Polynomial& b) { return nonnegative(subtract(b, a)); }

  // conditions.cc
  Proof decide(const Expr& condition);

  // symbolic_bounds.cc: bounds when some variables range freely and all others stand for themselves
  using AtomSet = std::unordered_set<AtomId>;
  void range_over(AtomSet variables);
  /// A bound of the ideal p that is free of the ranging variables, or nothing.
  std::optional<Polynomial> extreme(const Polynomial& p, bool upper, int depth = 0);
  /// Whether the value changes with a ranging variable.
  bool depends(AtomId id);
  bool depends(const Polynomial& p);

  // divide.cc: of ideal operands, the divisor positive, results modulo the width of `type`; nothing where
  // some intermediate would not fit `type`
  std::optional<Polynomial> quotient(const Polynomial& a, const Polynomial& b, DataType type);
  std::optional<Polynomial> remainder(const Polynomial& a, const Polynomial& b, DataType type);

  // atoms.cc
  const Atom& atom(AtomId id) const { return atoms_[id]; }
  AtomId variable_atom(const Var& var);
  AtomId lane_atom(int lanes) { return atoms_.lane(lanes); }
  AtomId opaque_atom(const Expr& e);
  int lanes_of(const Polynomial& p) const { return atoms_.lanes_of(p); }
  const Ends& ends(AtomId variable);
  const VariableFacts* facts_of(AtomId variable) const;
  /// Conditions in force: each p >= 0.
  const std::vector<Polynomial>& assumptions() const { return *understood_.assumptions; }
  /// Truth of conditions that are not comparisons, as assumed.
  std::optional<bool> assumed_truth(const Expr& condition);

 private:
  // normalise.cc
  Polynomial normalise_node(const Expr& e);
  Polynomial normalise_cast(const Expr& e, const Cast& cast);
  Polynomial normalise_binary(const Expr& e, const Binary& binary);
  Polynomial normalise_product(const Polynomial& a, const Polynomial& b, DataType type);
  Polynomial normalise_bits(const Expr& e, const Binary& binary);
  Polynomial normalise_division(const Expr& e, const Binary& binary);
  Polynomial normalise_choice(const Expr& e, const Expr& condition, const Expr& yes, const Expr& no,
                              bool lazy);
  Polynomial normalise_extremum(const Expr& e, const Binary& binary);
  /// The least or greatest of the values, without those that another one makes superfluous.
  Polynomial extremum(AtomKind kind, const std::vector<Polynomial>& values, DataType type);
  Polynomial opaque(const Expr& e);
  Polynomial of_compound(AtomKind kind, std::vector<Polynomial> operands, const Expr& expr);
  /// (x // m) · m + x % m = x, and (x // m) · m = x where m divides x.
  Polynomial join_divisions(Polynomial p, DataType type);

  // divide.cc
  struct Factored {
    Polynomial factor, whole, rest, divisor;  ///< a = factor · whole + rest, b = factor · divisor
  };
  std::optional<Factored> factor_out(const Polynomial& a, const Polynomial& b);
  std::optional<std::int64_t> constant_quotient(const Polynomial& a, const Polynomial& b);
  std::optional<Polynomial> division_atom(AtomKind kind, const Polynomial& a, const Polynomial& b,
                                          DataType type);
  std::optional<Polynomial> signed_division(BinaryOp op, const Polynomial& a, const Polynomial& b,
                                            DataType type);

  // simplify_*.cc
  Expr simplify_node(const Expr& e);
  Expr simplify_children(const Expr& e);
  Expr simplify_choice(const Expr& e, const Expr& condition, const Expr& yes, const Expr& no, bool lazy);
  Expr simplify_let(const Expr& e, const Let& let);
  Expr simplify_bool(const Expr& e);
  Expr simplify_connective(const Expr& e, const Binary& binary);
  Expr simplify_comparison(const Expr& e, const Binary& binary);
  Expr simplify_float(const Expr& e);
  Expr simplify_under(const Expr& condition, bool holds, const Expr& e);

  // atoms.cc
  /// Drops what was worked out with fewer facts: it is true still, but may be weaker than need be.
  void forget();
  /// What the fact says of its variable is noted; what it says as a condition is returned.
  std::optional<Expr> note(const Fact& fact);
  /// Conditions in force, in their order, each under the earlier ones.
  void understand(const std::vector<Expr>& conditions);
  bool is_tame(const Var& var);

  // conditions.cc
  Proof decide_comparison(BinaryOp op, const Expr& left, const Expr& right);
  Proof compare(BinaryOp op, const Polynomial& difference);
  Proof decide_node(const Expr& condition);
  void assume(const Expr& condition, bool holds);
  void assume_comparison(BinaryOp op, const Polynomial& difference);
  std::optional<Polynomial> without_quotient(const Polynomial& p);
  void assume_residue(const Polynomial& zero);

  // equal_products.cc
  void assume_equal_products(const Polynomial& zero);
  bool by_worse_ends(Polynomial p);

  // bounds.cc
  Interval structural_interval(AtomId id);
  Interval by_means(AtomId id, Interval known);
  Interval by_assumptions(AtomId id, Interval known);
  Congruence structural_congruence(AtomId id);

  // symbolic_bounds.cc
  bool changes(AtomId id);
  std::optional<Polynomial> atom_extreme(AtomId id, bool upper, int depth);
  std::optional<Polynomial> extreme_by_ends(Polynomial p, bool upper, int depth);
  std::optional<Polynomial> best_extreme(const Polynomial& p, bool upper, int depth);

  // prove.cc
  struct Search;
  bool search(Search& state, Polynomial p, int depth);
  bool by_steps(Search& state, const Polynomial& p, int depth);
  bool by_expansion(const Polynomial& p);
  bool by_assumption(Search& state, const Polynomial& p, int depth);
  bool by_ends(Search& state, const Polynomial& p, int depth);
  std::optional<Polynomial> without_remainders(const Polynomial& p);
  bool is_unit_quotient(const Polynomial& p, AtomId id);
  bool is_conjunction(const Polynomial& p, AtomId id);
  bool by_compound(Search& state, const Polynomial& p, AtomId id, int depth);
  Proof sign(Search& state, const Polynomial& p, int depth);

  Understood understood_;
  AtomTable atoms_;
  Answers answers_;
  /// Each held by itself: who looks at one may meanwhile meet others.
  SharedCopy<std::unordered_map<AtomId, std::shared_ptr<const Ends>>> ends_;
  InProgress in_progress_;
  Ranging ranging_;
  Contexts contexts_;
};

/// The value of a bool constant, or of a vector of one.
std::optional<bool> constant_truth(const Expr& e);
Expr truth(bool value, DataType type);
/// The comparison that holds exactly where `op` does not.
BinaryOp negated(BinaryOp op);
/// The comparison with its sides exchanged.
BinaryOp mirrored(BinaryOp op);

}  // namespace ardea::arith
