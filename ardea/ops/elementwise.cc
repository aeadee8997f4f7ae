#include "ardea/ops/elementwise.h"

#include <functional>

#include "ardea/ops/shapes.h"
#include "ardea/te/compute.h"
#include "ardea/te/math.h"

namespace ardea::ops {

namespace {

te::Tensor mapped(const char* call, Arithmetic arithmetic, const te::Tensor& x, const Types& wanted,
                  const std::string& name, const std::function<Expr(const Expr&)>& f) {
  const Types types = resolved(call, arithmetic, {x.type()}, wanted);
  return te::compute(name, named_dims(x.shape()), [&](const std::vector<Var>& at) {
    return te::cast(types.out, f(te::cast(types.acc, x.at({at.begin(), at.end()}))));
  });
}

te::Tensor combined(const char* call, const te::Tensor& a, const te::Tensor& b, const Types& wanted,
                    const std::string& name, const std::function<Expr(const Expr&, const Expr&)>& f) {
  const Types types = resolved(call, Arithmetic::elementwise, {a.type(), b.type()}, wanted);
  const std::vector<Expr> shape = broadcast_shape(call, a, b);
  return te::compute(name, named_dims(shape), [&](const std::vector<Var>& at) {
    const Expr left = te::cast(types.acc, broadcast_at(a, at, shape));
    const Expr right = te::cast(types.acc, broadcast_at(b, at, shape));
    return te::cast(types.out, f(left, right));
  });
}

}  // namespace

te::Tensor relu(const te::Tensor& x, const Types& types, const std::string& name) {
  return mapped("relu", Arithmetic::order, x, types, name, [](const Expr& v) { return max(v, 0); });
}

te::Tensor sigmoid(const te::Tensor& x, const Types& types, const std::string& name) {
  return mapped("sigmoid", Arithmetic::real, x, types, name, te::sigmoid);
}

te::Tensor tanh(const te::Tensor& x, const Types& types, const std::string& name) {
  return mapped("tanh", Arithmetic::real, x, types, name, te::tanh);
}

te::Tensor gelu(const te::Tensor& x, const Types& types, const std::string& name) {
  constexpr double root_half = 0.70710678118654752440;
  return mapped("gelu", Arithmetic::real, x, types, name,
                [](const Expr& v) { return v * 0.5 * (te::erf(v * root_half) + 1.0); });
}

te::Tensor add(const te::Tensor& a, const te::Tensor& b, const Types& types, const std::string& name) {
  return combined("add", a, b, types, name, [](const Expr& x, const Expr& y) { return x + y; });
}

te::Tensor mul(const te::Tensor& a, const te::Tensor& b, const Types& types, const std::string& name) {
  return combined("mul", a, b, types, name, [](const Expr& x, const Expr& y) { return x * y; });
}

te::Tensor bias_add(const te::Tensor& x, const te::Tensor& bias, const BiasOptions& options) {
  const Types types = resolved("bias_add", Arithmetic::elementwise, {x.type(), bias.type()}, options.types);
  require_rank("bias_add", bias, 1);
  const std::size_t axis = axis_position("bias_add", x, options.axis);
  require_same("bias_add", "the bias's extent", x, axis, bias, 0);
  return te::compute(options.name, named_dims(x.shape()), [&](const std::vector<Var>& at) {
    const Expr value = te::cast(types.acc, x.at({at.begin(), at.end()}));
    return te::cast(types.out, value + te::cast(types.acc, bias(at[axis])));
  });
}

}  // namespace ardea::ops
