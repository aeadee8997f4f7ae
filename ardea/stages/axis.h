#pragma once

#include <string>
#include <vector>

#include "ardea/te/axis.h"
#include "ardea/te/tensor.h"

namespace ardea::stages {

/// One loop of a stage: an axis of its operation, or what directives made of one (i.outer, i.inner,
/// i.outer.j.outer.fused). An axis is its variable's identity.
struct Axis {
  Var var = {};
  IteratorKind kind = IteratorKind::spatial;

  Axis() = default;
  Axis(const te::Axis& axis) : var(axis.var), kind(axis.kind) {}
  /// A new one.
  Axis(std::string name, IteratorKind kind) : var(std::move(name)), kind(kind) {}

  const std::string& name() const { return var.name(); }
  friend bool operator==(const Axis& a, const Axis& b) { return a.var == b.var; }
};

/// The axes that an operation was written with.
struct OperationAxes {
  std::vector<Axis> axis;         ///< of the output; the step alone for a scan
  std::vector<Axis> reduce_axis;  ///< reduced over
};

/// op(C).axis[0] is TVM's C.op.axis[0]. Of a stage that a directive made (a cache, partial results) they are
/// s[CL].op().
OperationAxes op(const te::Tensor& tensor);

/// "i, j.outer, j.inner"
std::string names_of(const std::vector<Axis>& axes);

}  // namespace ardea::stages
