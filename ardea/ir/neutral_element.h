#pragma once

#include "ardea/ir/expr.h"

namespace ardea {

/// What changes nothing when it is combined with another value by the operation; empty where that is none to
/// reduce by, which + * min max & | ^ and or are.
Expr neutral_element(BinaryOp op, DataType type);

}  // namespace ardea
