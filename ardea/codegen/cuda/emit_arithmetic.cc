#include "ardea/codegen/cuda/emitter.h"
#include "ardea/support/error.h"

/// Arithmetic that is never undefined: what may wrap is computed by the unsigned type, divisors and shifts
/// are guarded, conversions saturate.

namespace ardea::codegen::cuda {

namespace {

/// Computes modulo 2^n and is not promoted.
std::string wrapping_type(DataType type) { return type.bits == 64 ? "uint64_t" : "uint32_t"; }

Text infix(const Text& a, const char* sign, const Text& b, Binding binding, Binding left, Binding right) {
  return {inside(a, left) + " " + sign + " " + inside(b, right), binding};
}

const char* comparison(BinaryOp op) {
  switch (op) {
    case BinaryOp::eq: return "==";
    case BinaryOp::ne: return "!=";
    case BinaryOp::lt: return "<";
    case BinaryOp::le: return "<=";
    case BinaryOp::gt: return ">";
    default: return ">=";
  }
}

Text plain(BinaryOp op, const Text& a, const Text& b) {
  switch (op) {
    case BinaryOp::add: return infix(a, "+", b, Binding::sum, Binding::sum, Binding::product);
    case BinaryOp::sub: return infix(a, "-", b, Binding::sum, Binding::sum, Binding::product);
    case BinaryOp::mul: return infix(a, "*", b, Binding::product, Binding::product, Binding::unary);
    case BinaryOp::floor_mod:
    case BinaryOp::trunc_mod: return infix(a, "%", b, Binding::product, Binding::product, Binding::unary);
    case BinaryOp::bit_and: return infix(a, "&", b, Binding::bit_and, Binding::unary, Binding::unary);
    case BinaryOp::bit_or: return infix(a, "|", b, Binding::bit_or, Binding::unary, Binding::unary);
    case BinaryOp::bit_xor: return infix(a, "^", b, Binding::bit_xor, Binding::unary, Binding::unary);
    case BinaryOp::shift_left: return infix(a, "<<", b, Binding::shift, Binding::unary, Binding::unary);
    case BinaryOp::shift_right: return infix(a, ">>", b, Binding::shift, Binding::unary, Binding::unary);
    default: return infix(a, "/", b, Binding::product, Binding::product, Binding::unary);
  }
}

bool is_wrapping(BinaryOp op) { return op == BinaryOp::add || op == BinaryOp::sub || op == BinaryOp::mul; }
bool is_shift(BinaryOp op) { return op == BinaryOp::shift_left || op == BinaryOp::shift_right; }

/// The helper that does what C++ leaves undefined.
const char* helper_of(BinaryOp op, bool floats) {
  switch (op) {
    case BinaryOp::floor_div: return "floor_div";
    case BinaryOp::floor_mod: return "floor_mod";
    case BinaryOp::trunc_div: return "trunc_div";
    case BinaryOp::trunc_mod: return "trunc_mod";
    case BinaryOp::shift_left: return "shift_left";
    case BinaryOp::shift_right: return "shift_right";
    case BinaryOp::min: return floats ? "minimum" : "least";
    case BinaryOp::max: return floats ? "maximum" : "greatest";
    default: throw InternalError("the CUDA backend has no function for this operation");
  }
}

}  // namespace

Text Emitter::emit_unary(const Expr& e, const Unary& unary, int lane) {
  const DataType type = e.type().element();
  const Text value = emit(unary.operand, lane);
  const std::string text = inside(value, Binding::unary);
  if (unary.op == UnaryOp::logical_not || type.is_bool()) return {"!" + text, Binding::unary};
  if (unary.op == UnaryOp::bit_not)
    return c::cast_text(type_name(type), {"~" + text, Binding::unary});  // promotion sets bits above
  if (type.is_integer() && !ranges_.cannot_wrap(e))
    return c::cast_text(type_name(type), {"0u - (" + wrapping_type(type) + ")" + text, Binding::sum});
  return {text[0] == '-' ? "-(" + text + ")" : "-" + text, Binding::unary};
}

Text Emitter::emit_binary(const Expr& e, const Binary& binary, int lane) {
  const BinaryOp op = binary.op;
  const DataType type = binary.left.type().element();
  ensure(!type.is_float() || type.bits > 16,
         "the CUDA backend met arithmetic on {}, which legalise_types removes", to_string(type));
  if (op == BinaryOp::logical_and || op == BinaryOp::logical_or) return emit_logical(binary, lane);
  const bool constants = binary.left.is<IntImm>() && binary.right.is<IntImm>();
  const Text left = constants ? emit_typed(binary.left, lane) : emit(binary.left, lane),
             right = emit(binary.right, lane);
  if (is_comparison(op))
    return infix(left, comparison(op), right,
                 op == BinaryOp::eq || op == BinaryOp::ne ? Binding::equality : Binding::relation,
                 Binding::shift, Binding::shift);
  const std::string name = type_name(type);
  // A template takes both of one type, which a literal need not have.
  const auto by_helper = [&] {
    return c::call_text(fmt::format("{}<{}>", helpers_.need(helper_of(op, type.is_float())), name),
                        {left.text, right.text});
  };
  if (op == BinaryOp::min || op == BinaryOp::max) return by_helper();
  if (!type.is_integer()) return plain(op, left, right);
  if (is_wrapping(op)) {
    if (ranges_.cannot_wrap(e) || (type.is_uint() && type.bits >= 32)) return plain(op, left, right);
    return c::cast_text(name, plain(op, c::cast_text(wrapping_type(type), left), right));
  }
  if (is_integer_division(e)) {
    const bool rounds_down = op == BinaryOp::floor_div || op == BinaryOp::floor_mod;
    const bool agrees = !rounds_down || ranges_.is_not_negative(binary.left);
    // A positive divisor is neither 0 nor -1.
    return agrees && ranges_.is_positive(binary.right) ? plain(op, left, right) : by_helper();
  }
  if (!is_shift(op)) return plain(op, left, right);
  const std::optional<Interval> amount = ranges_.of(binary.right);
  if (!amount || amount->low < 0 || amount->high >= type.bits) return by_helper();
  const Text value = emit_typed(binary.left, lane);
  if (op == BinaryOp::shift_right || (type.is_uint() && type.bits >= 32)) return plain(op, value, right);
  return c::cast_text(name, plain(op, c::cast_text(wrapping_type(type), value), right));
}

/// Each conversion rounds once: what goes through two types on the way is exact in the first.
Text Emitter::emit_cast(const Text& value, DataType from, DataType to) {
  if (from == to || from.is_handle()) return value;
  helpers_.need_type(from);
  helpers_.need_type(to);
  if (from == float16) return emit_cast(c::call_text("__half2float", {value.text}), float32, to);
  if (from == bfloat16) return emit_cast(c::call_text("__bfloat162float", {value.text}), float32, to);
  if (to == bfloat16) {
    if (from == float32) return c::call_text("__float2bfloat16_rn", {value.text});
    if (from == float64) return c::call_text("__double2bfloat16", {value.text});
    const std::string kind = from.bits == 64  ? (from.is_uint() ? "ull" : "ll")
                             : from.is_uint() ? "uint"
                                              : "int";
    return c::call_text(fmt::format("__{}2bfloat16_rn", kind), {value.text});
  }
  if (to == float16) {
    if (from == float32) return c::call_text("__float2half_rn", {value.text});
    // int64 beyond 2^53 loses bits in float64, but is far above the largest float16.
    return c::call_text("__double2half", {emit_cast(value, from, float64).text});
  }
  if (to.is_bool())
    return {inside(value, Binding::shift) + (from.is_float() ? " != 0.0f" : " != 0"), Binding::equality};
  if (from.is_float() && to.is_integer())
    return c::call_text(fmt::format("{}<{}>", helpers_.need("to_integer"), type_name(to)), {value.text});
  return c::cast_text(type_name(to), value);
}

}  // namespace ardea::codegen::cuda
