#include <algorithm>

#include "ardea/codegen/c/emitter.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

/// Vectors are those of GCC and clang: operators work lane by lane, and a comparison gives lanes of all ones
/// or all zeros, as wide as what was compared. A vector of bool has no width of its own: it is written in the
/// width that its use needs, and held in variables by lanes of 8 bits.

namespace ardea::codegen::c {

namespace {

DataType as_unsigned(DataType type) { return {TypeCode::unsigned_integer, type.bits, type.lanes}; }

const char* operator_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::add: return "+";
    case BinaryOp::sub: return "-";
    case BinaryOp::mul: return "*";
    case BinaryOp::div: return "/";
    case BinaryOp::bit_and:
    case BinaryOp::logical_and: return "&";
    case BinaryOp::bit_or:
    case BinaryOp::logical_or: return "|";
    case BinaryOp::bit_xor: return "^";
    case BinaryOp::shift_left: return "<<";
    case BinaryOp::shift_right: return ">>";
    default: return nullptr;
  }
}

/// With parentheses around every operand that has an operator, but for sums and products of floats, which
/// read as usual.
Text lane_operation(BinaryOp op, const Text& a, const Text& b) {
  const bool is_sum = op == BinaryOp::add || op == BinaryOp::sub;
  const bool is_product = op == BinaryOp::mul || op == BinaryOp::div;
  const Binding left = is_sum ? Binding::sum : is_product ? Binding::product : Binding::unary;
  const Binding right = is_sum ? Binding::product : Binding::unary;
  const Binding binding = is_sum || is_product ? left : Binding::conditional;
  return {inside(a, left) + " " + operator_of(op) + " " + inside(b, right), binding};
}

/// The amount by which every lane is shifted, where it is known and not too large.
std::optional<std::int64_t> common_amount(const Expr& e) {
  const auto* broadcast = e.as<Broadcast>();
  const auto value = broadcast != nullptr ? constant_int(broadcast->value) : std::nullopt;
  return value && *value >= 0 && *value < e.type().bits ? value : std::nullopt;
}

}  // namespace

Text Emitter::emit_vector_binary(const Expr& e, const Binary& binary) {
  const DataType type = e.type();
  const BinaryOp op = binary.op;
  const bool is_shift = op == BinaryOp::shift_left || op == BinaryOp::shift_right;
  const std::optional<std::int64_t> amount = is_shift ? common_amount(binary.right) : std::nullopt;
  if (operator_of(op) == nullptr || (is_shift && !amount)) {
    const std::vector<Text> parts = operands({binary.left, binary.right});
    return call_text(helpers_.operation(op, type), {parts[0].text, parts[1].text});
  }
  std::vector<Text> parts = amount ? std::vector{emit(binary.left), Text{std::to_string(*amount)}}
                                   : operands({binary.left, binary.right});
  const bool may_wrap =
      (op == BinaryOp::add || op == BinaryOp::sub || op == BinaryOp::mul || op == BinaryOp::shift_left) &&
      type.is_int() && !ranges_.cannot_wrap(e);
  if (!may_wrap) return lane_operation(op, parts[0], parts[1]);
  const std::string wide = helpers_.type(as_unsigned(type));
  parts[0] = cast_text(wide, parts[0]);
  if (!amount) parts[1] = cast_text(wide, parts[1]);
  return cast_text(helpers_.type(type), lane_operation(op, parts[0], parts[1]));
}

Text Emitter::convert_lanes(const Text& value, const std::string& type) {
  return call_text("__builtin_convertvector", {value.text, type});
}

Text Emitter::before_effects(const Text& mask, int bits, int lanes) {
  if (!statement_has_effects_) return mask;
  return named("mask", DataType{TypeCode::integer, static_cast<std::uint8_t>(bits)}.with_lanes(lanes), mask);
}

Text Emitter::emit_mask(const Expr& e, int bits) {
  const auto uses = uses_.find(e);
  const bool shared = uses != uses_.end() && uses->second > 1;
  // A value that is named has lanes of 8 bits.
  if (!shared && !e.is<VarNode>() && !e.is<Let>() && !e.is<Call>()) return emit_mask_node(e, bits);
  const Text held = emit(e);
  return bits == 8 ? held : convert_lanes(held, helpers_.mask_type(bits, e.type().lanes));
}

