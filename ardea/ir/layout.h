#pragma once

#include <vector>

#include "ardea/ir/stmt.h"

/// Where the elements of a buffer lie, as int64 arithmetic.

namespace ardea {

/// e as int64, lane by lane.
Expr as_index(const Expr& e);

/// The sum and the product of indices, either of which may have lanes; constants fold, a ramp stays a ramp.
Expr add_index(const Expr& left, const Expr& right);
Expr multiply_index(const Expr& left, const Expr& right);

/// Its strides in elements, written or row-major.
std::vector<Expr> strides_of(const Buffer& buffer);

/// Its offset in elements from `data`.
Expr offset_of(const Buffer& buffer);

/// The element's place counted from `data`.
Expr flat_index(const Buffer& buffer, const std::vector<Expr>& indices);

/// Elements from `data` up to and including the last of the buffer. Error where constant extents give more
/// bytes than an int64 counts.
Expr flat_size(const Buffer& buffer);

/// The one-dimensional buffer over the same memory from `data` on.
Buffer flat_view(const Buffer& buffer);

/// Whether the buffer is row-major from `data` on.
bool is_compact(const Buffer& buffer);

/// Which addresses of a buffer's elements may be taken: none, or those that units are given, by tensor
/// instructions and copies of boxes.
enum class Addresses { none, of_units };

/// The buffer over the whole allocation, where it is the only view, row-major, and no other address of it is
/// taken.
Buffer whole_view(const Allocate& allocate, Addresses allowed = Addresses::none);

}  // namespace ardea
