#pragma once

#include <unordered_map>

#include "ardea/ir/expr.h"
#include "ardea/space/term.h"

namespace ardea::rules {

/// Conditions of a program over a template's variables, in the language of spaces.
///
/// The language is strict: a point where any part has no value, such as a division by 0, is no solution, also
/// where the program would not compute that part. So what is said of a choice is at least as much as is
/// needed. Arithmetic is that of the integers; index arithmetic of programs is, too (docs/semantics.md).
class Expressed {
 public:
  explicit Expressed(std::unordered_map<Var, space::Var> variables) : variables_(std::move(variables)) {}

  /// Error with the part that the language cannot say: memory, floats, bits, calls, variables of its own.
  space::Term term(const Expr& e) const;
  space::Formula formula(const Expr& condition) const;

 private:
  std::unordered_map<Var, space::Var> variables_;
};

}  // namespace ardea::rules
