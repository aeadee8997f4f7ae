#pragma once

#include <vector>

#include "ardea/ir/stmt.h"
#include "ardea/ir/window_copy.h"

namespace ardea::lower {

/// A T.async_copy_window that a kernel has.
struct WindowUse {
  Expr call;
  WindowCopy copy;
  Var array;
  std::vector<std::int64_t> farthest;  ///< that its taps lie from corners
};

/// Copies that differ only in where corners begin, and lie as much farther from them, say the same of the
/// array, so that a launch describes it once: as the one whose corners begin first, as far as taps may lie.
Stmt with_common_corners(const Stmt& s, const std::vector<WindowUse>& uses);

}  // namespace ardea::lower
