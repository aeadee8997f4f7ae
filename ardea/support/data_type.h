#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ardea {

enum class TypeCode : std::uint8_t {
  boolean,  ///< one byte in memory, 0 or 1
  integer,
  unsigned_integer,
  floating,     ///< IEEE 16, 32, 64
  bfloat,       ///< 16 bits
  float8_e4m3,  ///< no infinity; one NaN pattern a sign (OCP "E4M3FN")
  float8_e5m2,
  handle,  ///< a pointer
  none,    ///< the type of an effect
};

/// The type of a value: a kind, a width, and a number of lanes (1 for a scalar).
struct DataType {
  TypeCode code = TypeCode::none;
  std::uint8_t bits = 0;
  std::uint16_t lanes = 1;

  friend auto operator<=>(const DataType&, const DataType&) = default;

  bool is_bool() const { return code == TypeCode::boolean; }
  bool is_int() const { return code == TypeCode::integer; }
  bool is_uint() const { return code == TypeCode::unsigned_integer; }
  bool is_integer() const { return is_int() || is_uint(); }
  bool is_float8() const { return code == TypeCode::float8_e4m3 || code == TypeCode::float8_e5m2; }
  bool is_float() const { return code == TypeCode::floating || code == TypeCode::bfloat || is_float8(); }
  bool is_handle() const { return code == TypeCode::handle; }
  bool is_none() const { return code == TypeCode::none; }
  bool is_scalar() const { return lanes == 1; }
  bool is_vector() const { return lanes > 1; }
  /// int4 and float8 may be loaded, cast and stored, nothing else.
  bool is_storage_only() const { return is_float8() || (is_integer() && bits == 4); }

  DataType with_lanes(std::int64_t n) const { return {code, bits, static_cast<std::uint16_t>(n)}; }
  DataType element() const { return with_lanes(1); }
  /// Bytes of `count` elements one after another; int4 packs two in a byte, the first in the low half.
  std::int64_t bytes(std::int64_t count = 1) const {
    return is_bool() ? count * lanes : (count * lanes * bits + 7) / 8;
  }
};

inline constexpr DataType boolean{TypeCode::boolean, 1};
inline constexpr DataType int4{TypeCode::integer, 4};
inline constexpr DataType int8{TypeCode::integer, 8};
inline constexpr DataType int16{TypeCode::integer, 16};
inline constexpr DataType int32{TypeCode::integer, 32};
inline constexpr DataType int64{TypeCode::integer, 64};
inline constexpr DataType uint4{TypeCode::unsigned_integer, 4};
inline constexpr DataType uint8{TypeCode::unsigned_integer, 8};
inline constexpr DataType uint16{TypeCode::unsigned_integer, 16};
inline constexpr DataType uint32{TypeCode::unsigned_integer, 32};
inline constexpr DataType uint64{TypeCode::unsigned_integer, 64};
inline constexpr DataType float16{TypeCode::floating, 16};
inline constexpr DataType float32{TypeCode::floating, 32};
inline constexpr DataType float64{TypeCode::floating, 64};
inline constexpr DataType bfloat16{TypeCode::bfloat, 16};
inline constexpr DataType float8_e4m3{TypeCode::float8_e4m3, 8};
inline constexpr DataType float8_e5m2{TypeCode::float8_e5m2, 8};
inline constexpr DataType handle_type{TypeCode::handle, 64};
inline constexpr DataType no_type{};

/// Every scalar element type a buffer can have.
inline constexpr DataType element_types[] = {boolean, int4,    int8,     int16,       int32,      int64,
                                             uint4,   uint8,   uint16,   uint32,      uint64,     float16,
                                             float32, float64, bfloat16, float8_e4m3, float8_e5m2};

/// "float32", "int8x16", "bool", "bfloat16", "float8_e4m3", "handle", "void".
std::string to_string(DataType type);

/// The type of that name, or nothing.
std::optional<DataType> parse_data_type(std::string_view name);

}  // namespace ardea
