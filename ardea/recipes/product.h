#pragma once

#include <optional>
#include <string>

#include "ardea/recipes/recipe.h"
#include "ardea/rules/model/blocking.h"

/// Sums of products of float matrices, blocked for caches around a tile of registers.

namespace ardea::recipes {

/// The part of a program that is a product: block `name` with the loops (batch …, m, n, k) around it.
struct Product {
  std::string name;
  std::string left, right;  ///< the operands: left[batch …, m, k], right[batch …, k, n]
  ProductSizes sizes;
  DataType type;
  std::size_t batches = 0;             ///< loops before m, which index both operands
  bool transposed = false;             ///< right[batch …, n, k]
  Packing packing = Packing::in_nest;  ///< of the right operand
  /// The block that computes the left operand element by element, where it is no parameter.
  std::optional<schedule::BlockRef> left_maker = {};
};

/// Both operands in panels where that pays, made where they are used first; blocks of steps and columns; sums
/// of a tile in registers; on threads where the target has several and there is work for them.
void schedule_product(schedule::Schedule& s, const Product& product, const target::Target& target);

}  // namespace ardea::recipes
