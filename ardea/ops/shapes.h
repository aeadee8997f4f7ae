#pragma once

#include <string>
#include <vector>

#include "ardea/te/compute.h"

/// What operators ask of the shapes of their tensors. Extents may be symbolic.

namespace ardea::ops {

/// The extent with its constants folded.
Expr folded(const Expr& extent);

/// Whether both are equal for every value of their variables.
bool same_extent(const Expr& a, const Expr& b);

/// Error, beginning with `call`, unless the tensor has that many dimensions.
void require_rank(const std::string& call, const te::Tensor& tensor, std::size_t rank);

/// Error unless dimension `da` of a and dimension `db` of b are equal: both are the operator's `size`.
void require_same(const std::string& call, const char* size, const te::Tensor& a, std::size_t da,
                  const te::Tensor& b, std::size_t db);

/// Position of an axis that may be counted from the end, as NumPy does. Error where there is none.
std::size_t axis_position(const std::string& call, const te::Tensor& tensor, std::int64_t axis);

/// The tensor's dimensions with names for their axes: as given where there are as many, else i0, i1, …
std::vector<te::Dim> named_dims(const std::vector<Expr>& shape, const std::vector<std::string>& names = {});

/// The shape that a and b broadcast to: aligned at the last dimension, an extent of 1 fits any other. Error
/// where two extents differ and neither is 1.
std::vector<Expr> broadcast_shape(const std::string& call, const te::Tensor& a, const te::Tensor& b);

/// The element of x that lies at `axes` of a result it is broadcast to.
Expr broadcast_at(const te::Tensor& x, const std::vector<Var>& axes, const std::vector<Expr>& result_shape);

}  // namespace ardea::ops
