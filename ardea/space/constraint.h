#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ardea/space/domain.h"

namespace ardea::space {

/// A variable of a System: its place in the list of variables.
struct Var {
  int index = -1;
  friend bool operator==(const Var&, const Var&) = default;
};

/// A variable or a number.
class Operand {
 public:
  Operand(std::int64_t number) : number_(number) {}     // NOLINT: numbers are operands
  Operand(Var variable) : variable_(variable.index) {}  // NOLINT: and so are variables
  bool is_variable() const { return variable_ >= 0; }
  Var variable() const { return {variable_}; }
  std::int64_t number() const { return number_; }
  friend bool operator==(const Operand&, const Operand&) = default;

 private:
  int variable_ = -1;
  std::int64_t number_ = 0;
};

enum class Relation { eq, ne, le, lt, ge, gt };

struct Scaled {
  std::int64_t coefficient;
  Var variable;
  friend bool operator==(const Scaled&, const Scaled&) = default;
};

/// Σ coefficient · variable + constant  REL  right. SUM with `eq`; EQ, NE, LE, LT of two operands with one
/// term.
struct Linear {
  std::vector<Scaled> terms;
  std::int64_t constant = 0;
  Relation relation = Relation::eq;
  Operand right = 0;
  friend bool operator==(const Linear&, const Linear&) = default;
};

/// IN: the variable takes a value of the set.
struct Member {
  Var variable;
  Domain set;
  friend bool operator==(const Member&, const Member&) = default;
};

/// DIVIDES: number = k · divisor for some integer k. Every number divides 0, and 0 divides nothing else.
struct Divides {
  Operand divisor, number;
  friend bool operator==(const Divides&, const Divides&) = default;
};

/// PROD: result = Π factors.
struct Product {
  Operand result;
  std::vector<Operand> factors;
  friend bool operator==(const Product&, const Product&) = default;
};

/// SELECT: result = choices[index]; false where there is no such choice.
struct Select {
  Operand result, index;
  std::vector<Operand> choices;
  friend bool operator==(const Select&, const Select&) = default;
};

/// MIN, MAX.
struct Extreme {
  Operand result;
  bool largest;
  std::vector<Operand> operands;
  friend bool operator==(const Extreme&, const Extreme&) = default;
};

/// result = ⌊numerator / denominator⌋, or ⌈…⌉ where `up`; false where the denominator is 0.
struct Quotient {
  Operand result;
  bool up;
  Operand numerator, denominator;
  friend bool operator==(const Quotient&, const Quotient&) = default;
};

using Condition = std::variant<Linear, Member, Divides>;

/// result = 1 where the condition holds, else 0.
struct Truth {
  Operand result;
  Condition condition;
  friend bool operator==(const Truth&, const Truth&) = default;
};

using Body = std::variant<Linear, Member, Divides, Product, Select, Extreme, Quotient, Truth>;

/// Where all of `when` hold, the body holds. The name and the reason are the poster's own words: they are
/// what people read when the constraint stands in the way.
struct Constraint {
  std::string name;
  std::string reason;
  std::vector<Condition> when;
  Body body;
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

Relation negated(Relation relation);
/// The relation with its sides exchanged.
Relation mirrored(Relation relation);
const char* to_string(Relation relation);

Body as_body(const Condition& condition);

/// Calls `visit` with every operand of the constraint, guards included; an operand may come twice.
template <class Visit>
void for_each_operand(const Body& body, Visit&& visit);
template <class Visit>
void for_each_operand(const Constraint& constraint, Visit&& visit);

/// The variables of a constraint, each once, in ascending order.
std::vector<Var> variables_of(const Constraint& constraint);

/// What a body computes: the operand that is a function of the others, or null where there is none.
const Operand* result_of(const Body& body);

template <class Visit>
void for_each_operand(const Body& body, Visit&& visit) {
  struct Parts {
    Visit& visit;
    void operator()(const Linear& x) {
      for (const Scaled& term : x.terms) visit(Operand(term.variable));
      visit(x.right);
    }
    void operator()(const Member& x) { visit(Operand(x.variable)); }
    void operator()(const Divides& x) { visit(x.divisor), visit(x.number); }
    void operator()(const Product& x) {
      visit(x.result);
      for (const Operand& factor : x.factors) visit(factor);
    }
    void operator()(const Select& x) {
      visit(x.result), visit(x.index);
      for (const Operand& choice : x.choices) visit(choice);
    }
    void operator()(const Extreme& x) {
      visit(x.result);
      for (const Operand& operand : x.operands) visit(operand);
    }
    void operator()(const Quotient& x) { visit(x.result), visit(x.numerator), visit(x.denominator); }
    void operator()(const Truth& x) {
      visit(x.result);
      std::visit(*this, x.condition);
    }
  };
  std::visit(Parts{visit}, body);
}

template <class Visit>
void for_each_operand(const Constraint& constraint, Visit&& visit) {
  for (const Condition& guard : constraint.when) for_each_operand(as_body(guard), visit);
  for_each_operand(constraint.body, visit);
}

}  // namespace ardea::space
