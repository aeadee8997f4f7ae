#include <fmt/core.h>

#include <algorithm>

#include "ardea/codegen/c/emitter.h"
#include "ardea/codegen/c/liveness.h"
#include "ardea/codegen/c/signature.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/text.h"

/// An entry point is two C functions: the kernel, which is the program itself on typed pointers, and the
/// packed one, which checks the arguments and calls it. As parameters of the kernel pointers can say that
/// they do not overlap.

namespace ardea::codegen::c {

namespace {

template <class F>
void for_each_call(const Stmt& s, const F& f) {
  visit_exprs(s, [&](const Expr& e) {
    if (const auto* call = e.as<Call>()) f(*call);
  });
}

bool reads_packed_arguments(const Stmt& s) {
  bool found = false;
  for_each_call(s, [&](const Call& call) { found = found || call.op->name.starts_with("abi_"); });
  return found;
}

/// A test before the program begins: if …: T.fail(…)
bool is_check(const Stmt& s) {
  const auto* branch = s.as<If>();
  if (branch == nullptr || branch->else_case.defined()) return false;
  const auto* evaluate = branch->then_case.as<Evaluate>();
  const auto* call = evaluate != nullptr ? evaluate->value.as<Call>() : nullptr;
  return call != nullptr && call->op->name == "fail";
}

}  // namespace

/// What is known of the memory of each handle: the type of its elements, alignment, who else may touch it.
void Emitter::collect_memory(const Function& f) {
  memory_.clear();
  const std::vector<Buffer> buffers = buffers_in(f.body);
  for (const auto& [data, bytes] : memory_alignments(f, buffers)) memory_[data].alignment_bytes = bytes;
  std::unordered_set<Var> viewed;
  for (const Buffer& buffer : buffers) {
    const std::string element = Helpers::memory_type(buffer->type);
    Memory& memory = memory_[buffer->data];
    if (viewed.insert(buffer->data).second) memory.element = element;
    if (memory.element != element) memory.element.clear();
  }
  std::unordered_set<Var> shown;  // whose address the program computes with, or gives away
  bool calls_out = false, has_instructions = false;
  visit_exprs(f.body, [&](const Expr& e) {
    if (e.is<VarNode>() && e.type().is_handle()) shown.insert(Var(e));
    const auto* call = e.as<Call>();
    if (call != nullptr && call->op->name == "address_of")
      shown.insert(call->arguments[0].as<Load>()->buffer->data);
    calls_out = calls_out || (call != nullptr && call->op->name == "call_registered");
    has_instructions = has_instructions || (call != nullptr && call->op->name == "tensor_instruction");
  });
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* store = s.as<Store>()) memory_[store->buffer->data].is_written = true;
    const auto* allocation = s.as<Allocate>();
    if (allocation == nullptr) return;
    Memory& memory = memory_[allocation->data];
    const std::string element = Helpers::memory_type(allocation->type);
    if (memory.element != element) memory.element.clear();
  });
  const bool apart = integer_attribute(f.attributes, "tir.noalias", 0) != 0;
  for (auto& [data, memory] : memory_) {
    memory.is_written = memory.is_written || ((calls_out || has_instructions) && shown.contains(data));
    memory.may_be_restrict = apart && !calls_out;
  }
}

std::string Emitter::file_name(const std::string& wanted) {
  Names names(file_names_);
  const std::string name = names.fresh(wanted);
  file_names_.insert(name);
  return name;
}

void Emitter::emit_function(const Function& f) {
  name_ = f.name;
  frame_ = Frame(file_names_);
  collect_memory(f);
  tiles_ = Tiles(f);
  live_ = variables_read(f.body);
  comment_ = signature_comment(f);
  emit_head(f.body);
  frame_.lines.insert(frame_.lines.begin(), {"  (void)result;", "  (void)result_code;"});
  const auto unused = [&](const char* name) {
    const bool found = std::any_of(frame_.lines.begin(), frame_.lines.end(), [&](const std::string& text) {
      return text.find(name) != std::string::npos;
    });
    if (!found) frame_.lines.insert(frame_.lines.begin(), fmt::format("  (void){};", name));
  };
  for (const char* name : {"count", "type_codes", "arguments"}) unused(name);
  const std::string symbol = entry_symbol(f.name);
  const std::string parameters =
      "(const ArdeaValue* arguments, const int32_t* type_codes, int32_t count, ArdeaValue* result, "
      "int32_t* result_code)";
  add_function("/* Checks the arguments of " + f.name + ". */\n", "int32_t " + symbol + parameters);
}

