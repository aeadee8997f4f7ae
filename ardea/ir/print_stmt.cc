#include "ardea/ir/print_stmt.h"

#include <unordered_set>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"

namespace ardea {

bool is_definition(const Stmt& s) { return s.is<LetStmt>() || s.is<Allocate>() || s.is<DeclareBuffer>(); }

void StmtPrinter::line(const std::string& text) {
  text_.append(static_cast<std::size_t>(indent_) * 4, ' ');
  text_ += text;
  text_ += '\n';
}

void StmtPrinter::inner_suite(const Stmt& s) {
  ++indent_;
  names_.open();
  suite(s);
  names_.close();
  --indent_;
}

void StmtPrinter::suite(const Stmt& s) {
  const auto* sequence = s.as<Seq>();
  if (sequence == nullptr) return statement(s.defined() ? s : make_no_op(), true);
  for (std::size_t i = 0; i < sequence->statements.size(); ++i)
    statement(sequence->statements[i], i + 1 == sequence->statements.size());
}

void StmtPrinter::statement(const Stmt& s, bool last) {
  std::visit(overloaded{
                 [&](const Store& node) { store(node); },
                 [&](const For& node) { loop(node); },
                 [&](const If& node) { branch(node, "if"); },
                 [&](const Seq&) { suite(s); },
                 [&](const Allocate& node) { allocate(node, last); },
                 [&](const DeclareBuffer& node) { view(node, last); },
                 [&](const LetStmt& node) { let(node, last); },
                 [&](const Assert& node) {
                   line("assert " + exprs_.full(node.condition) + ", " + in_quotes(node.message));
                 },
                 [&](const Evaluate& node) { evaluate(node.value); },
                 [&](const Block& node) { block(node); },
             },
             s.variant());
}

void StmtPrinter::evaluate(const Expr& value) {
  const auto* call = value.as<Call>();
  const bool effect = call != nullptr && call->op->effect == Effect::writes;
  line(effect ? exprs_.full(value) : "T.evaluate(" + exprs_.full(value) + ")");
}

void StmtPrinter::store(const Store& node) {
  if (!node.predicate.defined())
    return line(exprs_.element(node.buffer, node.indices) + " = " + exprs_.expected(node.value));
  std::vector<std::string> indices;
  for (const Expr& i : node.indices) indices.push_back(exprs_.index(i));
  line(names_.of(node.buffer) + ".vstore([" + join(indices, ", ") + "], " + exprs_.expected(node.value) +
       ", predicate=" + exprs_.full(node.predicate) + ")");
}

void StmtPrinter::branch(const If& node, const char* keyword) {
  line(std::string(keyword) + " " + exprs_.full(node.condition) + ":");
  inner_suite(node.then_case);
  if (!node.else_case.defined()) return;
  if (const auto* chained = node.else_case.as<If>()) return branch(*chained, "elif");
  line("else:");
  inner_suite(node.else_case);
}

// ----- definitions

void StmtPrinter::with(const std::string& maker, const std::string& name, const Stmt& body) {
  line("with " + maker + " as " + name + ":");
  inner_suite(body);
}

void StmtPrinter::let(const LetStmt& node, bool last) {
  const std::string value = last ? exprs_.declared(node.value) : exprs_.full(node.value);
  if (!last) names_.open();
  const std::string name = names_.define(node.var);
  if (last) {
    line(name + ": T." + to_string(node.var.type()) + " = " + value);
    suite(node.body);
  } else {
    with("T.LetStmt(" + value + ")", name, node.body);
    names_.close();
  }
}

void StmtPrinter::allocate(const Allocate& node, bool last) {
  std::string maker = "T.allocate(" + exprs_.list(node.extents) + ", " + in_quotes(to_string(node.type)) +
                      ", " + in_quotes(node.scope);
  if (!node.annotations.empty()) maker += ", annotations=" + print_attributes(node.annotations, names_);
  maker += ")";
  if (!last) names_.open();
  const std::string name = names_.define(node.data);
  if (last) {
    line(name + " = " + maker);
    suite(node.body);
  } else {
    with(maker, name, node.body);
    names_.close();
  }
}

void StmtPrinter::view(const DeclareBuffer& node, bool last) {
  const std::string fields = exprs_.buffer_fields(*node.buffer, false, true);
  if (!last) names_.open();
  const std::string name = names_.define_view(node.buffer);
  if (last) {
    line(name + " = T.Buffer(" + fields + ")");
    suite(node.body);
  } else {
    with("T.decl_buffer(" + fields + ")", name, node.body);
    names_.close();
  }
}

// A buffer with memory of its own: T.alloc_buffer, T.match_buffer(source, …).
void StmtPrinter::buffer_line(const Buffer& buffer, const std::string& maker, const std::string& source) {
  const std::string fields = exprs_.buffer_fields(*buffer, false, false);
  const std::string name = names_.define_owner(buffer);
  line(name + " = " + maker + "(" + (source.empty() ? "" : source + ", ") + fields + ")");
}

// ----- loops

namespace {

/// Whether the loop can stand in a T.grid.
bool is_plain(const For& node) {
  return node.kind == ForKind::serial && node.annotations.empty() && is_zero(node.min) &&
         node.min.type() == node.extent.type();
}

}  // namespace

void StmtPrinter::loop(const For& node) {
  std::vector<const For*> nest = {&node};
  std::unordered_set<Expr> variables = {node.var};
  // T.grid evaluates every extent before its first variable exists.
  const auto joins = [&](const For& inner) {
    bool independent = is_plain(inner);
    visit_exprs(inner.extent, [&](const Expr& e) { independent = independent && !variables.contains(e); });
    return independent;
  };
  if (is_plain(node)) {
    for (const For* inner = node.body.as<For>(); inner != nullptr && joins(*inner);
         inner = inner->body.as<For>()) {
      nest.push_back(inner);
      variables.insert(inner->var);
    }
  }

  std::vector<std::string> extents, names;
  for (const For* each : nest) extents.push_back(exprs_.full(each->extent));
  const std::string head = nest.size() > 1 ? "T.grid(" + join(extents, ", ") + ")" : loop_head(node);
  names_.open();
  for (const For* each : nest) {
    names.push_back(names_.define(each->var));
    loops_[each->var] = {each->min, each->extent};
  }
  line("for " + join(names, ", ") + " in " + head + ":");
  inner_suite(nest.back()->body);
  for (const For* each : nest) loops_.erase(each->var);
  names_.close();
}

std::string StmtPrinter::loop_head(const For& node) {
  std::string range = exprs_.full(node.extent);
  if (!is_zero(node.min)) {
    const auto [first, end] = exprs_.ends({node.min, node.extent});
    range = first + ", " + end;
  }
  const bool thread = node.kind == ForKind::thread_binding || node.kind == ForKind::virtual_thread;
  if (thread) range += ", thread=" + in_quotes(node.thread);
  if (!node.annotations.empty()) range += ", annotations=" + print_attributes(node.annotations, names_);
  switch (node.kind) {
    case ForKind::serial: return (node.annotations.empty() ? "range(" : "T.serial(") + range + ")";
    case ForKind::parallel: return "T.parallel(" + range + ")";
    case ForKind::vectorized: return "T.vectorized(" + range + ")";
    case ForKind::unrolled: return "T.unroll(" + range + ")";
    case ForKind::thread_binding:
    case ForKind::virtual_thread: break;
  }
  return "T.thread_binding(" + range + ")";
}

}  // namespace ardea
