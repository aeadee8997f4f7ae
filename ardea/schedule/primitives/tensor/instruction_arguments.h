#pragma once

#include "ardea/schedule/primitives/tensor/match_loops.h"

namespace ardea::schedule {

/// What the instruction is called with where its loops are matched: for each operand the address of its
/// window, for each integer its value. Refused as operands_overlap, wrong_scope, not_aligned,
/// window_leaves_buffer.
Result<std::vector<Expr>> instruction_arguments(const intrin::Instruction& instruction, const StoreNest& nest,
                                                const AccessPairs& pairs, const MatchedLoops& loops,
                                                const Function& program, const arith::Analyzer& facts,
                                                Context& context);

}  // namespace ardea::schedule