/// Goes in as far as arguments are read and checked; the rest is the kernel.
void Emitter::emit_head(const Stmt& s) {
  if (!reads_packed_arguments(s)) {
    const auto* sequence = s.as<Seq>();
    if (sequence == nullptr || !is_check(sequence->statements[0])) return emit_kernel(s);
    emit(sequence->statements[0]);
    return emit_head(
        make_seq(std::vector<Stmt>(sequence->statements.begin() + 1, sequence->statements.end())));
  }
  if (const auto* let = s.as<LetStmt>()) {
    begin_statement({let->value});
    emit_let(let->var, let->value);
    return emit_head(let->body);
  }
  if (const auto* declaration = s.as<DeclareBuffer>()) return emit_head(declaration->body);
  if (const auto* sequence = s.as<Seq>()) {
    for (std::size_t i = 0; i + 1 < sequence->statements.size(); ++i) emit(sequence->statements[i]);
    return emit_head(sequence->statements.back());
  }
  // A call that has nothing to do leaves early; what is left is the other side.
  if (const auto* branch = s.as<If>(); branch != nullptr && branch->else_case.defined()) {
    begin_statement({branch->condition});
    const Text condition = emit(branch->condition);
    const std::vector<std::string> lines = captured_lines([&] {
      emit(branch->then_case);
      line("return 0;");
    });
    line("if (" + condition.text + ") {");
    frame_.lines.insert(frame_.lines.end(), lines.begin(), lines.end());
    line("}");
    return emit_head(branch->else_case);
  }
  emit(s);
  line("return 0;");
}

void Emitter::emit_kernel(const Stmt& s) {
  const std::string name = file_name(name_ + "_kernel");
  const std::vector<Var> captured = captured_variables(s);
  std::vector<std::string> parameters, names, values;
  Frame caller = std::move(frame_);
  frame_ = Frame(file_names_);
  for (const Var& var : captured) {
    names.push_back(frame_.names.define(var));
    parameters.push_back(parameter(var, names.back(), true));
    values.push_back(caller.names.of(var));
  }
  assume_alignment(captured);
  emit(s);
  const bool fails = frame_.fails;
  if (fails) line("return 0;");
  add_static_function(comment_, fails ? "int32_t" : "void", name, parameters, names);
  frame_ = std::move(caller);
  const std::string call = call_text(name, values).text;
  if (fails) return line("return " + call + ";");
  line(call + ";");
  line("return 0;");
}

/// The variables with a name here that the code of s reads, as they were defined.
std::vector<Var> Emitter::captured_variables(const Stmt& s) {
  const std::unordered_set<Var> read = variables_read(s);
  std::vector<Var> captured = frame_.names.variables();
  std::erase_if(captured, [&](const Var& var) { return !read.contains(var); });
  return captured;
}

/// "const float* restrict A": the declaration of a parameter, or of anything else that stands for the
/// variable.
std::string Emitter::parameter(const Var& var, const std::string& name, bool may_be_restrict) {
  const auto at = memory_.find(var);
  if (at == memory_.end()) return helpers_.type(var.type()) + " " + name;
  const Memory& memory = at->second;
  return (memory.is_written ? "" : "const ") + (memory.element.empty() ? "unsigned char" : memory.element) +
         "* " + (may_be_restrict && memory.may_be_restrict ? "restrict " : "") + name;
}

void Emitter::assume_alignment(const std::vector<Var>& variables) {
  for (const Var& var : variables) {
    const auto memory = memory_.find(var);
    if (memory == memory_.end() || memory->second.alignment_bytes < 16) continue;
    const std::string& name = frame_.names.of(var);
    line(fmt::format("{0} = ARDEA_ALIGNED({0}, {1});", name, memory->second.alignment_bytes));
  }
}

void Emitter::add_static_function(const std::string& comment, const std::string& type,
                                  const std::string& name, const std::vector<std::string>& parameters,
                                  const std::vector<std::string>& names) {
  const std::string list = "(" + (parameters.empty() ? "void" : join(parameters, ", ")) + ")";
  if (!frame_.uses_tiles) return add_function(comment, "static " + type + " " + name + list);
  const std::string inner = file_name(name + "_on_tiles");
  add_function("/* What " + name + " does while it has the tiles. */\n", "static int32_t " + inner + list);
  std::vector<std::string> bytes;
  for (const unsigned char byte : tile_configuration()) bytes.push_back(std::to_string(byte));
  frame_.lines = {"  static const unsigned char every_tile_whole[64] = {" + join(bytes, ", ") + "};",
                  "  if (ardea_request_tiles() != 0) return -1;",
                  "  _tile_loadconfig(every_tile_whole);",
                  "  const int32_t status = " + call_text(inner, names).text + ";",
                  "  _tile_release();",
                  "  return status;"};
  add_function(comment, "static int32_t " + name + list);
}

void Emitter::add_function(const std::string& comment, const std::string& head) {
  functions_ += "\n" + comment + broken_line(head + " {") + "\n";
  for (const std::string& text : frame_.lines) functions_ += broken_line(text) + "\n";
  functions_ += "}\n";
}

}  // namespace ardea::codegen::c
