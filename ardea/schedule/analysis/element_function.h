#pragma once

#include <variant>

#include "ardea/schedule/outcome.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::schedule {

/// A block that gives one element of one buffer as a function of its spatial iterators, and does nothing
/// else: buffer[indices] = value.
struct ElementFunction {
  Path path;   ///< to the block
  Path scope;  ///< to the block around it
  Buffer buffer;
  std::vector<Expr> indices;
  Expr value;  ///< with the lets around the store written into it
  const Block& block() const { return path.block(); }
};

/// The block as such a function. Refused as
///   root_block, not_spatial (an init, or iterators of another kind: the element is not there at once),
///   not_one_store (the body is anything but lets around one store), view_around, has_effect, reads_itself.
Result<ElementFunction> element_function(const Path& path);

/// e in which every variable that e itself defines is a new one, so that e may stand in the program twice.
Expr fresh_copy(const Expr& e);

}  // namespace ardea::schedule