Text Emitter::emit_mask_node(const Expr& e, int bits) {
  const int lanes = e.type().lanes;
  const std::string mask =
      bits == 8 ? helpers_.type(boolean.with_lanes(lanes)) : helpers_.mask_type(bits, lanes);
  const auto widened = [&](const Text& from, int width) {
    return width == bits ? from : convert_lanes(from, mask);
  };
  const auto compared = [&](BinaryOp op, const Text& a, const Text& b, int width) {
    const std::string own = width == bits ? mask : helpers_.mask_type(width, lanes);
    return widened(cast_text(own, emit_comparison(op, a, b)), width);
  };
  if (const auto* broadcast = e.as<Broadcast>()) {
    const DataType held = DataType{TypeCode::integer, static_cast<std::uint8_t>(bits)}.with_lanes(lanes);
    return call_text(helpers_.broadcast(held), {"-" + inside(emit(broadcast->value), Binding::unary)});
  }
  if (const auto* unary = e.as<Unary>())
    return {"~" + inside(emit_mask(unary->operand, bits), Binding::unary), Binding::unary};
  if (const auto* binary = e.as<Binary>()) {
    const DataType type = binary->left.type();
    if (type.is_bool()) {
      const Text a = before_effects(emit_mask(binary->left, bits), bits, lanes);
      const Text b = emit_mask(binary->right, bits);
      if (is_comparison(binary->op)) return cast_text(mask, emit_comparison(binary->op, b, a));  // true is -1
      return lane_operation(binary->op, a, b);
    }
    const std::vector<Text> parts = operands({binary->left, binary->right});
    return compared(binary->op, parts[0], parts[1], type.bits);
  }
  if (const auto* cast = e.as<Cast>()) {
    const DataType from = cast->value.type();
    if (from.is_bool()) return emit_mask(cast->value, bits);
    const Text value = from == float16.with_lanes(lanes)
                           ? emit_cast(emit(cast->value), from, float32.with_lanes(lanes))
                           : emit(cast->value);
    return compared(BinaryOp::ne, value, {"0"}, from == float16.with_lanes(lanes) ? 32 : from.bits);
  }
  if (const auto* load = e.as<Load>()) {
    const Text bytes = emit_vector_load(*load, uint8.with_lanes(lanes));
    return compared(BinaryOp::ne, bytes, {"0"}, 8);
  }
  if (const auto* select = e.as<Select>())
    return widened(emit_choice(e, select->condition, select->when_true, select->when_false, false), 8);
  if (const auto* shuffle = e.as<Shuffle>()) return widened(emit_shuffle(*shuffle, e.type()), 8);
  throw InternalError("the C backend met a vector of bool that nothing makes");
}

Text Emitter::emit_broadcast(const Expr& value, DataType type) {
  return call_text(helpers_.broadcast(type), {emit(value).text});
}

Text Emitter::emit_shuffle(const Shuffle& shuffle, DataType type) {
  std::vector<Text> vectors = operands(shuffle.vectors);
  std::vector<std::string> lanes;  // of all vectors
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const DataType from = shuffle.vectors[i].type();
    const auto first = static_cast<std::int64_t>(lanes.size());
    const bool is_picked =
        std::any_of(shuffle.indices.begin(), shuffle.indices.end(),
                    [&](std::int64_t pick) { return pick >= first && pick < first + from.lanes; });
    if (!is_picked) {  // said, lest compilers find something unused
      line("(void)" + inside(vectors[i], Binding::unary) + ";");
      lanes.resize(lanes.size() + from.lanes);
      continue;
    }
    if (from.is_scalar()) {
      lanes.push_back(type.is_vector() && from.is_bool() ? "-" + inside(vectors[i], Binding::unary)
                                                         : inside(vectors[i], Binding::logical_or));
      continue;
    }
    if (!shuffle.vectors[i].is<VarNode>()) vectors[i] = named("lanes", from, vectors[i]);
    for (int lane = 0; lane < from.lanes; ++lane)
      lanes.push_back(vectors[i].text + "[" + std::to_string(lane) + "]");
  }
  std::vector<std::string> picked;
  for (const std::int64_t pick : shuffle.indices) picked.push_back(lanes[static_cast<std::size_t>(pick)]);
  if (type.is_vector()) return {"(" + helpers_.type(type) + "){" + join(picked, ", ") + "}"};
  if (type.is_bool() && shuffle.vectors[0].type().is_vector())
    return {picked[0] + " != 0", Binding::equality};
  return {picked[0], Binding::conditional};
}

}  // namespace ardea::codegen::c
