#include "ardea/codegen/c/emitter.h"
#include "ardea/codegen/ranges/plain_indices.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/ir/unroll_hint.h"
#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"

namespace ardea::codegen::c {

void Emitter::line(const std::string& text) {
  frame_.lines.push_back(std::string(static_cast<std::size_t>(frame_.depth) * 2, ' ') + text);
}

std::vector<std::string> Emitter::captured_lines(const std::function<void()>& f) {
  std::vector<std::string> outer = std::move(frame_.lines);
  frame_.lines.clear();
  frame_.names.open();
  frame_.shared.emplace_back();  // what the block computes does not exist after it
  ++frame_.depth;
  f();
  --frame_.depth;
  frame_.shared.pop_back();
  frame_.names.close();
  std::swap(outer, frame_.lines);
  return outer;
}

/// Values are shared inside one statement only: the next one may come after a store, or in another block.
void Emitter::begin_statement(const std::vector<Expr>& roots) {
  for (auto& table : frame_.shared) table.clear();
  ranges_.next_statement();
  uses_.clear();
  statement_has_effects_ = false;
  for (const Expr& root : roots) {
    if (!root.defined()) continue;
    statement_has_effects_ = statement_has_effects_ || has_effect(root);
    count_use(root);
  }
}

void Emitter::count_use(const Expr& e) {
  if (uses_[e]++ > 0) return;
  for_each_child(e, [&](const Expr& part) { count_use(part); });
}

void Emitter::emit(const Stmt& s) {
  std::visit(overloaded{
                 [&](const Store& x) { emit_store(x); },
                 [&](const For& x) { emit_for(x); },
                 [&](const If& x) { emit_if(x); },
                 [&](const Seq& x) {
                   for (const Stmt& part : x.statements) emit(part);
                 },
                 [&](const Allocate& x) { emit_allocate(x); },
                 [&](const DeclareBuffer& x) { emit(x.body); },
                 [&](const LetStmt& x) {
                   begin_statement({x.value});
                   emit_let(x.var, x.value);
                   emit(x.body);
                 },
                 [&](const Assert& x) {
                   begin_statement({x.condition});
                   const Text holds = emit(x.condition);
                   emit_guarded("!" + inside(holds, Binding::unary), [&] {
                     emit_failure(helpers_.abi("fail") + "(" + string_literal(x.message) + ")");
                   });
                 },
                 [&](const Evaluate& x) {
                   begin_statement({x.value});
                   if (statement_has_effects_) emit(x.value);
                 },
                 [&](const Block& x) {
                   throw InternalError("the C backend met the block " + x.name + ", which lowering removes");
                 },
             },
             s.variant());
}

void Emitter::emit_let(const Var& var, const Expr& value) {
  if (!live_.contains(var)) {
    if (has_effect(value)) emit(value);
    return;
  }
  ranges_.define(var, ranges_.of(value));
  const Text text = emit(value);
  const std::string name = frame_.names.define(var);
  const auto memory = memory_.find(var);
  if (memory != memory_.end()) {
    const std::string pointer =
        (memory->second.element.empty() ? "unsigned char" : memory->second.element) + "*";
    // With a cast, which C does not ask for and C++ does.
    line(fmt::format("{0} const {1} = ({0}){2};", pointer, name, inside(text, Binding::unary)));
  } else if (var.type().is_handle())
    line("void* const " + name + " = " + text.text + ";");
  else
    line("const " + helpers_.type(var.type()) + " " + name + " = " + text.text + ";");
}

/// Loops of every kind that is still here but parallel ones mean the serial loop; unrolled ones with a
/// request to the compiler.
void Emitter::emit_for(const For& loop) {
  // A parallel loop inside another would be run serially by the thread pool: a plain loop is cheaper.
  if (loop.kind == ForKind::parallel && !frame_.is_parallel_body) return emit_parallel(loop);
  begin_statement({loop.min, loop.extent});
  const DataType type = loop.var.type();
  const std::vector<Text> bounds = operands({loop.min, loop.extent});
  Text end = bounds[1];
  const auto first = constant_int(loop.min), count = constant_int(loop.extent);
  bool is_fixed = loop.extent.is<VarNode>() || loop.extent.is<IntImm>();
  if (first && count && ranges_.cannot_wrap(loop.min + loop.extent)) {
    end = integer_literal(*first + *count, type, false);
  } else if (!is_zero(loop.min)) {
    const Expr sum = loop.min + loop.extent;
    is_fixed = false;
    end = ranges_.cannot_wrap(sum)
              ? Text{inside(bounds[0], Binding::sum) + " + " + inside(bounds[1], Binding::product),
                     Binding::sum}
              : cast_text(helpers_.type(type), {cast_text(wrapping_type(type.bits), bounds[0]).text + " + " +
                                                    inside(bounds[1], Binding::product),
                                                Binding::sum});
  }
  // Bounds are evaluated once.
  if (!is_fixed && !(first && count)) end = named(loop.var.name() + "_end", type, end);
  ranges_.define_loop(loop.var, loop.min, loop.extent);
  emit_loop(loop, helpers_.type(type), bounds[0].text, end.text);
}

/// clang's vectorizer is LLVM's.
void Emitter::keep_scalar_unless_plain(const For& loop) {
  if (has_plain_indices(loop.body)) return;
  keeps_scalar_ = true;
  line("ARDEA_SCALAR");
}

void Emitter::emit_loop(const For& loop, const std::string& type, const std::string& first,
                        const std::string& end) {
  frame_.names.open();
  const std::string name = frame_.names.define(loop.var);
  const std::int64_t count = loop.annotations.contains(rolled_key) ? 1 : unroll_count(loop);
  if (count > 0) {
    unrolls_ = true;
    line(fmt::format("ARDEA_UNROLL({})", count));
  }
  keep_scalar_unless_plain(loop);
  line(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{", type, name, first, end));
  ++frame_.depth;
  emit(loop.body);
  --frame_.depth;
  line("}");
  frame_.names.close();
}

void Emitter::emit_if(const If& branch) {
  begin_statement({branch.condition});
  const Text condition = emit(branch.condition);
  if (!branch.else_case.defined()) return emit_guarded(condition.text, [&] { emit(branch.then_case); });
  const std::vector<std::string> then_lines = captured_lines([&] { emit(branch.then_case); });
  const std::vector<std::string> else_lines = captured_lines([&] { emit(branch.else_case); });
  line("if (" + condition.text + ") {");
  frame_.lines.insert(frame_.lines.end(), then_lines.begin(), then_lines.end());
  line("} else {");
  frame_.lines.insert(frame_.lines.end(), else_lines.begin(), else_lines.end());
  line("}");
}

namespace {

/// Whether the one line may stand behind an if without braces: no declaration, no block.
bool is_simple(const std::string& text) {
  return text.ends_with(";") && !text.starts_with("const ") && !text.starts_with("if ");
}

}  // namespace

void Emitter::emit_guarded(const std::string& condition, const std::function<void()>& body) {
  const std::vector<std::string> lines = captured_lines(body);
  const std::string head = "if (" + condition + ")";
  const std::size_t indent = static_cast<std::size_t>(frame_.depth) * 2;
  const std::string only = lines.size() == 1 ? lines[0].substr(indent + 2) : "";
  constexpr std::size_t page_width = 110;
  if (lines.size() == 1 && is_simple(only)) {
    if (indent + head.size() + 1 + only.size() <= page_width) return line(head + " " + only);
    if (only.starts_with("return ")) {  // the one way of writing it that needs no braces when it is broken
      line(head);
      frame_.lines.push_back(lines[0]);
      return;
    }
  }
  line(head + " {");
  frame_.lines.insert(frame_.lines.end(), lines.begin(), lines.end());
  line("}");
}

void Emitter::emit_failure(const std::string& report) {
  frame_.fails = true;
  if (frame_.heap.empty()) return line("return " + (report.empty() ? "-1" : report) + ";");
  if (!report.empty()) line(report + ";");
  for (std::size_t i = frame_.heap.size(); i-- > 0;) line("ardea_free(" + frame_.heap[i] + ");");
  line("return -1;");
}

}  // namespace ardea::codegen::c
