#include "ardea/te/axis.h"

#include "ardea/ir/fold_literals.h"
#include "ardea/ir/literals.h"
#include "ardea/support/error.h"
#include "ardea/te/reduce_axes.h"

namespace ardea::te {

Axis reduce_axis(Expr low, Expr high, std::string name) {
  settle_literals(low, high);
  require(low.type().is_integer() && low.type().is_scalar() && high.type() == low.type(),
          "reduce_axis({}): its bounds are {} and {}, must be integers of one type", name,
          to_string(low.type()), to_string(high.type()));
  low = fold_literals(low);
  const Expr end = fold_literals(high);
  const auto first = constant_int(low), last = constant_int(end);
  require(!first || !last || *first < *last, "reduce_axis({}): [{}, {}) is empty; give bounds low < high",
          name, first.value_or(0), last.value_or(0));
  Expr extent = is_zero(low)    ? end
                : first && last ? make_int(*last - *first, low.type())
                                : fold_literals(end - low);
  const Var var(std::move(name), low.type());
  know_reduce_axis(var);
  return {var, {std::move(low), std::move(extent)}, IteratorKind::reduce};
}

Axis reduce_axis(std::int64_t low, std::int64_t high, std::string name) {
  return reduce_axis(make_int(low), make_int(high), std::move(name));
}

Axis reduce_axis(const Expr& extent, std::string name) {
  Expr zero = make_int(0, extent.type());
  return reduce_axis(std::move(zero), extent, std::move(name));
}

}  // namespace ardea::te
