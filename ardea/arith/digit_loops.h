#pragma once

#include <optional>
#include <vector>

#include "ardea/arith/regions_linear.h"

/// Loops whose variables are used by the digits of a number that several of them make together, as loops over
/// these digits: what is cut and what is filled shows there.

namespace ardea::arith {

/// A region that is touched once in each iteration of the loops in which all conditions hold.
struct RepeatedRegion {
  BufferRegion region;
  std::vector<LoopRange> loops;
  std::vector<Expr> conditions;
};

/// The same elements touched by loops over digits; nothing where there are no digits, or it is not proved.
/// `facts` know the ranges of the loops.
///
/// The rule: let F = Σ weight · x be regular over some of the loops, so that it takes every value of
/// [0, Π extents) once, and let q > 0 divide an E such that the conditions hold nowhere from F = E on. Then
/// (F // q, F % q) takes every pair of [0, E / q) x [0, q) once while F runs over [0, E), and the iterations
/// beyond touch nothing. So loops u < E / q, v < q with F = u · q + v and x = F // weight % extent touch what
/// the loops touched. (A copy of 64 x 12 elements by 16 x 16 threads, four each: rows (y * 16 + x) // 3 where
/// y * 16 + x < 192 are rows u < 64.)
std::optional<RepeatedRegion> over_digits(const RepeatedRegion& access, const Analyzer& facts);

}  // namespace ardea::arith
