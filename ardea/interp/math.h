#pragma once

#include "ardea/interp/value.h"
#include "ardea/ir/intrinsics.h"

namespace ardea::interp {

/// What an intrinsic computes from one lane of each argument; `type` is the element type of the first
/// argument.
using LaneFunction = Lane (*)(DataType type, const Lane* arguments);

/// The lane function of an elementwise intrinsic (exp, fma, popcount, isnan, …), or nullptr where the
/// intrinsic is not one.
LaneFunction lane_function(const Intrinsic& op);

}  // namespace ardea::interp
