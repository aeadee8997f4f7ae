#pragma once

#include <cstdint>

#include "ardea/support/data_type.h"

namespace ardea {

/// A binary floating-point format narrower than float32, by its fields. All conversions go through these two
/// functions, so that the interpreter, the runtime and the tests agree on every bit.
struct NarrowFormat {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;  ///< e4m3 has none: its all-ones pattern alone is NaN, and overflow becomes NaN
};

NarrowFormat narrow_format(DataType type);  ///< float16, bfloat16, float8_e4m3, float8_e5m2

/// The exact value of `bits`.
double decode_narrow(std::uint32_t bits, NarrowFormat format);

/// The nearest representable value, ties to even, straight from the double (one rounding). Every NaN becomes
/// the format's quiet NaN with the sign of the input.
std::uint32_t encode_narrow(double value, NarrowFormat format);

/// `value` rounded to the nearest value of `type` (any floating type; float64 returns it unchanged).
double round_to_type(double value, DataType type);

}  // namespace ardea
