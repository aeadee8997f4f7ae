#include "ardea/ops/prefix_sum.h"

#include "ardea/ops/shapes.h"
#include "ardea/ops/stages.h"
#include "ardea/te/math.h"

namespace ardea::ops {

te::Tensor prefix_sum(const te::Tensor& a, const te::Index& n, const Types& wanted, const std::string& name) {
  require_rank("scan", a, 2);
  const Types types = resolved("scan", Arithmetic::sums, {a.type()}, wanted);
  const te::Axis r = te::reduce_axis(a.shape()[1], "r");
  return accumulated(name, {{"i", a.shape()[0]}, {"j", n}}, types, [&](const std::vector<Var>& at) {
    const Expr element = te::cast(types.acc, a(at[0], r));
    return te::sum(te::select(Expr(r) < Expr(at[1]), element, make_const(0, types.acc)), {r});
  });
}

}  // namespace ardea::ops
