#include "ardea/ops/normalise.h"

#include "ardea/ops/reduce.h"
#include "ardea/ops/shapes.h"
#include "ardea/support/error.h"
#include "ardea/te/compute.h"
#include "ardea/te/math.h"

namespace ardea::ops {

namespace {

std::vector<Expr> without_last(const std::vector<Var>& axes) { return {axes.begin(), axes.end() - 1}; }

/// One number for each row along the last axis of x. A division for each row, where one for each element
/// would take longer than all else that is done to it.
te::Tensor for_each_row(const std::string& name, const te::Tensor& x,
                        const std::function<Expr(const std::vector<Expr>&)>& value) {
  auto dims = named_dims(x.shape());
  dims.pop_back();
  return te::compute(name, dims, [&](const std::vector<Var>& at) { return value({at.begin(), at.end()}); });
}

void require_along(const char* call, const te::Tensor& x, std::size_t axis, const te::Tensor& parameter) {
  require_rank(call, parameter, 1);
  require_same(call, parameter.name().c_str(), x, axis, parameter, 0);
}

}  // namespace

te::Tensor softmax(const te::Tensor& x, const Types& wanted, const std::string& name) {
  const Types types = resolved("softmax", Arithmetic::real, {x.type()}, wanted);
  require(x.rank() > 0, "softmax: {} is a single number, there is no axis to normalise along", x.name());
  const Types inside = {types.acc, types.acc};
  const auto row = [&](const std::string& part) { return ReduceOptions{{-1}, false, inside, name + part}; };
  const auto dims = named_dims(x.shape());
  const te::Tensor greatest = reduce_max(x, row("_max"));
  const te::Tensor power = te::compute(name + "_exp", dims, [&](const std::vector<Var>& at) {
    return te::exp(te::cast(types.acc, x.at({at.begin(), at.end()})) - greatest.at(without_last(at)));
  });
  const te::Tensor total = reduce_sum(power, row("_sum"));
  const te::Tensor scale = for_each_row(name + "_scale", x, [&](const std::vector<Expr>& at) {
    return make_const(1, types.acc) / total.at(at);
  });
  return te::compute(name, dims, [&](const std::vector<Var>& at) {
    return te::cast(types.out, power.at({at.begin(), at.end()}) * scale.at(without_last(at)));
  });
}

te::Tensor layernorm(const te::Tensor& x, const te::Tensor& gamma, const te::Tensor& beta,
                     const NormOptions& options) {
  const Types types =
      resolved("layernorm", Arithmetic::real, {x.type(), gamma.type(), beta.type()}, options.types);
  require(options.axis == -1, "layernorm: axis is {}, but it normalises along the last one; leave it -1",
          options.axis);
  const std::size_t last = axis_position("layernorm", x, -1);
  for (const te::Tensor& parameter : {gamma, beta}) require_along("layernorm", x, last, parameter);
  const std::string name = options.name.empty() ? "layernorm" : options.name;
  const Types inside = {types.acc, types.acc};
  const te::Tensor center = mean(x, {{-1}, false, inside, name + "_mean"});
  const te::Tensor spread = var_around(center, x, {{-1}, false, inside, name + "_var"});
  const te::Tensor scale = for_each_row(name + "_scale", x, [&](const std::vector<Expr>& at) {
    return make_const(1, types.acc) / te::sqrt(spread.at(at) + options.epsilon);
  });
  return te::compute(name, named_dims(x.shape()), [&](const std::vector<Var>& at) {
    const std::vector<Expr> row = without_last(at);
    const Expr distance = te::cast(types.acc, x.at({at.begin(), at.end()})) - center.at(row);
    const Expr scaled = distance * scale.at(row);
    return te::cast(types.out,
                    scaled * te::cast(types.acc, gamma(at[last])) + te::cast(types.acc, beta(at[last])));
  });
}

te::Tensor batchnorm(const te::Tensor& x, const te::Tensor& gamma, const te::Tensor& beta,
                     const te::Tensor& mean, const te::Tensor& var, const NormOptions& options) {
  const Types types = resolved("batchnorm", Arithmetic::real,
                               {x.type(), gamma.type(), beta.type(), mean.type(), var.type()}, options.types);
  const std::size_t axis = axis_position("batchnorm", x, options.axis);
  for (const te::Tensor& parameter : {gamma, beta, mean, var}) require_along("batchnorm", x, axis, parameter);
  const std::string name = options.name.empty() ? "batchnorm" : options.name;
  const auto along = [&](const te::Tensor& parameter, const Var& place) {
    return te::cast(types.acc, parameter(place));
  };
  const auto scale_at = [&](const Var& place) {
    return along(gamma, place) / te::sqrt(along(var, place) + options.epsilon);
  };
  // Roots and quotients take longer than all else.
  te::Tensor scale;
  if (options.scale_apart)
    scale = te::compute(name + "_scale", {te::Dim("c", x.shape()[axis])},
                        [&](const std::vector<Var>& at) { return scale_at(at[0]); });
  return te::compute(name, named_dims(x.shape()), [&](const std::vector<Var>& at) {
    const Expr distance = te::cast(types.acc, x.at({at.begin(), at.end()})) - along(mean, at[axis]);
    // The scale first: it is made before x then, and what follows x can be done where x is made.
    const Expr by = options.scale_apart ? scale(at[axis]) : scale_at(at[axis]);
    return te::cast(types.out, by * distance + along(beta, at[axis]));
  });
}

}  // namespace ardea::ops
