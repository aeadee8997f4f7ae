#pragma once

#include "ardea/intrin/instruction.h"
#include "ardea/schedule/primitives/tensor/store_nest.h"

namespace ardea::schedule {

/// The arguments with which the instruction does what the nest of the program does: addresses of windows and
/// strides. Derived from the accesses of both: up to names, commuted operands, the order of dimensions and of
/// loops, loops of one iteration, and several loops that together are one of the instruction's. Refused as
///   computes_something_else, extents_differ, layout_differs, operands_overlap, wrong_scope, not_aligned,
///   window_leaves_buffer, and as store_nest.
Result<std::vector<Expr>> match_instruction(const intrin::Instruction& instruction, const StoreNest& nest,
                                            const Function& program, const arith::Analyzer& facts,
                                            Context& context);

}  // namespace ardea::schedule
