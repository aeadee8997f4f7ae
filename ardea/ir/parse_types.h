#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ardea/ir/expr.h"

/// The typing laws of the text form (docs/text.md), which the printer inverts:
///   1. A bare number takes the type of what it meets; alone it is int64, or float32 where it has a point.
///   2. An integer of fewer than 64 bits is widened to int64 where it meets an int64 value or stands as an
///   index.
///   3. `x: T.int32 = v` casts an integer v of another type.
/// In a function with `exact_types=True` only the first holds.

namespace ardea {

/// A number as written, before anything gave it a type.
struct BareNumber {
  std::string text;  ///< for messages, and for a real's value
  bool real = false;
  bool negative = false;
  std::uint64_t magnitude = 0;  ///< of an integer
};

/// What the parser read: an expression, or a number that waits for its type.
struct Operand {
  Expr expr = {};
  std::optional<BareNumber> bare = {};
  int depth = 1;  ///< of the expression tree

  bool typed() const { return !bare; }
};

/// Whether law 2 turns a value of type `from` into one of type `to`.
bool widens(DataType from, DataType to);

/// Whether e is a cast that law 2 would insert.
bool is_widening_cast(const Expr& e);

/// The number as a constant of `type`; Error where it does not fit.
Expr typed_constant(const BareNumber& number, DataType type);

class TypingLaws {
 public:
  /// `exact`: law 1 only.
  explicit TypingLaws(bool exact) : exact_(exact) {}

  bool exact() const { return exact_; }

  /// Alone.
  Expr settle(const Operand& operand) const;
  /// Where it meets a value of `type`: laws 1 and 2. May leave another type, which the makers then refuse.
  Expr meet(const Operand& operand, DataType type) const;
  /// As the value of a variable declared with `type`: law 3 too.
  Expr declare(const Operand& operand, DataType type) const;
  Expr index(const Operand& operand) const;
  /// The type in which these operands meet: the first typed one's, or int64 where law 2 leads there.
  DataType common_type(const std::vector<Operand>& operands) const;
  /// Each, where all meet.
  std::vector<Expr> unify(const std::vector<Operand>& operands) const;

 private:
  bool exact_;
};

}  // namespace ardea
