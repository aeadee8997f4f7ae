#pragma once

#include "ardea/ir/function.h"

/// 4-bit integers, two a byte with the first in the low half. In registers a 4-bit value is the 8-bit integer
/// of the same value.

namespace ardea::lower {

bool is_nibble(DataType type);

/// int8 for int4, uint8 for uint4.
DataType byte_type(DataType nibble);

/// `value` (any type but a narrow float's bits) as the 8-bit integer of the 4-bit value that it casts to:
/// integers wrap, floats saturate.
Expr to_nibble(const Expr& value, DataType nibble);

/// The element at `index` of packed 4-bit integers in the bytes of `bytes`.
Expr load_nibble(const Buffer& bytes, const Expr& index, DataType nibble, const Expr& predicate);

/// Writes the element and keeps its neighbour: a read, a change and a write of the byte. Vectors go lane by
/// lane, since two lanes may share a byte.
Stmt store_nibble(const Buffer& bytes, const Expr& index, const Expr& value, const Expr& predicate);

}  // namespace ardea::lower
