#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ardea/ir/function.h"

/// Indices as people write them, in the arguments of steps: sums, products, // and % of integers and names.

namespace ardea::schedule {

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
IndexMap read_index_map(const std::string& text, IndexNames names);

/// "i * 4:i * 4 + 4, 0:n, j", which may stand in brackets, with a name before them: one range a dimension, of
/// one element where only an index is written. Error with the place where the text is not of this form.
std::vector<Range> read_window(const std::string& text, const IndexNames& names);

}  // namespace ardea::schedule
