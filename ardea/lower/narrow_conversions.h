#pragma once

#include "ardea/ir/expr.h"

/// Conversions to and from formats that no machine code is trusted with, as integer arithmetic on their bits.
/// Bit for bit those of ardea/support/narrow_float.h.

namespace ardea::lower {

/// The unsigned integer that holds the bits of bfloat16 or float8, with the type's lanes.
DataType bits_type(DataType type);

/// The float32 value of the bits of `type` (bfloat16 or float8).
Expr decode_bits(const Expr& bits, DataType type);

/// The bits of the nearest value of `type`, ties to even, rounded once from `value`: any bool, integer of 8
/// bits or more, float16, float32 or float64.
Expr encode_bits(const Expr& value, DataType type);

/// The float32 whose rounding to a type of at most 22 bits of precision is that of `value` (float64): where
/// it is not exact, of the two neighbours the one with the odd last bit.
Expr round_to_odd_float32(const Expr& value);

}  // namespace ardea::lower
