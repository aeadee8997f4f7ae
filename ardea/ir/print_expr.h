#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ardea/ir/print_names.h"

namespace ardea {

/// Expressions as text. `full` parses back to the same expression anywhere; the other forms leave out what
/// the typing laws of their place (parse_types.h) put back.
class ExprPrinter {
 public:
  /// `exact`: for a function with exact_types=True, where no cast may be left out.
  ExprPrinter(PrintNames& names, bool exact) : names_(names), exact_(exact) {}

  /// In brackets where the expression binds less tightly than `level` (parse_expr.cc has the levels).
  std::string full(const Expr& e, int level = 0);
  /// Expressions that meet each other, as the sides of an operator do.
  std::vector<std::string> meeting(const std::vector<Expr>& operands, const std::vector<int>& levels);
  /// Where a value of e's type is expected, such as the right side of a store.
  std::string expected(const Expr& e);
  /// The value of a variable that is declared with e's type.
  std::string declared(const Expr& e);
  /// An index outside a subscript.
  std::string index(const Expr& e);
  /// i, 0:4, … in A[…]; vectors of constant stride as slices.
  std::string element(const Buffer& buffer, const std::vector<Expr>& indices);
  std::string region(const BufferRegion& region);
  /// First and end of a range, each a full expression.
  std::pair<std::string, std::string> ends(const Range& range);

  /// (n, m), "float16", data=C, strides=[…], …   `always_typed`: the type also where it is float32.
  std::string buffer_fields(const BufferNode& buffer, bool always_typed, bool with_data);
  std::string list(const std::vector<Expr>& items);

 private:
  std::string constant(std::int64_t value, DataType type);
  std::string subscript(const Expr& e);
  std::string unary(const Unary& node, int level);
  std::string binary(const Binary& node, int level);
  std::string load(const Load& node);
  std::string call(const Call& node, DataType type);
  std::string let(const Let& node);
  std::string function(const std::string& name, const std::vector<std::string>& arguments);

  PrintNames& names_;
  bool exact_;
};

std::string print_attributes(const Attributes& attributes, PrintNames& names);

}  // namespace ardea
