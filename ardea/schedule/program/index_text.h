#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/schedule/argument.h"

/// Indices as people write them, in the arguments of steps: sums, products, // and % of integers and names.

namespace ardea::schedule {

/// Such a text with numbers that it calls by name: "lambda k, n: (n // t, k, n % t)" with t. In a script it
/// is the text, or a list of it and of [name, number] pairs.
struct IndexText {
  std::string text;
  std::vector<std::pair<std::string, Number>> numbers = {};

  IndexText() = default;
  IndexText(std::string of_text) : text(std::move(of_text)) {}  // implicit: most texts name no number
  IndexText(const char* of_text) : text(of_text) {}
  IndexText(std::string of_text, std::vector<std::pair<std::string, Number>> named)
      : text(std::move(of_text)), numbers(std::move(named)) {}
};

template <>
struct Convert<IndexText> {
  static std::string expected() { return "a text of indices, or a list of it and of [name, number] pairs"; }
  static Argument to(const IndexText& indices);
  static std::optional<IndexText> from(const Argument& argument);
};

/// What the names in a text stand for; of two with one name the last counts.
using IndexNames = std::vector<std::pair<std::string, Expr>>;

/// The sizes that the program's text knows by name: symbolic extents and integer parameters.
IndexNames size_names(const Function& f);

/// New indices as expressions of old ones.
struct IndexMap {
  std::vector<Var> from;
  std::vector<Expr> to;
};

/// "lambda i, j: (i // 16, j, i % 16)". Error with the place where the text is not of this form.
IndexMap read_index_map(const IndexText& text, IndexNames names);

/// "i * 4:i * 4 + 4, 0:n, j", which may stand in brackets, with a name before them: one range a dimension, of
/// one element where only an index is written. Error with the place where the text is not of this form.
std::vector<Range> read_window(const IndexText& text, IndexNames names);

}  // namespace ardea::schedule
