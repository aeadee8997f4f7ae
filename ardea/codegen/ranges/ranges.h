#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "ardea/ir/expr.h"

namespace ardea::codegen {

struct Interval {
  std::int64_t low, high;
};

/// What values integers can have, by intervals of constants: enough to write the index arithmetic of constant
/// shapes without the casts that arithmetic which may wrap needs in C.
class Ranges {
 public:
  /// The values of e, in each lane; nothing where only the type (or, for uint64, not even that) bounds them.
  std::optional<Interval> of(const Expr& e);

  /// Whether the operation itself, before it wraps, stays within its type.
  bool cannot_wrap(const Expr& e);

  bool is_positive(const Expr& e);
  bool is_not_negative(const Expr& e);

  void define(const Var& var, std::optional<Interval> values) { variables_[var] = values; }
  /// A loop's variable, from its bounds.
  void define_loop(const Var& var, const Expr& min, const Expr& extent);
  /// What is known of expressions holds within one statement: variables may mean something else in the next.
  void next_statement() { known_.clear(); }

 private:
  std::optional<Interval> computed(const Expr& e);
  std::optional<Interval> of_binary(const Binary& binary, DataType type);

  std::unordered_map<Var, std::optional<Interval>> variables_;
  std::unordered_map<Expr, std::optional<Interval>> known_;
};

}  // namespace ardea::codegen
