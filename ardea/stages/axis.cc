#include "ardea/stages/axis.h"

#include "ardea/support/text.h"

namespace ardea::stages {

OperationAxes op(const te::Tensor& tensor) {
  OperationAxes axes;
  if (const auto* scan = tensor.operation()->as<te::Scan>()) axes.axis = {scan->step};
  if (const auto* compute = tensor.operation()->as<te::Compute>()) {
    axes.axis.assign(compute->axes.begin(), compute->axes.end());
    if (const auto* reduction = std::get_if<te::Reduction>(&compute->body))
      axes.reduce_axis.assign(reduction->axes.begin(), reduction->axes.end());
  }
  return axes;
}

std::string names_of(const std::vector<Axis>& axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) names.push_back(axis.name());
  return join(names, ", ");
}

}  // namespace ardea::stages
