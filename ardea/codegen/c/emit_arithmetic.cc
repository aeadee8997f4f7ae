#include "ardea/codegen/c/emitter.h"
#include "ardea/support/error.h"

/// Arithmetic that is never undefined in C. Signed integers wrap in Ardea and must not overflow in C: what
/// may wrap is computed by the unsigned type, what the ranges prove not to wrap is written as it is.

namespace ardea::codegen::c {

Text Emitter::emit_unary(const Expr& e, const Unary& unary) {
  const DataType type = e.type();
  const Text value = emit(unary.operand);
  const std::string text = inside(value, Binding::unary);
  if (unary.op == UnaryOp::logical_not || type.is_bool()) return {"!" + text, Binding::unary};
  if (unary.op == UnaryOp::bit_not) {
    const bool is_promoted = type.is_scalar() && type.is_uint() && type.bits < 32;
    if (!is_promoted) return {"~" + text, Binding::unary};
    return {(type.bits == 8 ? "0xff - " : "0xffff - ") + text, Binding::sum};  // ~ would set bits above
  }
  const bool wraps = type.is_integer() && !ranges_.cannot_wrap(e);
  if (!wraps) return {text[0] == '-' ? "-(" + text + ")" : "-" + text, Binding::unary};
  const std::string wide =
      type.is_vector() ? helpers_.type(DataType{TypeCode::unsigned_integer, type.bits}.with_lanes(type.lanes))
                       : wrapping_type(type.bits);
  if (type.is_vector()) return cast_text(helpers_.type(type), {"(-(" + wide + ")" + text + ")"});
  return cast_text(helpers_.type(type), {"0u - (" + wide + ")" + text, Binding::sum});
}

Text Emitter::emit_comparison(BinaryOp op, const Text& a, const Text& b) {
  const bool equality = op == BinaryOp::eq || op == BinaryOp::ne;
  const char* const sign = op == BinaryOp::eq   ? " == "
                           : op == BinaryOp::ne ? " != "
                           : op == BinaryOp::lt ? " < "
                           : op == BinaryOp::le ? " <= "
                           : op == BinaryOp::gt ? " > "
                                                : " >= ";
  return {inside(a, Binding::shift) + sign + inside(b, Binding::shift),
          equality ? Binding::equality : Binding::relation};
}

namespace {

Text infix(const Text& a, const char* sign, const Text& b, Binding binding, Binding left, Binding right) {
  return {inside(a, left) + " " + sign + " " + inside(b, right), binding};
}

Text sum_or_product(BinaryOp op, const Text& a, const Text& b) {
  switch (op) {
    case BinaryOp::add: return infix(a, "+", b, Binding::sum, Binding::sum, Binding::product);
    case BinaryOp::sub: return infix(a, "-", b, Binding::sum, Binding::sum, Binding::product);
    case BinaryOp::mul: return infix(a, "*", b, Binding::product, Binding::product, Binding::unary);
    default: return infix(a, "/", b, Binding::product, Binding::product, Binding::unary);
  }
}

bool is_wrapping(BinaryOp op) { return op == BinaryOp::add || op == BinaryOp::sub || op == BinaryOp::mul; }

}  // namespace

Text Emitter::emit_binary(const Expr& e, const Binary& binary) {
  const BinaryOp op = binary.op;
  const DataType type = binary.left.type();
  ensure(!type.is_float() || type.bits > 16,
         "the C backend met arithmetic on {}, which legalise_types removes", to_string(type));
  if (type.is_vector()) return emit_vector_binary(e, binary);
  if (op == BinaryOp::logical_and || op == BinaryOp::logical_or) return emit_logical(binary);
  if (type.is_integer() && is_wrapping(op)) return emit_wrapping(e, binary);
  if (op == BinaryOp::shift_left || op == BinaryOp::shift_right) return emit_shift(e, binary);
  if (op == BinaryOp::floor_div || op == BinaryOp::floor_mod || op == BinaryOp::trunc_div ||
      op == BinaryOp::trunc_mod)
    return emit_division(e, binary);

  const std::vector<Text> parts = operands({binary.left, binary.right});
  if (is_comparison(op)) return emit_comparison(op, parts[0], parts[1]);
  if (type.is_bool()) return join_conditions(op, parts[0], parts[1]);
  switch (op) {
    case BinaryOp::min:
    case BinaryOp::max: return call_text(helpers_.operation(op, type), {parts[0].text, parts[1].text});
    case BinaryOp::bit_and:
      return infix(parts[0], "&", parts[1], Binding::bit_and, Binding::unary, Binding::unary);
    case BinaryOp::bit_or:
      return infix(parts[0], "|", parts[1], Binding::bit_or, Binding::unary, Binding::unary);
    case BinaryOp::bit_xor:
      return infix(parts[0], "^", parts[1], Binding::bit_xor, Binding::unary, Binding::unary);
    default: return sum_or_product(op, parts[0], parts[1]);
  }
}

/// + - * of integers.
Text Emitter::emit_wrapping(const Expr& e, const Binary& binary) {
  const DataType type = e.type();
  const bool plain = ranges_.cannot_wrap(e) || (type.is_uint() && type.bits >= 32);
  if (plain || statement_has_effects_) {
    std::vector<Text> parts = operands({binary.left, binary.right});
    if (binary.left.is<IntImm>() && binary.right.is<IntImm>()) parts[0] = emit_typed(binary.left);
    if (plain) return sum_or_product(binary.op, parts[0], parts[1]);
    parts[0] = cast_text(wrapping_type(type.bits), parts[0]);
    return cast_text(helpers_.type(type), sum_or_product(binary.op, parts[0], parts[1]));
  }
  const Text sum = sum_or_product(binary.op, emit_modulo(binary.left), emit(binary.right));
  return cast_text(helpers_.type(type), sum);
}

/// The value as the unsigned type: of operations that follow on each other only the last one is cast back.
Text Emitter::emit_modulo(const Expr& e) {
  const DataType type = e.type();
  const auto* binary = e.as<Binary>();
  const auto uses = uses_.find(e);
  const bool goes_on = binary != nullptr && is_wrapping(binary->op) && type.bits >= 32 &&
                       !ranges_.cannot_wrap(e) && uses != uses_.end() && uses->second == 1;
  if (!goes_on) return cast_text(wrapping_type(type.bits), emit(e));
  const Text sum = sum_or_product(binary->op, emit_modulo(binary->left), emit(binary->right));
  constexpr std::size_t longest_sum = 120;
  return sum.text.size() > longest_sum ? named("number", type.bits == 64 ? uint64 : uint32, sum) : sum;
}

Text Emitter::emit_division(const Expr& e, const Binary& binary) {
  const DataType type = e.type();
  std::vector<Text> parts = operands({binary.left, binary.right});
  const bool flooring = binary.op == BinaryOp::floor_div || binary.op == BinaryOp::floor_mod;
  const bool agrees_with_c = !flooring || ranges_.is_not_negative(binary.left);
  // A positive divisor is neither 0 nor -1.
  if (!agrees_with_c || !ranges_.is_positive(binary.right))
    return call_text(helpers_.operation(binary.op, type), {parts[0].text, parts[1].text});
  if (binary.left.is<IntImm>() && binary.right.is<IntImm>()) parts[0] = emit_typed(binary.left);
  const bool quotient = binary.op == BinaryOp::floor_div || binary.op == BinaryOp::trunc_div;
  return infix(parts[0], quotient ? "/" : "%", parts[1], Binding::product, Binding::product, Binding::unary);
}

Text Emitter::emit_shift(const Expr& e, const Binary& binary) {
  const DataType type = e.type();
  const std::optional<Interval> amount = ranges_.of(binary.right);
  std::vector<Text> parts = operands({binary.left, binary.right});
  const bool left = binary.op == BinaryOp::shift_left;
  if (!amount || amount->low < 0 || amount->high >= type.bits)
    return call_text(helpers_.operation(binary.op, type), {parts[0].text, parts[1].text});
  if (amount->low == amount->high) parts[1] = {std::to_string(amount->low)};
  const bool as_it_is = !left || (type.is_uint() && type.bits >= 32);
  const Text value = binary.left.is<IntImm>() ? emit_typed(binary.left) : parts[0];
  if (as_it_is)
    return infix(value, left ? "<<" : ">>", parts[1], Binding::shift, Binding::unary, Binding::unary);
  const Text wide = cast_text(wrapping_type(type.bits), value);
  return cast_text(helpers_.type(type),
                   infix(wide, "<<", parts[1], Binding::shift, Binding::unary, Binding::unary));
}

}  // namespace ardea::codegen::c
