#include "ardea/ops/transpose.h"

#include "ardea/ops/shapes.h"
#include "ardea/support/error.h"
#include "ardea/te/compute.h"

namespace ardea::ops {

te::Tensor transpose(const te::Tensor& x, std::vector<std::int64_t> permutation, const std::string& name) {
  if (permutation.empty())
    for (std::size_t d = x.rank(); d-- > 0;) permutation.push_back(static_cast<std::int64_t>(d));
  require(permutation.size() == x.rank(),
          "transpose: the permutation has {} entries, but {} has {} dimensions", permutation.size(), x.name(),
          x.rank());
  std::vector<Expr> shape;
  std::vector<std::string> names;
  std::vector<std::size_t> from;
  std::vector<bool> seen(x.rank(), false);
  for (const std::int64_t entry : permutation) {
    from.push_back(axis_position("transpose", x, entry));
    require(!seen[from.back()], "transpose: the permutation names axis {} twice", entry);
    seen[from.back()] = true;
    shape.push_back(x.shape()[from.back()]);
    names.push_back(fmt::format("i{}", from.back()));
  }
  return te::compute(name, named_dims(shape, names), [&](const std::vector<Var>& at) {
    std::vector<Expr> indices(x.rank());
    for (std::size_t d = 0; d < at.size(); ++d) indices[from[d]] = at[d];
    return x.at(std::move(indices));
  });
}

}  // namespace ardea::ops
