#include "ardea/ops/shapes.h"

#include <algorithm>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::ops {

namespace {

std::string shape_text(const te::Tensor& tensor) {
  std::vector<std::string> extents;
  for (const Expr& extent : tensor.shape()) extents.push_back(print(extent));
  return fmt::format("{}[{}]", tensor.name(), join(extents, ", "));
}

}  // namespace

Expr folded(const Expr& extent) { return arith::Analyzer().simplify(extent); }

bool same_extent(const Expr& a, const Expr& b) {
  return a == b || arith::Analyzer().proves(equals(make_cast(int64, a), make_cast(int64, b)));
}

void require_rank(const std::string& call, const te::Tensor& tensor, std::size_t rank) {
  require(tensor.rank() == rank, "{}: {} has {} dimension{}, must have {}", call, shape_text(tensor),
          tensor.rank(), tensor.rank() == 1 ? "" : "s", rank);
}

void require_same(const std::string& call, const char* size, const te::Tensor& a, std::size_t da,
                  const te::Tensor& b, std::size_t db) {
  require(same_extent(a.shape()[da], b.shape()[db]), "{}: {} is {} in {} and {} in {}; they must be equal",
          call, size, print(a.shape()[da]), shape_text(a), print(b.shape()[db]), shape_text(b));
}

std::size_t axis_position(const std::string& call, const te::Tensor& tensor, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(tensor.rank());
  require(-rank <= axis && axis < rank, "{}: {} has no axis {}; its axes are {} to {}", call,
          shape_text(tensor), axis, -rank, rank - 1);
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

std::vector<te::Dim> named_dims(const std::vector<Expr>& shape, const std::vector<std::string>& names) {
  std::vector<te::Dim> dims;
  for (std::size_t d = 0; d < shape.size(); ++d)
    dims.emplace_back(names.size() == shape.size() ? names[d] : fmt::format("i{}", d), shape[d]);
  return dims;
}

std::vector<Expr> broadcast_shape(const std::string& call, const te::Tensor& a, const te::Tensor& b) {
  std::vector<Expr> shape(std::max(a.rank(), b.rank()));
  for (std::size_t back = 1; back <= shape.size(); ++back) {
    Expr& extent = shape[shape.size() - back];
    const Expr from_a = back <= a.rank() ? a.shape()[a.rank() - back] : make_int(1);
    const Expr from_b = back <= b.rank() ? b.shape()[b.rank() - back] : make_int(1);
    extent = is_one(from_a) ? from_b : from_a;
    require(is_one(from_a) || is_one(from_b) || same_extent(from_a, from_b),
            "{}: {} and {} do not broadcast: {} and {} differ and neither is 1", call, shape_text(a),
            shape_text(b), print(from_a), print(from_b));
  }
  return shape;
}

Expr broadcast_at(const te::Tensor& x, const std::vector<Var>& axes, const std::vector<Expr>& result_shape) {
  std::vector<Expr> indices;
  const std::size_t skipped = axes.size() - x.rank();
  for (std::size_t d = 0; d < x.rank(); ++d) {
    const bool repeated = is_one(x.shape()[d]) && !is_one(result_shape[skipped + d]);
    indices.push_back(repeated ? make_int(0) : Expr(axes[skipped + d]));
  }
  return x.at(std::move(indices));
}

}  // namespace ardea::ops
