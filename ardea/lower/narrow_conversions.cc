#include "ardea/lower/narrow_conversions.h"

#include <cmath>

#include "ardea/ir/intrinsics.h"
#include "ardea/support/error.h"
#include "ardea/support/narrow_float.h"

namespace ardea::lower {

namespace {

Expr bits_and(const Expr& a, const Expr& b) { return make_binary(BinaryOp::bit_and, a, b); }
Expr bits_or(const Expr& a, const Expr& b) { return make_binary(BinaryOp::bit_or, a, b); }
Expr shift_left(const Expr& a, int bits) {
  return make_binary(BinaryOp::shift_left, a, make_int(bits, a.type()));
}
Expr shift_right(const Expr& a, int bits) {
  return make_binary(BinaryOp::shift_right, a, make_int(bits, a.type()));
}
Expr word(std::int64_t value, const Expr& like) {
  return make_int(value, uint32.with_lanes(like.type().lanes));
}
Expr bits_of(const Expr& single) {
  return make_call("reinterpret", uint32.with_lanes(single.type().lanes), {single});
}
Expr float_of(const Expr& bits) {
  return make_call("reinterpret", float32.with_lanes(bits.type().lanes), {bits});
}

/// Computes `value` once for all its uses in `body`.
template <class Body>
Expr with(const char* name, const Expr& value, const Body& body) {
  if (value.is<VarNode>()) return body(value);
  const Var var(name, value.type());
  return make_let(var, value, body(var));
}

struct Float8 {
  int bias, mantissa_bits;
  std::int64_t overflow;  ///< the least magnitude that is no finite number
  std::int64_t nan;
};

Float8 float8_of(DataType type) {
  return type.code == TypeCode::float8_e4m3 ? Float8{7, 3, 0x7f, 0x7f} : Float8{15, 2, 0x7c, 0x7e};
}

Expr decode_float8(const Expr& bits, DataType type) {
  const Float8 f = float8_of(type);
  return with("wide", make_cast(uint32.with_lanes(bits.type().lanes), bits), [&](const Expr& wide) {
    return with("magnitude", bits_and(wide, word(0x7f, wide)), [&](const Expr& magnitude) {
      const DataType single = float32.with_lanes(bits.type().lanes);
      const Expr sign = shift_left(bits_and(wide, word(0x80, wide)), 24);
      const Expr normal = shift_left(magnitude, 23 - f.mantissa_bits) + word((127 - f.bias) << 23, wide);
      // Below the smallest normal number the bits count steps of the last place.
      const double last_place = std::ldexp(1.0, 1 - f.bias - f.mantissa_bits);
      const Expr tiny = bits_of(make_cast(single, magnitude) * make_float(last_place, single));
      Expr result = make_select(magnitude < word(1 << f.mantissa_bits, wide), tiny, normal);
      if (type.code == TypeCode::float8_e5m2)
        result = make_select(equals(magnitude, word(0x7c, wide)), word(0x7f800000, wide), result);
      const std::int64_t last_number = type.code == TypeCode::float8_e5m2 ? 0x7c : 0x7e;
      result = make_select(magnitude > word(last_number, wide), word(0x7fc00000, wide), result);
      return float_of(bits_or(sign, result));
    });
  });
}

/// To the nearest multiple of 2^shift, ties to even, in units of 2^shift.
Expr rounded_shift(const Expr& x, int shift) {
  const Expr parity = bits_and(shift_right(x, shift), word(1, x));
  return shift_right(x + word((1 << (shift - 1)) - 1, x) + parity, shift);
}

Expr encode_float8(const Expr& single, DataType type) {
  const Float8 f = float8_of(type);
  return with("bits", bits_of(single), [&](const Expr& bits) {
    return with("magnitude", bits_and(bits, word(0x7fffffff, bits)), [&](const Expr& magnitude) {
      const std::int64_t rebias = (127 - f.bias) << 23;
      const Expr normal = rounded_shift(magnitude - word(rebias, bits), 23 - f.mantissa_bits);
      // Added to a number whose last place is the smallest float8, the machine's own addition rounds.
      const double anchor = std::ldexp(1.0, 23 + 1 - f.bias - f.mantissa_bits);
      const Expr sum = float_of(magnitude) + make_float(anchor, single.type());
      const Expr tiny = bits_of(sum) - bits_of(make_float(anchor, single.type()));
      const Expr finite = make_select(magnitude < word(rebias + (1 << 23), bits), tiny, normal);
      return with("rounded", finite, [&](const Expr& rounded) {
        Expr result = make_select(rounded >= word(f.overflow, bits), word(f.overflow, bits), rounded);
        result = make_select(magnitude > word(0x7f800000, bits), word(f.nan, bits), result);
        const Expr sign = bits_and(shift_right(bits, 24), word(0x80, bits));
        return make_cast(uint8.with_lanes(single.type().lanes), bits_or(sign, result));
      });
    });
  });
}

Expr encode_bfloat(const Expr& single) {
  return with("bits", bits_of(single), [&](const Expr& bits) {
    const Expr is_nan = bits_and(bits, word(0x7fffffff, bits)) > word(0x7f800000, bits);
    const Expr nan = bits_or(bits_and(shift_right(bits, 16), word(0x8000, bits)), word(0x7fc0, bits));
    return make_cast(uint16.with_lanes(single.type().lanes),
                     make_select(is_nan, nan, rounded_shift(bits, 16)));
  });
}

/// A float64 that rounds to a narrow type as the integer does: beyond 2^53 the bits that would be lost leave
/// a sticky one.
Expr sticky_float64(const Expr& integer) {
  const DataType type = integer.type(), real = float64.with_lanes(type.lanes);
  if (type.bits < 64) return make_cast(real, integer);
  return with("whole", integer, [&](const Expr& whole) {
    const auto constant = [&](std::int64_t value) { return make_int(value, type); };
    const Expr lost = bits_and(whole, constant(0x7ff));
    const Expr kept = make_binary(BinaryOp::sub, whole, lost);
    const Expr sticky = make_select(equals(lost, constant(0)), constant(0), constant(0x800));
    Expr exact = whole < constant(std::int64_t{1} << 53);
    if (type.is_int())
      exact = make_binary(BinaryOp::bit_and, exact, whole > constant(-(std::int64_t{1} << 53)));
    return make_cast(real, make_select(exact, whole, bits_or(kept, sticky)));
  });
}

/// A float32 that rounds to a narrow type as the value does.
Expr as_float32(const Expr& value) {
  const DataType type = value.type(), single = float32.with_lanes(type.lanes);
  if (type.is_float() && type.bits <= 32) return make_cast(single, value);
  if (type.is_float()) return round_to_odd_float32(value);
  if (type.is_bool() || type.bits <= 16) return make_cast(single, value);
  return round_to_odd_float32(sticky_float64(value));
}

}  // namespace

DataType bits_type(DataType type) { return (type.bits == 8 ? uint8 : uint16).with_lanes(type.lanes); }

Expr decode_bits(const Expr& bits, DataType type) {
  if (type.is_float8()) return decode_float8(bits, type);
  return float_of(shift_left(make_cast(uint32.with_lanes(bits.type().lanes), bits), 16));
}

Expr encode_bits(const Expr& value, DataType type) {
  const Expr single = as_float32(value);
  return type.is_float8() ? encode_float8(single, type) : encode_bfloat(single);
}

Expr round_to_odd_float32(const Expr& value) {
  const DataType single = float32.with_lanes(value.type().lanes);
  return with("exact", value, [&](const Expr& exact) {
    return with("nearest", make_cast(single, exact), [&](const Expr& nearest) {
      const Expr back = make_cast(exact.type(), nearest);
      const Expr too_far = make_call("abs", {back}) > make_call("abs", {exact});
      const Expr bits = bits_of(nearest);
      const Expr truncated = bits - make_cast(bits.type(), too_far);
      // NaN differs from itself, and stays as it is.
      const Expr inexact = make_binary(BinaryOp::bit_and, not_equals(back, exact), equals(exact, exact));
      return make_select(inexact, float_of(bits_or(truncated, word(1, bits))), nearest);
    });
  });
}

}  // namespace ardea::lower
