#include "ardea/codegen/c/emitter.h"
#include "ardea/codegen/ranges/masks.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"
#include "ardea/support/narrow_float.h"
#include "ardea/support/overloaded.h"

/// An expression becomes a C expression, and before it the lines that compute what is used twice, what is too
/// long to read, and what must run in order.

namespace ardea::codegen::c {

namespace {

/// What a value is called in the text.
std::string value_name(const Expr& e) {
  if (const auto* load = e.as<Load>()) return load->buffer->name + "_value";
  const DataType type = e.type();
  if (type.is_bool()) return type.is_vector() ? "mask" : "holds";
  if (type.is_vector()) return "lanes";
  return type.is_float() ? "value" : type.is_handle() ? "address" : "number";
}

}  // namespace

Text Emitter::named(const std::string& wanted, DataType type, const Text& value) {
  const std::string name = frame_.names.fresh(wanted), c_type = helpers_.type(type);
  line((type.is_handle() ? c_type + " const " : "const " + c_type + " ") + name + " = " + value.text + ";");
  return {name};
}

Text Emitter::emit(const Expr& e) {
  if (is_leaf(e)) return emit_node(e);
  for (const auto& table : frame_.shared)
    if (const auto at = table.find(e); at != table.end()) return at->second;
  const std::int64_t effects_before = frame_.effects;
  Text text = emit_node(e);
  if (frame_.effects != effects_before) {
    // What has an effect runs as often as the tree mentions it, and memory read before it is stale after it.
    for (auto& table : frame_.shared) table.clear();
    return text;
  }
  const auto uses = uses_.find(e);
  const bool shared = uses != uses_.end() && uses->second > 1;
  if (is_worth_a_name(text.text, shared)) text = named(value_name(e), e.type(), text);
  if (shared) frame_.shared.back()[e] = text;
  return text;
}

Text Emitter::emit_node(const Expr& e) {
  const DataType type = e.type();
  if (type.is_bool() && type.is_vector() && !e.is<VarNode>() && !e.is<Let>() && !e.is<Call>())
    return emit_mask_node(e, 8);
  return std::visit(
      overloaded{
          [&](const IntImm& x) { return integer_literal(x.value, type, false); },
          [&](const FloatImm& x) {
            if (type == float16)
              return integer_literal(encode_narrow(x.value, narrow_format(type)), uint16, false);
            return float_literal(x.value, type);
          },
          [&](const StringImm& x) { return Text{string_literal(x.value)}; },
          [&](const VarNode&) { return Text{frame_.names.of(Var(e))}; },
          [&](const Cast& x) {
            return type.is_vector() ? emit_vector_cast(x.value, type)
                                    : emit_cast(emit_typed(x.value), x.value.type(), type);
          },
          [&](const Unary& x) { return emit_unary(e, x); },
          [&](const Binary& x) { return emit_binary(e, x); },
          [&](const Select& x) { return emit_choice(e, x.condition, x.when_true, x.when_false, false); },
          [&](const Let& x) {
            emit_let(x.var, x.value);
            return emit(x.body);
          },
          [&](const Load& x) { return emit_load(x, type); },
          [&](const Call& x) { return emit_call(e, x); },
          [&](const Ramp& x) {
            const std::vector<Text> parts = operands({x.base, x.stride});
            return call_text(helpers_.ramp(type), {parts[0].text, parts[1].text});
          },
          [&](const Broadcast& x) { return emit_broadcast(x.value, type); },
          [&](const Shuffle& x) { return emit_shuffle(x, type); },
      },
      e.variant());
}

std::vector<Text> Emitter::operands(const std::vector<Expr>& list) {
  std::vector<Text> texts;
  for (std::size_t i = 0; i < list.size(); ++i) {
    texts.push_back(list[i].defined() ? emit(list[i]) : Text{});
    if (!statement_has_effects_ || !list[i].defined() || is_leaf(list[i])) continue;
    bool effect_follows = false;
    for (std::size_t later = i + 1; later < list.size(); ++later)
      effect_follows = effect_follows || (list[later].defined() && has_effect(list[later]));
    if (effect_follows) texts.back() = named(value_name(list[i]), list[i].type(), texts.back());
  }
  return texts;
}

Text Emitter::emit_typed(const Expr& e) {
  const auto* imm = e.as<IntImm>();
  return imm != nullptr ? integer_literal(imm->value, e.type(), true) : emit(e);
}

/// Select, which evaluates both sides, and if_then_else, which evaluates the one it takes.
Text Emitter::emit_choice(const Expr& e, const Expr& condition, const Expr& when_true, const Expr& when_false,
                          bool lazy) {
  const DataType type = e.type();
  if (is_masked_already(condition, when_true, when_false)) return emit(when_true);
  if (condition.type().is_vector()) {
    const int bits = type.is_bool() ? 8 : type.bits;
    const Text mask = before_effects(emit_mask(condition, bits), bits, type.lanes);
    const std::vector<Text> sides = operands({when_true, when_false});
    return call_text(helpers_.select(type), {mask.text, sides[0].text, sides[1].text});
  }
  const bool constants = when_true.is<IntImm>() && when_false.is<IntImm>();
  const auto conditional = [&](const Text& test, const Text& a, const Text& b) -> Text {
    // An operator on bits before a question mark is read wrongly often enough for compilers to warn.
    const bool on_bits = test.binding >= Binding::bit_or && test.binding <= Binding::bit_and;
    return {inside(test, on_bits ? Binding::primary : Binding::logical_or) + " ? " +
                inside(a, Binding::logical_or) + " : " + inside(b, Binding::logical_or),
            Binding::conditional};
  };
  if (!lazy) {
    const std::vector<Text> parts = operands({condition, when_true, when_false});
    return conditional(parts[0], constants ? emit_typed(when_true) : parts[1], parts[2]);
  }
  const Text test = emit(condition);
  const std::string result = frame_.names.fresh(value_name(e));  // before the sides, which must not hide it
  Text sides[2];
  std::vector<std::string> before[2];
  for (int side = 0; side < 2; ++side)
    before[side] = captured_lines([&] {
      sides[side] = constants ? emit_typed(side == 0 ? when_true : when_false)
                              : emit(side == 0 ? when_true : when_false);
    });
  if (type.is_none()) {
    sides[0] = sides[1] = {"0"};
  } else if (before[0].empty() && before[1].empty()) {
    frame_.names.forget(result);
    return conditional(test, sides[0], sides[1]);
  }
  if (!type.is_none()) line(helpers_.type(type) + " " + result + ";");
  const std::string indent(static_cast<std::size_t>(frame_.depth) * 2 + 2, ' ');
  line("if (" + test.text + ") {");
  for (int side = 0; side < 2; ++side) {
    if (side == 1) line("} else {");
    frame_.lines.insert(frame_.lines.end(), before[side].begin(), before[side].end());
    if (!type.is_none()) frame_.lines.push_back(indent + result + " = " + sides[side].text + ";");
  }
  line("}");
  return {type.is_none() ? "0" : result};
}

/// Operators on the bits of conditions are written so, too: what they would compute in addition has no
/// effect.
Text Emitter::join_conditions(BinaryOp op, const Text& a, const Text& b) {
  if (op == BinaryOp::bit_xor) return emit_comparison(BinaryOp::ne, a, b);
  const bool is_and = op == BinaryOp::logical_and || op == BinaryOp::bit_and;
  const Binding binding = is_and ? Binding::logical_and : Binding::logical_or;
  // An `or` of `and`s is read wrongly often enough for compilers to warn.
  const auto side = [&](const Text& text) {
    return inside(text, text.binding == binding ? binding : Binding::equality);
  };
  return {side(a) + (is_and ? " && " : " || ") + side(b), binding};
}

/// `and` and `or` of scalars: the right side only where the left one does not decide.
Text Emitter::emit_logical(const Binary& binary) {
  const bool is_and = binary.op == BinaryOp::logical_and;
  const Text left = emit(binary.left);
  const std::string result = frame_.names.fresh("holds");  // before the right side, which must not hide it
  Text right;
  const std::vector<std::string> before = captured_lines([&] { right = emit(binary.right); });
  if (before.empty()) {
    frame_.names.forget(result);
    return join_conditions(binary.op, left, right);
  }
  line("bool " + result + " = " + left.text + ";");
  line(std::string("if (") + (is_and ? "" : "!") + result + ") {");
  frame_.lines.insert(frame_.lines.end(), before.begin(), before.end());
  frame_.lines.push_back(std::string(static_cast<std::size_t>(frame_.depth) * 2 + 2, ' ') + result + " = " +
                         right.text + ";");
  line("}");
  return {result};
}

}  // namespace ardea::codegen::c
