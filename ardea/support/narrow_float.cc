#include "ardea/support/narrow_float.h"

#include <cmath>
#include <limits>

#include "ardea/support/error.h"

namespace ardea {

NarrowFormat narrow_format(DataType type) {
  switch (type.code) {
    case TypeCode::floating:
      if (type.bits == 16) return {5, 10, true};
      break;
    case TypeCode::bfloat: return {8, 7, true};
    case TypeCode::float8_e4m3: return {4, 3, false};
    case TypeCode::float8_e5m2: return {5, 2, true};
    default: break;
  }
  throw InternalError("narrow_format: " + to_string(type) + " is not a narrow floating type");
}

double decode_narrow(std::uint32_t bits, NarrowFormat f) {
  const std::uint32_t mantissa_mask = (1u << f.mantissa_bits) - 1;
  const std::uint32_t exponent_mask = (1u << f.exponent_bits) - 1;
  const std::uint32_t mantissa = bits & mantissa_mask;
  const std::uint32_t exponent = (bits >> f.mantissa_bits) & exponent_mask;
  const double sign = (bits >> (f.mantissa_bits + f.exponent_bits)) & 1 ? -1.0 : 1.0;
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  if (exponent == exponent_mask) {
    const bool nan = f.has_infinity ? mantissa != 0 : mantissa == mantissa_mask;
    if (nan) return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    if (f.has_infinity) return sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(static_cast<double>(mantissa), 1 - bias - f.mantissa_bits);
  return sign * std::ldexp(static_cast<double>(mantissa | (1u << f.mantissa_bits)),
                           static_cast<int>(exponent) - bias - f.mantissa_bits);
}

std::uint32_t encode_narrow(double value, NarrowFormat f) {
  const std::uint32_t exponent_mask = (1u << f.exponent_bits) - 1;
  const std::uint32_t mantissa_mask = (1u << f.mantissa_bits) - 1;
  const std::uint32_t sign = std::signbit(value) ? 1u << (f.mantissa_bits + f.exponent_bits) : 0;
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const std::uint32_t infinity = exponent_mask << f.mantissa_bits;
  const std::uint32_t nan =
      f.has_infinity ? infinity | (1u << (f.mantissa_bits - 1)) : infinity | mantissa_mask;
  if (std::isnan(value)) return sign | nan;
  const std::uint32_t overflow = f.has_infinity ? infinity : nan;
  if (std::isinf(value)) return sign | overflow;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent, m in [0.5, 1)
  // The value of the last place: fixed below the smallest normal number, where subnormals are evenly spaced.
  const int last_place = std::max(exponent - 1, 1 - bias) - f.mantissa_bits;
  const double scaled =
      std::nearbyint(std::ldexp(magnitude, -last_place));  // exact scaling, then ties to even
  const double rounded = std::ldexp(scaled, last_place);
  const std::uint32_t top_mantissa = f.has_infinity ? mantissa_mask : mantissa_mask - 1;
  const int top_exponent = static_cast<int>(f.has_infinity ? exponent_mask - 1 : exponent_mask) - bias;
  const double largest =
      std::ldexp(static_cast<double>(top_mantissa | (1u << f.mantissa_bits)), top_exponent - f.mantissa_bits);
  if (rounded > largest) return sign | overflow;
  std::frexp(rounded, &exponent);
  if (rounded == 0) return sign;
  if (exponent - 1 < 1 - bias)  // subnormal
    return sign | static_cast<std::uint32_t>(std::ldexp(rounded, bias - 1 + f.mantissa_bits));
  const auto mantissa = static_cast<std::uint32_t>(std::ldexp(rounded, f.mantissa_bits - (exponent - 1)));
  return sign | static_cast<std::uint32_t>(exponent - 1 + bias) << f.mantissa_bits |
         (mantissa & mantissa_mask);
}

double round_to_type(double value, DataType type) {
  if (type.code == TypeCode::floating && type.bits == 64) return value;
  if (type.code == TypeCode::floating && type.bits == 32) return static_cast<float>(value);
  const NarrowFormat format = narrow_format(type);
  return decode_narrow(encode_narrow(value, format), format);
}

}  // namespace ardea
