#pragma once

#include "ardea/ir/expr.h"

namespace ardea::lower {

/// One lane of a vector; a scalar is the same in all lanes.
inline Expr lane_of(const Expr& e, int lane) { return e.type().is_scalar() ? e : make_shuffle({e}, {lane}); }

}  // namespace ardea::lower
