#pragma once

#include "ardea/arith/analyzer.h"

namespace ardea::limits {

/// Whether e names a variable that the facts give a range to: a loop around, not a parameter.
bool varies_with_loops(const Expr& e, const arith::Analyzer& facts);

/// The most that e can be in any iteration of the loops around: an expression over parameters, a number where
/// there are none. Empty where nothing bounds it. Both sides of the tail min(r * 16 + 16, n) - r * 16 move
/// with r, and only one of the operands of the min at a time says that it is at most 16.
Expr largest_value(const Expr& e, const arith::Analyzer& facts);

/// The number among them, for who can use numbers only; nothing where no number is known.
std::optional<std::int64_t> largest_number(const Expr& e, const arith::Analyzer& facts);

/// The smaller of two sizes: by proof where there is one, else their min.
Expr smaller_size(const Expr& a, const Expr& b, const arith::Analyzer& facts);

}  // namespace ardea::limits
