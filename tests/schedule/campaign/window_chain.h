#pragma once

#include "ardea/ir/function.h"
#include "ardea/support/random.h"

namespace ardea::schedule {

/// A program whose stages read each other: windows with strides and dilation, padding, stencils held
/// or mirrored at their borders (several rows and sources at one bent column), reductions, broadcasts,
/// transposes, reversals, two results of one block, several consumers, sums over windows of a tensor with
/// gaps that nobody writes, sizes that are numbers or n + a number. What steps that move blocks need more of
/// than random programs of all kinds have. It cannot make loops that depend on one another (dependent_nests.h
/// does), nor other types than float32: types are operator_chain.h's and tests/random's. Indices are held or
/// mirrored at borders of one stencil in one way; ways that differ from tap to tap are tests/random's.
Function window_chain(Random& random);

}  // namespace ardea::schedule
