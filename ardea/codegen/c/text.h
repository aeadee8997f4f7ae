#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ardea/support/data_type.h"

/// Pieces of C text, and how they are put on lines.

namespace ardea::codegen::c {

/// How tightly C binds the outermost operator of an expression.
enum class Binding {
  conditional,
  logical_or,
  logical_and,
  bit_or,
  bit_xor,
  bit_and,
  equality,
  relation,
  shift,
  sum,
  product,
  unary,
  primary,
};

/// A C expression.
struct Text {
  std::string text;
  Binding binding = Binding::primary;
};

/// In parentheses where it binds less tightly than `least`.
std::string inside(const Text& text, Binding least);

/// f(a, b, …)
Text call_text(const std::string& function, const std::vector<std::string>& arguments);

/// Of a C type, which is written without the need for parentheses around it.
Text cast_text(const std::string& type, const Text& value);

/// A literal for the bytes of `text`, in quotes; for one that is longer than C compilers must accept, an
/// array.
std::string string_literal(std::string_view text);

/// An integer constant of the type, as one writes it beside something of that type: a small int64 is plain
/// digits. `typed`: its C type is the type itself, so that constants may be combined among themselves.
Text integer_literal(std::int64_t value, DataType type, bool typed);

/// A float32 or float64 constant, which C reads back as the same number.
Text float_literal(double value, DataType type);

/// The line, broken at spaces where it is longer than a page is wide. What follows the first break is
/// indented deeper; a break inside a string literal closes and opens it.
std::string broken_line(const std::string& line);

}  // namespace ardea::codegen::c
