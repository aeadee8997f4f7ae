#include "ardea/ops/gemm.h"

#include "ardea/ops/shapes.h"
#include "ardea/ops/stages.h"
#include "ardea/te/math.h"

namespace ardea::ops {

te::Tensor gemm(const te::Tensor& a, const te::Tensor& b, const GemmOptions& options) {
  require_rank("gemm", a, 2);
  require_rank("gemm", b, 2);
  require_same("gemm", "k", a, 1, b, options.transpose_b ? 1 : 0);
  const Types types = resolved("gemm", Arithmetic::products, {a.type(), b.type()}, options.types);
  const Expr n = b.shape()[options.transpose_b ? 0 : 1];
  const te::Axis k = te::reduce_axis(a.shape()[1], "k");
  return accumulated(options.name, {{"m", a.shape()[0]}, {"n", n}}, types, [&](const std::vector<Var>& at) {
    const Expr b_element = options.transpose_b ? b(at[1], k) : b(k, at[1]);
    return te::sum(te::cast(types.acc, a(at[0], k)) * te::cast(types.acc, b_element), {k});
  });
}

te::Tensor bmm(const te::Tensor& a, const te::Tensor& b, const GemmOptions& options) {
  require_rank("bmm", a, 3);
  require_rank("bmm", b, 3);
  require_same("bmm", "b", a, 0, b, 0);
  require_same("bmm", "k", a, 2, b, options.transpose_b ? 2 : 1);
  const Types types = resolved("bmm", Arithmetic::products, {a.type(), b.type()}, options.types);
  const Expr n = b.shape()[options.transpose_b ? 1 : 2];
  const te::Axis k = te::reduce_axis(a.shape()[2], "k");
  return accumulated(options.name, {{"b", a.shape()[0]}, {"m", a.shape()[1]}, {"n", n}}, types,
                     [&](const std::vector<Var>& at) {
                       const Expr b_element = options.transpose_b ? b(at[0], at[2], k) : b(at[0], k, at[2]);
                       return te::sum(
                           te::cast(types.acc, a(at[0], at[1], k)) * te::cast(types.acc, b_element), {k});
                     });
}

te::Tensor gemv(const te::Tensor& a, const te::Tensor& x, const Types& wanted, const std::string& name) {
  require_rank("gemv", a, 2);
  require_rank("gemv", x, 1);
  require_same("gemv", "k", a, 1, x, 0);
  const Types types = resolved("gemv", Arithmetic::products, {a.type(), x.type()}, wanted);
  const te::Axis k = te::reduce_axis(a.shape()[1], "k");
  return accumulated(name, {{"m", a.shape()[0]}}, types, [&](const std::vector<Var>& at) {
    return te::sum(te::cast(types.acc, a(at[0], k)) * te::cast(types.acc, x(k)), {k});
  });
}

}  // namespace ardea::ops
