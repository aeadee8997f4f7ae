#pragma once

#include <memory>
#include <vector>

#include "ardea/space/constraint.h"

namespace ardea::space {

class Formula;

/// An integer expression over the variables of a system, of any depth. `Builder` turns it into constraints.
class Term {
 public:
  enum class Kind { number, variable, sum, product, floor_div, ceil_div, modulo, min, max, select, truth };
  struct Node;

  Term(std::int64_t number);  // NOLINT: numbers are terms
  Term(Var variable);         // NOLINT: and so are variables
  Term(Kind kind, std::vector<Term> parts);

  const Node* operator->() const { return node_.get(); }

  friend Term operator+(Term a, Term b) { return {Kind::sum, {std::move(a), std::move(b)}}; }
  friend Term operator-(Term a, Term b) { return std::move(a) + Term(-1) * std::move(b); }
  friend Term operator*(Term a, Term b) { return {Kind::product, {std::move(a), std::move(b)}}; }

 private:
  friend Term truth(Formula condition);
  explicit Term(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

/// ⌊a / b⌋, ⌈a / b⌉ and a − b·⌊a / b⌋. A point where b is 0 is no solution.
inline Term floor_div(Term a, Term b) { return {Term::Kind::floor_div, {std::move(a), std::move(b)}}; }
inline Term ceil_div(Term a, Term b) { return {Term::Kind::ceil_div, {std::move(a), std::move(b)}}; }
inline Term modulo(Term a, Term b) { return {Term::Kind::modulo, {std::move(a), std::move(b)}}; }
inline Term min_of(std::vector<Term> parts) { return {Term::Kind::min, std::move(parts)}; }
inline Term max_of(std::vector<Term> parts) { return {Term::Kind::max, std::move(parts)}; }
/// choices[index]; a point where there is no such choice is no solution.
Term select(Term index, std::vector<Term> choices);
/// 1 where the condition holds, else 0.
Term truth(Formula condition);

/// A condition over terms. It is no bool: two terms are compared when the system is solved.
class Formula {
 public:
  enum class Kind { compare, member, divides, all, any, negation };
  struct Node;

  const Node* operator->() const { return node_.get(); }
  explicit Formula(Node node);

 private:
  std::shared_ptr<const Node> node_;
};

Formula compare(Term left, Relation relation, Term right);
Formula is_in(Term term, Domain set);
Formula divides(Term divisor, Term number);
Formula all_of(std::vector<Formula> parts);
Formula any_of(std::vector<Formula> parts);
Formula negation(Formula part);
inline Formula implies(Formula condition, Formula then) {
  return any_of({negation(std::move(condition)), std::move(then)});
}

struct Formula::Node {
  Kind kind = Kind::all;
  std::vector<Term> terms = {};
  Relation relation = Relation::eq;
  Domain set = {};
  std::vector<Formula> parts = {};
};

struct Term::Node {
  Kind kind = Kind::number;
  std::int64_t number = 0;
  Var variable = {};
  std::vector<Term> parts = {};
  std::vector<Formula> condition = {};  ///< of a truth: one
};

}  // namespace ardea::space
