#include "ardea/runtime/element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "ardea/support/error.h"
#include "ardea/support/narrow_float.h"

namespace ardea::runtime {

namespace {

int storage_bits(DataType type) { return type.is_bool() ? 8 : type.bits; }

template <class T>
std::uint64_t load_as(const void* base, std::int64_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(base) + offset * static_cast<std::int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

template <class T>
void store_as(void* base, std::int64_t offset, std::uint64_t bits) {
  const T value = static_cast<T>(bits);
  std::memcpy(static_cast<char*>(base) + offset * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
}

std::int64_t sign_extended(std::uint64_t bits, int width) {
  const int unused = 64 - width;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

std::int64_t saturated(double value, int width) {
  const double limit = std::ldexp(1.0, width - 1);
  const std::int64_t highest = std::numeric_limits<std::int64_t>::max() >> (64 - width);
  if (std::isnan(value)) return 0;
  if (value >= limit) return highest;
  if (value <= -limit) return -highest - 1;
  return static_cast<std::int64_t>(value);
}

std::uint64_t saturated_unsigned(double value, int width) {
  if (!(value > 0)) return 0;
  if (value >= std::ldexp(1.0, width)) return std::numeric_limits<std::uint64_t>::max() >> (64 - width);
  return static_cast<std::uint64_t>(value);
}

/// `value` as a double that rounds to a narrower type as `value` itself would: where 53 bits are too few, the
/// lost bits leave a sticky one, so that rounding twice cannot turn a number just above a tie into the tie.
double sticky_double(std::int64_t value) {
  const std::uint64_t magnitude =
      value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  if (magnitude < (std::uint64_t{1} << 53)) return static_cast<double>(value);
  const std::uint64_t lost = magnitude & 0x7ff;
  const double kept = static_cast<double>((magnitude & ~std::uint64_t{0x7ff}) | (lost != 0 ? 0x800 : 0));
  return value < 0 ? -kept : kept;
}

}  // namespace

std::uint64_t load_bits(const void* base, std::int64_t offset, DataType type) {
  switch (storage_bits(type)) {
    case 4: return load_as<std::uint8_t>(base, offset >> 1) >> ((offset & 1) * 4) & 0xf;
    case 8: return load_as<std::uint8_t>(base, offset);
    case 16: return load_as<std::uint16_t>(base, offset);
    case 32: return load_as<std::uint32_t>(base, offset);
    case 64: return load_as<std::uint64_t>(base, offset);
    default: throw InternalError("load_bits: no element type is " + to_string(type));
  }
}

void store_bits(void* base, std::int64_t offset, DataType type, std::uint64_t bits) {
  switch (storage_bits(type)) {
    case 4: {
      const int shift = static_cast<int>(offset & 1) * 4;
      const std::uint64_t other_half = load_as<std::uint8_t>(base, offset >> 1) & (0xf0u >> shift);
      return store_as<std::uint8_t>(base, offset >> 1, other_half | (bits & 0xf) << shift);
    }
    case 8: return store_as<std::uint8_t>(base, offset, bits);
    case 16: return store_as<std::uint16_t>(base, offset, bits);
    case 32: return store_as<std::uint32_t>(base, offset, bits);
    case 64: return store_as<std::uint64_t>(base, offset, bits);
    default: throw InternalError("store_bits: no element type is " + to_string(type));
  }
}

std::int64_t load_int(const void* base, std::int64_t offset, DataType type) {
  if (type.is_float()) return saturated(load_float(base, offset, type), 64);
  const std::uint64_t bits = load_bits(base, offset, type);
  if (type.is_bool()) return bits != 0;
  return type.is_int() ? sign_extended(bits, type.bits) : static_cast<std::int64_t>(bits);
}

double load_float(const void* base, std::int64_t offset, DataType type) {
  const std::uint64_t bits = load_bits(base, offset, type);
  if (type.is_bool()) return bits != 0;
  if (type.is_int()) return static_cast<double>(sign_extended(bits, type.bits));
  if (type.is_uint()) return static_cast<double>(bits);
  if (type == float64) return std::bit_cast<double>(bits);
  if (type == float32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return decode_narrow(static_cast<std::uint32_t>(bits), narrow_format(type));
}

void store_int(void* base, std::int64_t offset, DataType type, std::int64_t value) {
  if (type.is_bool()) return store_bits(base, offset, type, value != 0);
  if (type.is_integer()) return store_bits(base, offset, type, static_cast<std::uint64_t>(value));
  store_float(base, offset, type, type == float64 ? static_cast<double>(value) : sticky_double(value));
}

void store_float(void* base, std::int64_t offset, DataType type, double value) {
  if (type.is_bool()) return store_bits(base, offset, type, value != 0);
  if (type.is_int())
    return store_bits(base, offset, type, static_cast<std::uint64_t>(saturated(value, type.bits)));
  if (type.is_uint()) return store_bits(base, offset, type, saturated_unsigned(value, type.bits));
  if (type == float64) return store_bits(base, offset, type, std::bit_cast<std::uint64_t>(value));
  if (type == float32)
    return store_bits(base, offset, type, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  store_bits(base, offset, type, encode_narrow(value, narrow_format(type)));
}

}  // namespace ardea::runtime
