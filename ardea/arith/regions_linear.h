#pragma once

#include <optional>
#include <vector>

#include "ardea/arith/regions.h"
#include "ardea/ir/layout.h"

/// Index expressions as linear functions of loops, and what follows: which boxes they fill, which elements
/// they tell apart.

namespace ardea::arith {

using ardea::as_index;

bool uses_any(const Expr& e, const std::vector<LoopRange>& loops);

/// The coefficient of each loop in e, free of all the loops; nothing where e is not linear in one of them.
std::optional<std::vector<Expr>> linear_coefficients(const Expr& e, const std::vector<LoopRange>& loops,
                                                     const Analyzer& facts);

/// Whether the slices `dims` reach every element of the box between their bounds when the loops run: each
/// dimension is contiguous, and no loop moves two of them. `facts` knows the loops' ranges.
bool fills_box(const std::vector<Range>& dims, const std::vector<LoopRange>& loops, const Analyzer& facts);

/// Which dimensions tell the iterations of `loops` apart: slices of two different iterations do not meet in
/// all of them. Nothing where that is not proved. Other variables in `dims` have one value for all
/// iterations.
std::optional<std::vector<std::size_t>> separating_dimensions(const std::vector<Range>& dims,
                                                              const std::vector<LoopRange>& loops,
                                                              const Analyzer& facts);

/// Whether a box of one element is touched, whatever `conditions` cut off: it has no other element, and the
/// first iteration of all the loops runs. `facts` know neither the loops nor the conditions.
bool touches_point(const BufferRegion& box, const std::vector<LoopRange>& loops,
                   const std::vector<Expr>& conditions, const Analyzer& facts);

/// `relax` where `facts` already knows the loops' ranges and `under_conditions` the conditions, too.
/// `all_run`: every loop is known to have an iteration, which must be asked before its range is bound: a
/// bound variable exists.
Touched relax_within(const BufferRegion& region, const std::vector<LoopRange>& loops,
                     const std::vector<Expr>& conditions, bool all_run, const Analyzer& facts,
                     const Analyzer& under_conditions);

}  // namespace ardea::arith
