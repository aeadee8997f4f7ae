#include "ardea/codegen/c/emitter.h"
#include "ardea/support/error.h"

/// Conversions between types. Each rounds once: what goes through two types on the way is exact in the first.

namespace ardea::codegen::c {

/// Vectors but those of bool.
Text Emitter::emit_cast(const Text& value, DataType from, DataType to) {
  ensure(from.lanes == to.lanes, "a cast from {} to {} changes the lanes", to_string(from), to_string(to));
  if (from == to || from.is_handle()) return value;
  const bool from_half = from.is_float() && from.bits == 16, to_half = to.is_float() && to.bits == 16;
  const DataType single = float32.with_lanes(from.lanes), wide = float64.with_lanes(from.lanes);
  const auto converted = [&](const Text& x, DataType type) {
    return call_text(helpers_.conversion(type, to), {x.text});
  };
  if (from_half) {
    const Text x = call_text(helpers_.conversion(from, single), {value.text});
    return emit_cast(x, single, to);
  }
  if (to_half && from == single) return converted(value, single);
  // Through float64: int64 beyond 2^53 loses bits there, but is far above the largest float16.
  if (to_half) return converted(emit_cast(value, from, wide), wide);
  if (to.is_bool()) return emit_comparison(BinaryOp::ne, value, {from.is_float() ? "0.0f" : "0"});
  if (from.is_float() && to.is_integer()) return converted(value, from);
  return to.is_vector() ? convert_lanes(value, helpers_.type(to)) : cast_text(helpers_.type(to), value);
}

Text Emitter::emit_vector_cast(const Expr& value, DataType to) {
  const DataType from = value.type();
  if (!from.is_bool()) return emit_cast(emit(value), from, to);
  // A lane that is true is -1.
  const int bits = to.is_integer() ? to.bits : 32;
  const DataType counted = DataType{TypeCode::integer, static_cast<std::uint8_t>(bits)}.with_lanes(to.lanes);
  const Text ones{"-" + inside(emit_mask(value, bits), Binding::unary), Binding::unary};
  if (to == counted) return ones;
  if (to.is_uint()) return cast_text(helpers_.type(to), ones);
  return emit_cast(ones, counted, to);
}

}  // namespace ardea::codegen::c
