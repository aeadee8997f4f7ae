#pragma once

#include <memory>
#include <string>

#include "ardea/ir/stmt.h"

namespace ardea::te {

struct Operation;

// So that `k + 1` finds them wherever it is written: an axis is of this namespace.
using ardea::operator+, ardea::operator-, ardea::operator*, ardea::operator/, ardea::operator%;
using ardea::operator<, ardea::operator<=, ardea::operator>, ardea::operator>=;

/// What a computation runs over: one index of its output (spatial), one index that it reduces over, or the
/// steps of a scan. Stands for its variable in expressions.
struct Axis {
  Var var;
  Range range;
  IteratorKind kind = IteratorKind::spatial;

  operator Expr() const { return var; }
  const std::string& name() const { return var.name(); }
};

/// k ∈ [low, high), for sum, max and the other reductions. An axis belongs to one compute: a second compute
/// that reduces over it is refused, because schedules name axes.
Axis reduce_axis(Expr low, Expr high, std::string name = "k");
Axis reduce_axis(std::int64_t low, std::int64_t high, std::string name = "k");  ///< 0 is no text here
Axis reduce_axis(const Expr& extent, std::string name = "k");

}  // namespace ardea::te
