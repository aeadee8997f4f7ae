#pragma once

#include "ardea/ir/expr.h"

/// Which variables are reduce axes: an expression that mentions one must be reduced over it.

namespace ardea::te {

/// By reduce_axis. An axis is known as long as the compute that reduces over it, and before there is one.
void know_reduce_axis(const Var& axis);

bool is_reduce_axis(const Var& var);

}  // namespace ardea::te
