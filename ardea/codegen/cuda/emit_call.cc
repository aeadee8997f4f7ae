#include "ardea/codegen/c/math_functions.h"
#include "ardea/codegen/cuda/emitter.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::codegen::cuda {

Text Emitter::emit_call(const Expr& e, const Call& call, int lane) {
  const std::string& name = call.op->name;
  const std::vector<Expr>& arguments = call.arguments;
  const DataType type = e.type().element();
  if (name == "if_then_else") return emit_choice(e, arguments[0], arguments[1], arguments[2], lane);
  if (name == "reinterpret") return emit_reinterpret(arguments[0], e.type(), lane);
  if (name == "likely") return emit(arguments[0], lane);
  if (name == "prefetch") return {""};  // a hint
  if (name == "barrier") {
    const bool of_warp = arguments[0].as<StringImm>()->value == "warp";
    if (fenced_barriers_.contains(e)) return {helpers_.need("sync_with_fence") + "()"};
    return {of_warp ? "__syncwarp()" : "__syncthreads()"};
  }
  if (name == "shuffle_down")
    return c::call_text("__shfl_down_sync", {"0xffffffffu", emit(arguments[0], lane).text,
                                             emit(arguments[1]).text, emit(arguments[2]).text});
  if (name == "tensor_instruction") return emit_instruction(call);
  if (name == "async_copy" || name == "async_copy_or_zero") return emit_async_copy(arguments);
  if (name == "async_copy_box") return emit_box_copy(call);
  if (name == "async_copy_window") return emit_window_copy(call);
  if (name == "async_commit") return emit_groups(helpers_.need("commit_copies") + "()", "commit()");
  if (name == "async_wait") {
    const std::int64_t left = constant_int(arguments[0]).value();
    return emit_groups(fmt::format("{}<{}>()", helpers_.need("wait_for_copies"), left),
                       fmt::format("wait({})", left));
  }
  if (name == "fail") {
    emit_fail(arguments);
    return {""};
  }
  require(call.op->effect == Effect::pure && name != "address_of" && name != "lookup",
          "{}: T.{} has no form in CUDA C++; take it out of the loops that are bound to threads",
          kernel_.name, name);
  std::vector<std::string> texts;
  for (const Expr& argument : arguments) texts.push_back(emit(argument, lane).text);
  const std::string suffix = type.bits == 32 ? "f" : "";
  if (name == "scalbn")
    return c::call_text(fmt::format("{}<{}>", helpers_.need("scaled"), type_name(type)), texts);
  if (name == "abs" && type.is_float()) return c::call_text("fabs" + suffix, texts);
  if (name == "abs")
    return c::call_text(fmt::format("{}<{}>", helpers_.need("absolute"), type_name(type)), texts);
  if (name == "clz" || name == "popcount")
    return c::call_text(
        fmt::format("{}<{}>", helpers_.need(name == "clz" ? "leading_zeros" : "one_bits"), type_name(type)),
        texts);
  ensure(c::is_math_function(name),
         "the CUDA backend has no form for T.{}, which lower_intrinsics must express by others", name);
  return c::call_text(name + suffix, texts);
}

/// The sentence goes to the host's output, and the launch ends with an error.
void Emitter::emit_fail(const std::vector<Expr>& arguments) {
  const std::string& sentence = arguments[0].as<StringImm>()->value;
  std::string format;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    const std::string_view rest = std::string_view(sentence).substr(i);
    const std::size_t hole = rest.starts_with("{}") ? 2 : rest.starts_with("{type}") ? 6 : 0;
    if (hole > 0) {
      format += "%lld";
      i += hole - 1;
    } else {
      format += sentence[i] == '%' ? "%%" : std::string(1, sentence[i]);
    }
  }
  std::vector<std::string> values = {c::string_literal(format + "\n")};
  for (std::size_t i = 1; i < arguments.size(); ++i)
    values.push_back(c::cast_text("long long", emit(arguments[i])).text);
  line("printf(" + join(values, ", ") + ");");
  line("__trap();");
}

Text Emitter::emit_reinterpret(const Expr& source, DataType to, int lane) {
  const DataType from = source.type();
  require(from.lanes == to.lanes,
          "{}: T.reinterpret from {} to {} changes the lanes, which CUDA C++ does not get", kernel_.name,
          to_string(from), to_string(to));
  const Text value = emit(source, lane);
  if (from == to) return value;
  if (from.is_bool()) return c::cast_text(type_name(to.element()), value);
  if (to.is_bool()) return {inside(value, Binding::shift) + " != 0", Binding::equality};
  helpers_.need_type(from);
  helpers_.need_type(to);
  return c::call_text(
      fmt::format("{}<{}, {}>", helpers_.need("bits_of"), type_name(to.element()), type_name(from.element())),
      {value.text});
}

}  // namespace ardea::codegen::cuda
