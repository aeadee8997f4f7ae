#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ardea/ops/types.h"
#include "ardea/te/compute.h"

/// The stages that operators are made of.

namespace ardea::ops {

using Finish = std::function<Expr(const std::vector<Var>& axes, const Expr& reduced)>;

/// A reduction in types.acc, then `finish` (where there is one) and the cast to types.out: one stage `name`
/// where nothing follows the reduction, else `name`_acc and `name`.
te::Tensor accumulated(const std::string& name, const std::vector<te::Dim>& dims, const Types& types,
                       const std::function<te::Reduction(const std::vector<Var>&)>& body,
                       const Finish& finish = {});

/// Elements before and after the tensor's own along one dimension.
struct Margin {
  Expr before = make_int(0), after = make_int(0);
};

/// x inside a frame of `value` (of type `type`, which x's elements are cast to), as a stage `x`_padded; x
/// itself where no margin is wider than 0. `type` is x's own unless that is a storage type.
te::Tensor padded(const te::Tensor& x, const std::vector<Margin>& margins, const Expr& value,
                  const std::vector<std::string>& axis_names);

/// The type that x's elements are padded in: x's own, or `acc` where x's can only be stored.
DataType padding_type(const te::Tensor& x, DataType acc);

}  // namespace ardea::ops
