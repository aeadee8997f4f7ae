#include "ardea/ops/fused.h"

#include <cmath>

#include "ardea/ops/elementwise.h"
#include "ardea/ops/gemm.h"
#include "ardea/ops/normalise.h"
#include "ardea/ops/shapes.h"
#include "ardea/te/math.h"

namespace ardea::ops {

te::Tensor gemm_bias_relu(const te::Tensor& a, const te::Tensor& b, const te::Tensor& bias,
                          const Types& wanted, const std::string& name) {
  const Types types = resolved("gemm_bias_relu", Arithmetic::products, {a.type(), b.type()}, wanted);
  const Types inside = {types.acc, types.acc};
  const te::Tensor product = gemm(a, b, {.types = inside, .name = "gemm"});
  const te::Tensor sum = bias_add(product, bias, {.types = inside});
  return relu(sum, {types.acc, types.out}, name);
}

te::Tensor conv_bn_relu(const te::Tensor& data, const te::Tensor& kernel, const te::Tensor& gamma,
                        const te::Tensor& beta, const te::Tensor& mean, const te::Tensor& var,
                        const ConvOptions& options, double epsilon) {
  const Types types = resolved(
      "conv_bn_relu", Arithmetic::real,
      {data.type(), kernel.type(), gamma.type(), beta.type(), mean.type(), var.type()}, options.types);
  const Types inside = {types.acc, types.acc};
  ConvOptions convolve = options;
  convolve.types = inside;
  convolve.name = "conv";
  const auto channels = static_cast<std::int64_t>(Image{options.layout, 2}.channel_dimension());
  const te::Tensor normal =
      batchnorm(c2d(data, kernel, convolve), gamma, beta, mean, var,
                {.epsilon = epsilon, .axis = channels, .types = inside, .name = "bn", .scale_apart = false});
  return relu(normal, {types.acc, types.out}, options.name);
}

te::Tensor attention(const te::Tensor& q, const te::Tensor& k, const te::Tensor& v, const Types& wanted,
                     const std::string& name) {
  const Types types = resolved("attention", Arithmetic::real, {q.type(), k.type(), v.type()}, wanted);
  for (const te::Tensor& x : {q, k, v}) require_rank("attention", x, 3);
  const Types inside = {types.acc, types.acc};
  const te::Tensor scores = bmm(q, k, {.transpose_b = true, .types = inside, .name = "scores"});
  const auto dim = constant_int(q.shape()[2]);
  const Expr scale = dim ? make_const(std::sqrt(static_cast<double>(*dim)), types.acc)
                         : te::sqrt(te::cast(types.acc, q.shape()[2]));
  const te::Tensor scaled =
      te::compute("scaled", named_dims(scores.shape()),
                  [&](const std::vector<Var>& at) { return scores.at({at.begin(), at.end()}) / scale; });
  return bmm(softmax(scaled, inside), v, {.types = {types.acc, types.out}, .name = name});
}

te::Tensor matmul_exp_matmul(const te::Tensor& a, const te::Tensor& b, const te::Tensor& e,
                             const Types& wanted) {
  const char* const call = "matmul_exp_matmul";
  const Types types = resolved(call, Arithmetic::real, {a.type(), b.type(), e.type()}, wanted);
  for (const te::Tensor& x : {a, b, e}) require_rank(call, x, 2);
  require_same(call, "k", a, 1, b, 0);
  require_same(call, "l", b, 1, e, 0);
  const te::Dim m("m", a.shape()[0]), l("l", b.shape()[1]), n("n", e.shape()[1]);
  const te::Axis rk = te::reduce_axis(a.shape()[1], "rk"), rl = te::reduce_axis(b.shape()[1], "rl");
  const auto as_acc = [&](const Expr& x) { return te::cast(types.acc, x); };
  const te::Tensor c = te::compute("C", {m, l}, [&](const Var& i, const Var& j) {
    return te::sum(as_acc(a(i, rk)) * as_acc(b(rk, j)), {rk});
  });
  const te::Tensor d = te::compute("D", {m, l}, [&](const Var& i, const Var& j) { return te::exp(c(i, j)); });
  return accumulated("F", {m, n}, types, [&](const std::vector<Var>& at) {
    return te::sum(d(at[0], rl) * as_acc(e(rl, at[1])), {rl});
  });
}

}  // namespace ardea::ops
