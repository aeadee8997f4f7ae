#pragma once

#include "ardea/ops/types.h"
#include "ardea/te/compute.h"

namespace ardea::ops {

/// The operator "scan": out[i, j] = Σ_{r < min(j, k)} A[i, r], for n columns j; A is m × k. Column j is what
/// lies before A's column j, and columns after k repeat the whole row's sum.
///
/// Written as a sum over a triangle, of which every element can be computed by itself, in any order, or by a
/// matrix unit. (te::scan writes a recurrence, with fewer additions and no freedom.)
te::Tensor prefix_sum(const te::Tensor& a, const te::Index& n, const Types& wanted = {},
                      const std::string& name = "scan");

}  // namespace ardea::ops
