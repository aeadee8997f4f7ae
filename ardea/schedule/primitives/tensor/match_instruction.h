#pragma once

#include <variant>

#include "ardea/intrin/instruction.h"
#include "ardea/schedule/context.h"

namespace ardea::schedule {

/// Loops around one store, with the values of all block iterators in their places.
struct StoreNest {
  std::vector<For> loops;  ///< outermost first
  Store store;
};

/// What s, loops and blocks around one store, does. Refused as not_one_store, init_inside, condition_inside.
Result<StoreNest> store_nest(const Stmt& s, const arith::Analyzer& facts, Context& context);

/// The arguments with which the instruction does what the nest does: addresses of windows and strides.
/// Derived from the accesses of both: up to names, commuted operands, the order of dimensions and of loops,
/// loops of one iteration, and several loops that together are one of the instruction's. Refused as
///   computes_something_else, extents_differ, layout_differs, operands_overlap, wrong_scope, not_aligned,
///   window_leaves_buffer, and as store_nest.
Result<std::vector<Expr>> match_instruction(const intrin::Instruction& instruction, const StoreNest& nest,
                                            const arith::Analyzer& facts, Context& context);

}  // namespace ardea::schedule
