#pragma once

#include <optional>

#include "ardea/ir/expr.h"

namespace ardea {

/// A value that is an element of memory where a condition holds, and 0 where not.
struct GuardedCopy {
  const Load* load = nullptr;
  Expr condition = {};  ///< scalar; undefined where the copy has none
};

/// Nothing where the value is another one. Conditions may be nested, each around what it guards.
std::optional<GuardedCopy> guarded_copy(const Expr& value);

}  // namespace ardea
