#include "ardea/space/term.h"

namespace ardea::space {

Term::Term(std::int64_t number) : node_(std::make_shared<const Node>(Node{Kind::number, number})) {}
Term::Term(Var variable) : node_(std::make_shared<const Node>(Node{Kind::variable, 0, variable})) {}
Term::Term(Kind kind, std::vector<Term> parts)
    : node_(std::make_shared<const Node>(Node{kind, 0, {}, std::move(parts)})) {}

Term select(Term index, std::vector<Term> choices) {
  choices.insert(choices.begin(), std::move(index));
  return {Term::Kind::select, std::move(choices)};
}

Term truth(Formula condition) {
  return Term(
      std::make_shared<const Term::Node>(Term::Node{Term::Kind::truth, 0, {}, {}, {std::move(condition)}}));
}

Formula::Formula(Node node) : node_(std::make_shared<const Node>(std::move(node))) {}

Formula compare(Term left, Relation relation, Term right) {
  return Formula({Formula::Kind::compare, {std::move(left), std::move(right)}, relation});
}

Formula is_in(Term term, Domain set) {
  return Formula({Formula::Kind::member, {std::move(term)}, Relation::eq, std::move(set)});
}

Formula divides(Term divisor, Term number) {
  return Formula({Formula::Kind::divides, {std::move(divisor), std::move(number)}});
}

Formula all_of(std::vector<Formula> parts) {
  return Formula({Formula::Kind::all, {}, Relation::eq, {}, std::move(parts)});
}

Formula any_of(std::vector<Formula> parts) {
  return Formula({Formula::Kind::any, {}, Relation::eq, {}, std::move(parts)});
}

Formula negation(Formula part) {
  return Formula({Formula::Kind::negation, {}, Relation::eq, {}, {std::move(part)}});
}

}  // namespace ardea::space
