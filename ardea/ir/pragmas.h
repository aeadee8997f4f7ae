#pragma once

#include "ardea/ir/stmt.h"

/// Annotations whose key begins with "pragma_" speak of everything inside the loop or block that carries
/// them; those nearer to a loop win.

namespace ardea {

/// The body of a loop or block that goes away, its pragmas now on the outermost loops in it that do not have
/// their own.
Stmt hand_down_pragmas(const Attributes& annotations, const Stmt& body);

}  // namespace ardea
