#include "ardea/codegen/c/emitter.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/runtime/abi.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

/// The two edges of generated code (runtime/abi.h): how it reads what it is called with, and how it calls
/// out.

namespace ardea::codegen::c {

Text Emitter::emit_abi(const std::string& name, DataType type, const std::vector<Expr>& arguments) {
  const std::vector<Text> parts = operands(arguments);
  const auto element = [&](const std::string& array, const Text& index) {
    return Text{array + "[" + index.text + "]"};
  };
  if (name == "abi_argument_count") return emit_cast({"count"}, int32, type);
  if (name == "abi_type_code") return emit_cast(element("type_codes", parts[0]), int32, type);
  if (name == "abi_argument") {
    // Integers and floats are 64 bits wide in the packed form, whatever the program's type.
    const std::string slot = element("arguments", parts[0]).text;
    if (type.is_handle()) return {slot + ".as_pointer"};
    return type.is_float() ? emit_cast({slot + ".as_float"}, float64, type)
                           : emit_cast({slot + ".as_int"}, int64, type);
  }
  const std::string handle = parts[0].text;
  if (name == "abi_tensor_data") return call_text(helpers_.abi("tensor_data"), {handle});
  if (name == "abi_tensor_type")
    return emit_cast(call_text(helpers_.abi("tensor_type"), {handle}), uint32, type);
  if (name == "abi_tensor_stride")
    return emit_cast(call_text(helpers_.abi("tensor_stride"), {handle, parts[1].text}), int64, type);
  const std::string tensor = call_text(helpers_.abi("tensor_of"), {handle}).text;
  if (name == "abi_tensor_rank") return emit_cast({tensor + "->ndim"}, int32, type);
  ensure(name == "abi_tensor_shape", "the C backend does not know the intrinsic T.{}", name);
  return emit_cast(element(tensor + "->shape", parts[1]), int64, type);
}

Text Emitter::emit_fail(const std::vector<Expr>& arguments) {
  const auto* sentence = arguments.empty() ? nullptr : arguments[0].as<StringImm>();
  require(sentence != nullptr, "{}: T.fail: the first argument must be the sentence as a string", name_);
  const std::vector<Expr> numbers(arguments.begin() + 1, arguments.end());
  std::vector<std::string> report = {string_literal(sentence->value)};
  for (const Text& number : operands(numbers)) report.push_back(number.text);
  emit_failure(
      call_text(numbers.empty() ? helpers_.abi("fail") : helpers_.fail_with(numbers.size()), report).text);
  ++frame_.effects;
  return {"0"};
}

Text Emitter::emit_call_registered(const Expr& e, const std::vector<Expr>& arguments) {
  const auto* name = arguments.empty() ? nullptr : arguments[0].as<StringImm>();
  require(name != nullptr,
          "{}: T.call_registered: the first argument must be the function's name as a string", name_);
  const DataType type = e.type();
  require(type.is_scalar() || type.is_none(), "{}: T.call_registered({}): the result is {}, must be a scalar",
          name_, in_quotes(name->value), to_string(type));
  const std::vector<Expr> given(arguments.begin() + 1, arguments.end());
  const std::vector<Text> texts = operands(given);
  std::vector<std::string> values, codes;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const DataType kind = given[i].type();
    require(kind.is_scalar() && !kind.is_none(),
            "{}: T.call_registered({}): argument {} is {}, must be a scalar", name_, in_quotes(name->value),
            i + 1, to_string(kind));
    const bool is_text = given[i].is<StringImm>();
    const char* const field = is_text            ? ".as_string = "
                              : kind.is_float()  ? ".as_float = "
                              : kind.is_handle() ? ".as_pointer = "
                                                 : ".as_int = ";
    const Text value = kind == float16                     ? emit_cast(texts[i], float16, float64)
                       : kind.is_handle() && !is_text      ? cast_text("void*", texts[i])
                       : kind.is_uint() && kind.bits == 64 ? cast_text("int64_t", texts[i])
                                                           : texts[i];
    values.push_back(std::string("{") + field + value.text + "}");
    codes.emplace_back(is_text            ? "ARDEA_STRING"
                       : kind.is_float()  ? "ARDEA_FLOAT"
                       : kind.is_handle() ? "ARDEA_HANDLE"
                                          : "ARDEA_INT");
  }
  const std::string result = frame_.names.fresh("answer"), code = frame_.names.fresh("answer_code");
  line("ArdeaValue " + result + " = {.as_int = 0};");
  line("int32_t " + code + " = ARDEA_NULL;");
  const std::string packed = given.empty()
                                 ? "NULL, NULL"
                                 : fmt::format("(const ArdeaValue[]){{{}}}, (const int32_t[]){{{}}}",
                                               join(values, ", "), join(codes, ", "));
  emit_guarded(fmt::format("ardea_call_registered({}, {}, {}, &{}, &{}) != 0", string_literal(name->value),
                           packed, given.size(), result, code),
               [&] { emit_failure(""); });
  ++frame_.effects;
  if (type.is_none()) return {"0"};

  // An integer given back where a float is wanted is that float; anything else of another kind is an error.
  const std::string wanted = type.is_float() ? fmt::format("{0} != ARDEA_FLOAT && {0} != ARDEA_INT", code)
                             : type.is_handle()
                                 ? fmt::format("{0} != ARDEA_HANDLE && {0} != ARDEA_NULL", code)
                                 : code + " != ARDEA_INT";
  emit_guarded(wanted, [&] {
    emit_failure(
        helpers_.abi("fail") + "(" +
        string_literal(fmt::format(
            "{}: T.call_registered({}) must give back {}, but the registered function gave something else",
            name_, in_quotes(name->value), to_string(type))) +
        ")");
  });
  if (type.is_handle()) return {result + ".as_pointer"};
  const Text integer = emit_cast({result + ".as_int"}, int64, type);
  if (!type.is_float()) return integer;
  const Text real = emit_cast({result + ".as_float"}, float64, type);
  return {code + " == ARDEA_INT ? " + integer.text + " : " + real.text, Binding::conditional};
}

}  // namespace ardea::codegen::c
