#pragma once

#include <cstdint>

#include "ardea/support/data_type.h"

namespace ardea::runtime {

/// One element of an array in memory, `offset` elements after `base`, read and written by any scalar element
/// type: bool is a byte, int4 and uint4 are two a byte with the first in the low half, everything else lies
/// as the machine has it. Writing half a byte rewrites the whole byte, so two threads must not write its two
/// halves.

std::uint64_t load_bits(const void* base, std::int64_t offset, DataType type);
void store_bits(void* base, std::int64_t offset, DataType type, std::uint64_t bits);

/// Integers exactly (uint64 above the range of int64 wraps), bool as 0 or 1, floats truncated with
/// saturation, NaN as 0.
std::int64_t load_int(const void* base, std::int64_t offset, DataType type);

/// Floats exactly, integers as the nearest double, bool as 0 or 1.
double load_float(const void* base, std::int64_t offset, DataType type);

/// Integers wrap to the width of the type, bool becomes "not zero", floats round once.
void store_int(void* base, std::int64_t offset, DataType type, std::int64_t value);

/// Floats round once, integers truncate and saturate, NaN as 0, bool becomes "not zero".
void store_float(void* base, std::int64_t offset, DataType type, double value);

}  // namespace ardea::runtime
