#include "ardea/space/builder.h"

#include <fmt/core.h>

#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"

namespace ardea::space {

struct Builder::Sum {
  std::vector<Scaled> terms;
  std::int64_t constant = 0;

  bool is_number() const { return terms.empty(); }
  bool is_variable() const { return terms.size() == 1 && terms[0].coefficient == 1 && constant == 0; }

  static std::int64_t number(__int128 value) {
    ardea::require(value >= -largest_value && value <= largest_value,
                   "a number in an expression lies beyond ±2^60; write it in larger units");
    return static_cast<std::int64_t>(value);
  }
  void add(const Scaled& term) {
    for (Scaled& mine : terms) {
      if (!(mine.variable == term.variable)) continue;
      mine.coefficient = number(static_cast<__int128>(mine.coefficient) + term.coefficient);
      if (mine.coefficient == 0) terms.erase(terms.begin() + (&mine - terms.data()));
      return;
    }
    if (term.coefficient != 0) terms.push_back(term);
  }
  void add(const Sum& other, std::int64_t times) {
    for (const Scaled& term : other.terms)
      add({number(static_cast<__int128>(term.coefficient) * times), term.variable});
    constant = number(constant + static_cast<__int128>(other.constant) * times);
  }
};

struct Builder::Factors {
  std::int64_t scale = 1;
  std::vector<Sum> open = {};
};

namespace {

/// The factors of nested products, outermost first.
void flatten_product(const Term& term, std::vector<Term>& factors) {
  if (term->kind != Term::Kind::product) {
    factors.push_back(term);
    return;
  }
  for (const Term& part : term->parts) flatten_product(part, factors);
}

bool is_atom(const Term& term) {
  return term->kind == Term::Kind::number || term->kind == Term::Kind::variable;
}

Operand atom(const Term& term) {
  return term->kind == Term::Kind::number ? Operand(term->number) : Operand(term->variable);
}

Term as_term(const Operand& operand) {
  return operand.is_variable() ? Term(operand.variable()) : Term(operand.number());
}

Body with_result(Body body, const Operand& result) {
  std::visit(overloaded{[&](Linear& x) { x.right = result; }, [](Member&) {}, [](Divides&) {},
                        [&](auto& x) { x.result = result; }},
             body);
  return body;
}

}  // namespace

Formula without_negation(const Formula& formula, bool negate) {
  using Kind = Formula::Kind;
  switch (formula->kind) {
    case Kind::negation: return without_negation(formula->parts[0], !negate);
    case Kind::all:
    case Kind::any: {
      std::vector<Formula> parts;
      for (const Formula& part : formula->parts) parts.push_back(without_negation(part, negate));
      return (formula->kind == Kind::all) != negate ? all_of(std::move(parts)) : any_of(std::move(parts));
    }
    case Kind::compare:
      return negate ? compare(formula->terms[0], negated(formula->relation), formula->terms[1]) : formula;
    case Kind::member: return negate ? is_in(formula->terms[0], formula->set.complement()) : formula;
    case Kind::divides: return negate ? negation(formula) : formula;
  }
  return formula;
}

Builder::Sum Builder::linear(const Term& term) {
  using Kind = Term::Kind;
  Sum sum;
  switch (term->kind) {
    case Kind::number: sum.constant = Sum::number(term->number); return sum;
    case Kind::variable: sum.add(Scaled{1, term->variable}); return sum;
    case Kind::sum:
      for (const Term& part : term->parts) sum.add(linear(part), 1);
      return sum;
    case Kind::product: {
      const Factors factors = factors_of(term);
      if (factors.open.empty()) {
        sum.constant = factors.scale;
      } else if (factors.open.size() == 1) {
        sum.add(factors.open[0], factors.scale);
      } else if (factors.scale != 0) {
        const Operand value = defined(product({1, factors.open}));
        sum.add(Scaled{factors.scale, value.variable()});
      }
      return sum;
    }
    case Kind::modulo: {
      const Term a = as_term(operand(term->parts[0])), b = as_term(operand(term->parts[1]));
      return linear(a - b * floor_div(a, b));
    }
    default: {
      const Operand value = defined(body(term));
      if (value.is_variable())
        sum.add(Scaled{1, value.variable()});
      else
        sum.constant = value.number();
      return sum;
    }
  }
}

/// An equation whose right side is still open. What is too long for one sum is cut into sums.
Linear Builder::as_linear(Sum sum) {
  while (sum.terms.size() > most_terms - 1) {
    const auto middle = sum.terms.end() - static_cast<std::ptrdiff_t>(most_terms - 2);
    const Operand part = defined(Linear{{middle, sum.terms.end()}, 0, Relation::eq, 0});
    sum.terms.erase(middle, sum.terms.end());
    sum.terms.insert(sum.terms.begin(), {1, part.variable()});
  }
  return {std::move(sum.terms), sum.constant, Relation::eq, 0};
}

Linear Builder::compared(const Term& left, Relation relation, const Term& right) {
  Sum a = linear(left), b = linear(right);
  if (a.is_variable() && !b.is_variable() && !b.is_number()) {
    std::swap(a, b);
    relation = mirrored(relation);
  }
  Operand side = 0;
  if (b.is_number()) {
    side = b.constant;
  } else if (b.is_variable()) {
    side = b.terms[0].variable;
  } else {
    a.add(b, -1);
    side = 0;
  }
  Linear result = as_linear(std::move(a));
  result.relation = relation;
  result.right = side;
  return result;
}

Builder::Factors Builder::factors_of(const Term& term) {
  std::vector<Term> parts;
  flatten_product(term, parts);
  Factors factors;
  for (const Term& part : parts) {
    Sum sum = linear(part);
    if (sum.is_number())
      factors.scale = Sum::number(static_cast<__int128>(factors.scale) * sum.constant);
    else
      factors.open.push_back(std::move(sum));
  }
  return factors;
}

Body Builder::product(const Factors& factors) {
  if (factors.open.size() < 2) {
    Sum sum;
    sum.constant = factors.open.empty() ? factors.scale : 0;
    for (const Sum& only : factors.open) sum.add(only, factors.scale);
    return as_linear(std::move(sum));
  }
  Product result{0, {factors.scale}};
  for (const Sum& part : factors.open) {
    if (part.terms.size() == 1 && part.constant == 0) {
      result.factors.emplace_back(part.terms[0].coefficient);
      result.factors.emplace_back(part.terms[0].variable);
    } else {
      result.factors.push_back(defined(as_linear(part)));
    }
  }
  return result;
}

Body Builder::body(const Term& term) {
  using Kind = Term::Kind;
  const auto operands = [&](std::size_t from) {
    std::vector<Operand> list;
    for (std::size_t i = from; i < term->parts.size(); ++i) list.push_back(operand(term->parts[i]));
    return list;
  };
  switch (term->kind) {
    case Kind::product: return product(factors_of(term));
    case Kind::floor_div:
    case Kind::ceil_div:
      return Quotient{0, term->kind == Kind::ceil_div, operand(term->parts[0]), operand(term->parts[1])};
    case Kind::min:
    case Kind::max: return Extreme{0, term->kind == Kind::max, operands(0)};
    case Kind::select: return Select{0, operand(term->parts[0]), operands(1)};
    case Kind::truth: {
      const Formula formula = without_negation(term->condition[0]);
      const auto simple = formula->kind;
      if (simple == Formula::Kind::compare || simple == Formula::Kind::member ||
          simple == Formula::Kind::divides)
        return Truth{0, condition(formula)};
      const Operand value = truth_of(formula);
      if (value.is_variable()) return Linear{{{1, value.variable()}}, 0, Relation::eq, 0};
      return Linear{{}, value.number(), Relation::eq, 0};
    }
    default: return as_linear(linear(term));
  }
}

Operand Builder::defined(Body body) {
  Constraint probe = system_.canonical({"expression", "", {}, with_result(std::move(body), 0)});
  // With the number 0 as its result a sum's constant moved to the right side: back.
  if (auto* sum = std::get_if<Linear>(&probe.body)) {
    if (!sum->right.is_variable()) sum->constant -= sum->right.number();
    if (sum->terms.empty()) return sum->constant;
    if (sum->terms.size() == 1 && sum->terms[0].coefficient == 1 && sum->constant == 0)
      return sum->terms[0].variable;
  }
  for (std::size_t i = 0; i < system_.variables().size(); ++i) {
    const Variable& variable = system_.variables()[i];
    if (variable.is_knob()) continue;
    const Var known{static_cast<int>(i)};
    if (system_.constraints()[static_cast<std::size_t>(variable.definition)].body ==
        with_result(probe.body, known))
      return known;
  }
  const Domain bounds = bounds_of(system_, probe.body);
  std::string name;
  do {
    name = fmt::format("_{}", ++auxiliary_);
  } while (system_.find(name));
  return system_.define(name, bounds, probe.body);
}

Operand Builder::operand(const Term& term) { return is_atom(term) ? atom(term) : defined(body(term)); }

Var Builder::define(std::string name, const Term& term, std::string reason, std::optional<Domain> domain) {
  Body value = body(term);
  if (!domain) {
    const Constraint probe = system_.canonical({"definition of " + name, "", {}, with_result(value, 0)});
    Body plain = probe.body;
    if (auto* sum = std::get_if<Linear>(&plain); sum && !sum->right.is_variable())
      sum->constant -= sum->right.number();
    domain = bounds_of(system_, plain);
  }
  return system_.define(std::move(name), std::move(*domain), std::move(value), std::move(reason));
}

Condition Builder::condition(const Formula& formula) {
  const Formula plain = without_negation(formula);
  switch (plain->kind) {
    case Formula::Kind::compare: return compared(plain->terms[0], plain->relation, plain->terms[1]);
    case Formula::Kind::member: {
      const Operand value = operand(plain->terms[0]);
      if (value.is_variable()) return Member{value.variable(), plain->set};
      return Linear{{}, plain->set.contains(value.number()) ? 0 : 1, Relation::eq, 0};
    }
    case Formula::Kind::divides: return Divides{operand(plain->terms[0]), operand(plain->terms[1])};
    default: {
      const Operand value = truth_of(plain);
      if (!value.is_variable()) return Linear{{}, value.number(), Relation::eq, 1};
      return Linear{{{1, value.variable()}}, 0, Relation::eq, 1};
    }
  }
}

Operand Builder::truth_of(const Formula& formula) {
  switch (formula->kind) {
    case Formula::Kind::negation: return operand(Term(1) - truth(formula->parts[0]));
    case Formula::Kind::all:
    case Formula::Kind::any: {
      const bool all = formula->kind == Formula::Kind::all;
      if (formula->parts.empty()) return all ? 1 : 0;
      std::vector<Operand> parts;
      for (const Formula& part : formula->parts) parts.push_back(truth_of(part));
      return defined(Extreme{0, !all, std::move(parts)});
    }
    default: return defined(Truth{0, condition(formula)});
  }
}

/// An equation of a variable or number with an operation is that operation, without a variable in between.
std::optional<Body> Builder::equation(const Formula& formula) {
  if (formula->kind != Formula::Kind::compare || formula->relation != Relation::eq) return std::nullopt;
  const Term* result = &formula->terms[0];
  const Term* value = &formula->terms[1];
  if (is_atom(*value)) std::swap(result, value);
  if (!is_atom(*result) || is_atom(*value) || (*value)->kind == Term::Kind::sum) return std::nullopt;
  return with_result(body(*value), atom(*result));
}

void Builder::add_conditions(const Formula& formula, std::vector<Condition>& to) {
  const Formula plain = without_negation(formula);
  if (plain->kind != Formula::Kind::all) {
    to.push_back(condition(plain));
    return;
  }
  for (const Formula& part : plain->parts) add_conditions(part, to);
}

void Builder::post(const std::string& name, const Formula& formula, const std::string& reason,
                   const std::vector<Condition>& when) {
  if (formula->kind == Formula::Kind::all) {
    for (const Formula& part : formula->parts) post(name, part, reason, when);
    return;
  }
  if (formula->kind == Formula::Kind::any && !formula->parts.empty()) {
    // a or b: where a does not hold, b does.
    std::vector<Condition> otherwise = when;
    for (std::size_t i = 0; i + 1 < formula->parts.size(); ++i)
      add_conditions(negation(formula->parts[i]), otherwise);
    post(name, formula->parts.back(), reason, otherwise);
    return;
  }
  if (auto operation = equation(formula)) {
    system_.post({name, reason, when, std::move(*operation)});
    return;
  }
  system_.post({name, reason, when, as_body(condition(formula))});
}

void Builder::require(const std::string& name, const Formula& formula, const std::string& reason,
                      const std::optional<Formula>& when) {
  std::vector<Condition> guards;
  if (when) add_conditions(*when, guards);
  post(name, without_negation(formula), reason, guards);
}

}  // namespace ardea::space
