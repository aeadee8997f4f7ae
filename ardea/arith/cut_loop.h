#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ardea/arith/analyzer.h"

namespace ardea::arith {

/// The one cut of a range: for i in [a, a + n): S   ⇒   for i in [a, p): S; for i in [p, a + n): S
///
/// `point` is a value of the variable, and lies within the range or at its end. Both parts have the variable
/// and the body of the loop: where both stay, one needs a fresh copy.
std::pair<For, For> cut_range(const For& loop, const Expr& point, const Analyzer& facts);

/// for i in [a, a + n): S   ⇒   for i_0 in [0, p): S[i := a + i_0]; for i_1 in [0, n - p): S[i := a + p +
/// i_1]
///
/// The same iterations in the same order by consecutive loops, cut at `points`, which count from the start of
/// the loop, rise and lie within its extent. Each loop counts from 0, has its name of `names` (one more than
/// points) and the kind and annotations of the old one. The first is over S itself, the others over copies
/// with fresh blocks and variables.
std::vector<For> cut_loop(const For& loop, const std::vector<Expr>& points,
                          const std::vector<std::string>& names, const Analyzer& facts);

/// The loop in two: as many whole rounds of `round` iterations as fit, n // round · round of them, and the
/// n % round that are left. Requires round > 0 and n >= 0: of a loop that runs nothing, an extent of 0.
std::vector<For> cut_whole_rounds(const For& loop, const Expr& round, const std::vector<std::string>& names,
                                  const Analyzer& facts);

}  // namespace ardea::arith
