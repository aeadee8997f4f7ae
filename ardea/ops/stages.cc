#include "ardea/ops/stages.h"

#include "ardea/ops/shapes.h"
#include "ardea/te/math.h"

namespace ardea::ops {

te::Tensor accumulated(const std::string& name, const std::vector<te::Dim>& dims, const Types& types,
                       const std::function<te::Reduction(const std::vector<Var>&)>& body,
                       const Finish& finish) {
  const bool one_stage = !finish && types.acc == types.out;
  te::Tensor total = te::compute(one_stage ? name : name + "_acc", dims, body);
  if (one_stage) return total;
  return te::compute(name, dims, [&](const std::vector<Var>& axes) {
    const Expr value = total.at({axes.begin(), axes.end()});
    return te::cast(types.out, finish ? finish(axes, value) : value);
  });
}

te::Tensor padded(const te::Tensor& x, const std::vector<Margin>& margins, const Expr& value,
                  const std::vector<std::string>& axis_names) {
  std::vector<Expr> shape;
  bool wider = false;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    shape.push_back(folded(x.shape()[d] + margins[d].before + margins[d].after));
    wider = wider || !is_zero(margins[d].before) || !is_zero(margins[d].after);
  }
  if (!wider) return x;
  return te::compute(x.name() + "_padded", named_dims(shape, axis_names), [&](const std::vector<Var>& axes) {
    std::vector<Expr> indices;
    Expr inside;
    const auto also = [&](const Expr& condition) {
      inside = inside.defined() ? logical_and(inside, condition) : condition;
    };
    for (std::size_t d = 0; d < axes.size(); ++d) {
      const auto& [before, after] = margins[d];
      indices.push_back(is_zero(before) ? Expr(axes[d]) : axes[d] - before);
      if (!is_zero(before)) also(axes[d] >= before);
      if (!is_zero(after)) also(axes[d] < folded(x.shape()[d] + before));
    }
    return te::if_then_else(inside, te::cast(value.type(), x.at(indices)), value);
  });
}

DataType padding_type(const te::Tensor& x, DataType acc) {
  return x.type().is_storage_only() ? acc : x.type();
}

}  // namespace ardea::ops
