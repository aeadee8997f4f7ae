#include <fmt/core.h>

#include "ardea/codegen/c/emitter.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

/// A parallel loop becomes a function of its own, int32_t loop(int64_t begin, int64_t end, void* context),
/// which the runtime's thread pool calls on chunks of the iterations. The context holds the values that the
/// body uses.

namespace ardea::codegen::c {

void Emitter::emit_parallel(const For& loop) {
  const std::string name = file_name(name_ + "_loop_" + loop.var.name());
  // Where the iterations begin is computed by each chunk.
  const std::vector<Var> captured = captured_variables(make_seq({Evaluate{loop.min}, loop.body}));
  emit_parallel_body(loop, captured, name);

  begin_statement({loop.extent});
  const Text extent = emit(loop.extent);
  std::string context = "NULL";
  if (!captured.empty()) {
    std::vector<std::string> values;
    for (const Var& var : captured) values.push_back(fmt::format(".{0} = {0}", frame_.names.of(var)));
    const std::string held = frame_.names.fresh("captured");
    line(fmt::format("struct {} {} = {{{}}};", name, held, join(values, ", ")));
    context = "&" + held;
  }
  emit_guarded(fmt::format("ardea_parallel_for({}, {}, {}) != 0", name, context, extent.text),
               [&] { emit_failure(""); });
}

void Emitter::emit_parallel_body(const For& loop, const std::vector<Var>& captured, const std::string& name) {
  Frame caller = std::move(frame_);
  frame_ = Frame(file_names_);
  frame_.is_parallel_body = true;
  std::string fields;
  line(captured.empty() ? "(void)context;" : "const struct " + name + "* const closure = context;");
  for (const Var& var : captured) {
    const std::string& field = caller.names.of(var);
    fields += "  " + parameter(var, field, false) + ";\n";
    const std::string constant = memory_.contains(var) || var.type().is_handle() ? "" : "const ";
    line(fmt::format("{}{} = closure->{};", constant, parameter(var, frame_.names.define(var), true), field));
  }
  assume_alignment(captured);
  emit_iterations(loop);
  line("return 0;");
  if (!captured.empty())
    functions_ += fmt::format("\n/* What the iterations of the loop over {} use. */\nstruct {} {{\n{}}};\n",
                              loop.var.name(), name, fields);
  add_static_function("/* Some iterations of the parallel loop over " + loop.var.name() + ". */\n", "int32_t",
                      name, {"int64_t begin", "int64_t end", "void* context"}, {"begin", "end", "context"});
  frame_ = std::move(caller);
}

void Emitter::emit_iterations(const For& loop) {
  begin_statement({loop.min});
  const Text first = emit(loop.min);
  const DataType type = loop.var.type();
  ranges_.define_loop(loop.var, loop.min, loop.extent);
  frame_.names.open();
  const bool counts_itself = type == int64 && is_zero(loop.min);
  const std::string counter = counts_itself ? frame_.names.define(loop.var) : frame_.names.fresh("step");
  keep_scalar_unless_plain(loop);
  line(fmt::format("for (int64_t {0} = begin; {0} < end; ++{0}) {{", counter));
  ++frame_.depth;
  if (!counts_itself && live_.contains(loop.var)) {
    const std::string c_type = helpers_.type(type);
    const Text sum{"(uint64_t)" + counter + " + (uint64_t)" + inside(first, Binding::unary), Binding::sum};
    const Text value = cast_text(c_type, is_zero(loop.min) ? Text{counter} : sum);
    line("const " + c_type + " " + frame_.names.define(loop.var) + " = " + value.text + ";");
  }
  emit(loop.body);
  --frame_.depth;
  line("}");
  frame_.names.close();
}

}  // namespace ardea::codegen::c
