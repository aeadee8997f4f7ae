#include "ardea/codegen/c/emitter.h"
#include "ardea/codegen/c/math_functions.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/support/error.h"

namespace ardea::codegen::c {

Text Emitter::emit_call(const Expr& e, const Call& call) {
  const std::string& name = call.op->name;
  const std::vector<Expr>& arguments = call.arguments;
  if (name.starts_with("abi_")) return emit_abi(name, e.type(), arguments);
  if (name == "tensor_instruction") return emit_instruction(call);
  if (name == "call_registered") return emit_call_registered(e, arguments);
  if (name == "fail") return emit_fail(arguments);
  if (name == "if_then_else") return emit_choice(e, arguments[0], arguments[1], arguments[2], true);
  if (name == "reinterpret") return emit_reinterpret(arguments[0], e.type());
  if (name == "address_of") return emit_address(*arguments[0].as<Load>());
  if (name == "prefetch")
    return call_text("__builtin_prefetch", {operands(arguments)[0].text, operands(arguments)[1].text});
  require(call.op->effect == Effect::pure,
          "{}: T.{} has no meaning on the cpu target {}; run the program by the interpreter", name_, name,
          target_.name);
  const DataType operand = arguments.at(0).type();
  ensure(!operand.is_float() || operand.bits > 16 || name == "likely",
         "the C backend met T.{} of {}, which legalise_types removes", name, to_string(operand));
  if (name == "lookup") {
    const std::vector<Text> values = operands(arguments);
    return call_text(helpers_.lookup(operand, arguments[1].type()), {values[0].text, values[1].text});
  }
  return emit_pure_call(name, e.type(), operands(arguments));
}

Text Emitter::emit_pure_call(const std::string& name, DataType type, const std::vector<Text>& values) {
  std::vector<std::string> texts;
  for (const Text& value : values) texts.push_back(value.text);
  if (name == "likely") return values[0];
  if (name == "scalbn") return call_text(helpers_.scaled(type), texts);
  if (name == "abs" && type.is_float() && type.is_vector()) {
    const DataType bits = DataType{TypeCode::unsigned_integer, type.bits, type.lanes};
    const char* const all_but_sign = type.bits == 32 ? "0x7fffffffu" : "UINT64_C(0x7fffffffffffffff)";
    return cast_text(
        helpers_.type(type),
        {cast_text(helpers_.type(bits), values[0]).text + " & " + all_but_sign, Binding::bit_and});
  }
  if (name == "abs" && type.is_float()) return call_text(type.bits == 32 ? "fabsf" : "fabs", texts);
  if (name == "abs") return type.is_int() ? call_text(helpers_.absolute(type), texts) : values[0];
  if (name == "clz" || name == "popcount") return call_text(helpers_.count_bits(name, type), texts);
  if (is_math_function(name))
    return call_text(helpers_.math(name, static_cast<int>(texts.size()), type), texts);
  throw InternalError("the C backend has no form for T." + name +
                      ", which lower_intrinsics must express by others");
}

Text Emitter::emit_reinterpret(const Expr& source, DataType to) {
  const DataType from = source.type();
  const Text value = emit(source);
  if (from.is_handle() && !to.is_handle()) return cast_text(helpers_.type(to), cast_text("intptr_t", value));
  if (to.is_handle() && !from.is_handle()) return cast_text("void*", cast_text("intptr_t", value));
  if (from == to) return value;
  // In memory a bool is a byte, 0 or 1, and any other byte is true.
  const auto bytes = [](DataType type) { return type.is_bool() ? uint8.with_lanes(type.lanes) : type; };
  Text held = value;
  if (from.is_bool())
    held = from.is_vector() ? emit_vector_cast(source, bytes(from)) : cast_text("uint8_t", value);
  if (bytes(from) != bytes(to)) {
    const bool same_lanes = from.is_vector() && to.is_vector();
    held = same_lanes ? cast_text(helpers_.type(bytes(to)), held)
                      : call_text(helpers_.reinterpret(bytes(from), bytes(to)), {held.text});
  }
  if (!to.is_bool()) return held;
  const Text test = emit_comparison(BinaryOp::ne, held, {"0"});
  return to.is_vector() ? cast_text(helpers_.type(to), test) : test;
}

}  // namespace ardea::codegen::c
