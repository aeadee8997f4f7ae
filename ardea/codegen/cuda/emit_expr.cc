#include "ardea/codegen/cuda/emitter.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/support/error.h"
#include "ardea/support/narrow_float.h"
#include "ardea/support/overloaded.h"

/// An expression becomes a C++ expression, a lane at a time, and before it the lines that compute what is
/// used twice and what is too long to read.

namespace ardea::codegen::cuda {

namespace {

std::string value_name(const Expr& e) {
  if (const auto* load = e.as<Load>()) return load->buffer->name + "_value";
  const DataType type = e.type();
  return type.is_bool() ? "holds" : type.is_float() ? "value" : type.is_handle() ? "address" : "number";
}

}  // namespace

Expr lane_of(const Ramp& ramp, int lane) {
  if (lane == 0) return ramp.base;
  const DataType type = ramp.base.type();
  if (const auto step = constant_int(ramp.stride)) return ramp.base + make_int(*step * lane, type);
  return ramp.base + ramp.stride * make_int(lane, type);
}

Text Emitter::named(const std::string& wanted, DataType type, const Text& value) {
  const std::string name = names_.fresh(wanted);
  line(fmt::format("const {} {} = {};", type_name(type.element()), name, value.text));
  return {name};
}

Text Emitter::emit(const Expr& e, int lane) {
  if (e.type().is_scalar()) lane = 0;
  if (c::is_leaf(e)) return emit_node(e, lane);
  if (const Text* before = known(e, lane)) return *before;
  Text text = emit_node(e, lane);
  if (e.type().is_none()) return text;
  const auto uses = uses_.find(e);
  const bool shared = uses != uses_.end() && uses->second > 1;
  if (c::is_worth_a_name(text.text, shared)) text = named(value_name(e), e.type(), text);
  if (shared) known_.back()[e][lane] = text;
  return text;
}

const Text* Emitter::known(const Expr& e, int lane) const {
  for (const auto& table : known_)
    if (const auto at = table.find(e); at != table.end())
      if (const auto text = at->second.find(lane); text != at->second.end()) return &text->second;
  return nullptr;
}

Text Emitter::emit_node(const Expr& e, int lane) {
  const DataType type = e.type().element();
  return std::visit(
      overloaded{
          [&](const IntImm& x) { return c::integer_literal(x.value, type, false); },
          [&](const FloatImm& x) {
            if (type.bits > 16) return c::float_literal(x.value, type);
            helpers_.need_type(type);
            return Text{fmt::format("{}({:#x})",
                                    type == float16 ? "__ushort_as_half" : "__ushort_as_bfloat16",
                                    encode_narrow(x.value, narrow_format(type)))};
          },
          [&](const StringImm& x) { return Text{c::string_literal(x.value)}; },
          [&](const VarNode&) {
            const std::string& name = names_.of(Var(e));
            return Text{e.type().is_vector() ? fmt::format("{}[{}]", name, lane) : name};
          },
          [&](const Cast& x) { return emit_cast(emit_typed(x.value, lane), x.value.type().element(), type); },
          [&](const Unary& x) { return emit_unary(e, x, lane); },
          [&](const Binary& x) { return emit_binary(e, x, lane); },
          [&](const Select& x) { return emit_choice(e, x.condition, x.when_true, x.when_false, lane); },
          [&](const Let& x) {
            constexpr int definition = -1;  // one for all lanes
            if (known(e, definition) == nullptr) {
              emit_let(x.var, x.value);
              known_.back()[e][definition] = {};
            }
            return emit(x.body, lane);
          },
          [&](const Load& x) { return emit_load(e, x, lane); },
          [&](const Call& x) { return emit_call(e, x, lane); },
          [&](const Ramp& x) { return emit(lane_of(x, lane)); },
          [&](const Broadcast& x) { return emit(x.value); },
          [&](const Shuffle& x) {
            std::int64_t from = x.indices[static_cast<std::size_t>(lane)];
            for (const Expr& vector : x.vectors) {
              if (from < vector.type().lanes) return emit(vector, static_cast<int>(from));
              from -= vector.type().lanes;
            }
            throw InternalError("the CUDA backend met a shuffle of a lane that is not there");
          },
      },
      e.variant());
}

Text Emitter::emit_typed(const Expr& e, int lane) {
  const auto* imm = e.as<IntImm>();
  return imm != nullptr ? c::integer_literal(imm->value, e.type(), true) : emit(e, lane);
}

/// Only the side that is taken is evaluated: what it computes before stands in a block of its own.
Text Emitter::lazy_choice(DataType type, const std::string& test, const std::function<Text()>& when_true,
                          const std::function<Text()>& when_false) {
  const std::string result = names_.fresh("value");  // before the sides, which must not hide it
  Text sides[2];
  std::vector<std::string> before[2];
  for (int side = 0; side < 2; ++side)
    before[side] = captured_lines([&] { sides[side] = side == 0 ? when_true() : when_false(); });
  if (before[0].empty() && before[1].empty()) {
    names_.forget(result);
    return {
        test + " ? " + inside(sides[0], Binding::logical_or) + " : " + inside(sides[1], Binding::logical_or),
        Binding::conditional};
  }
  line(type_name(type) + " " + result + ";");
  const std::string indent(static_cast<std::size_t>(depth_) * 2 + 2, ' ');
  line("if (" + test + ") {");
  for (int side = 0; side < 2; ++side) {
    if (side == 1) line("} else {");
    add_lines(before[side]);
    lines_.push_back(indent + result + " = " + sides[side].text + ";");
  }
  line("}");
  return {result};
}

Text Emitter::emit_choice(const Expr& e, const Expr& condition, const Expr& when_true, const Expr& when_false,
                          int lane) {
  const Text test = emit(condition, lane);
  return lazy_choice(
      e.type().element(), inside(test, Binding::logical_or), [&] { return emit_typed(when_true, lane); },
      [&] { return emit_typed(when_false, lane); });
}

/// `and` and `or`: the right side only where the left one does not decide, unless it may be computed
/// anywhere.
Text Emitter::emit_logical(const Binary& binary, int lane) {
  const bool is_and = binary.op == BinaryOp::logical_and;
  const auto joined = [&](const Text& left, const Text& right) -> Text {
    const Binding binding = is_and ? Binding::logical_and : Binding::logical_or;
    const auto side = [&](const Text& text) {
      return inside(text, text.binding == binding ? binding : Binding::equality);
    };
    return {side(left) + (is_and ? " && " : " || ") + side(right), binding};
  };
  const Text left = emit(binary.left, lane);
  // A branch costs more than a few sums, and the compiler moves nothing out of it.
  if (movable_.anywhere(binary.right)) return joined(left, emit(binary.right, lane));
  const std::string result = names_.fresh("holds");
  Text right;
  const std::vector<std::string> before = captured_lines([&] { right = emit(binary.right, lane); });
  if (before.empty()) {
    names_.forget(result);
    return joined(left, right);
  }
  line("bool " + result + " = " + left.text + ";");
  line(std::string("if (") + (is_and ? "" : "!") + result + ") {");
  add_lines(before);
  lines_.push_back(std::string(static_cast<std::size_t>(depth_) * 2 + 2, ' ') + result + " = " + right.text +
                   ";");
  line("}");
  return {result};
}

}  // namespace ardea::codegen::cuda
