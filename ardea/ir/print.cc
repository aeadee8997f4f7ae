#include "ardea/ir/print.h"

#include <algorithm>
#include <unordered_set>

#include "ardea/ir/print_stmt.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/text.h"

namespace ardea {

namespace {

bool is_narrow_index(const Expr& index) {
  return index.defined() && index.type().is_integer() && index.type().bits < 64;
}
bool has_narrow(const std::vector<Expr>& indices) {
  return std::any_of(indices.begin(), indices.end(), is_narrow_index);
}
bool has_narrow(const BufferRegion& region) {
  return std::any_of(region.region.begin(), region.region.end(),
                     [](const Range& r) { return is_narrow_index(r.min) || is_narrow_index(r.extent); });
}

/// Whether an index is narrower than int64, as after narrow_indices: the parser would widen it.
bool needs_exact_types(const Stmt& body) {
  bool found = false;
  visit_exprs(body, [&](const Expr& e) {
    if (const auto* load = e.as<Load>()) found = found || has_narrow(load->indices);
  });
  visit_stmts(body, [&](const Stmt& s) {
    if (const auto* store = s.as<Store>()) found = found || has_narrow(store->indices);
    const auto* block = s.as<Block>();
    if (block == nullptr) return;
    for (const auto* regions : {&block->reads, &block->writes})
      if (*regions)
        for (const BufferRegion& region : **regions) found = found || has_narrow(region);
    for (const MatchBuffer& match : block->matches) found = found || has_narrow(match.source);
  });
  return found;
}

bool holds_block(const Stmt& s) {
  bool found = false;
  visit_stmts(s, [&](const Stmt& x) { found = found || x.is<Block>(); });
  return found;
}

bool is_bare_root(const Block& block) { return block.name == "root" && block.iterators.empty(); }

/// Whether the parser would put this very root block around the body by itself.
bool is_implicit_root(const Block& root) {
  const bool plain = is_bare_root(root) && !root.predicate.defined() && root.reads && root.reads->empty() &&
                     root.writes && root.writes->empty() && root.matches.empty() &&
                     root.annotations.empty() && !root.init.defined();
  if (!plain) return false;
  if (!root.allocations.empty()) return true;
  const auto* inner = root.body.as<Block>();
  return holds_block(root.body) && (inner == nullptr || !is_bare_root(*inner));
}

class FunctionPrinter {
 public:
  FunctionPrinter(const Function& f, int indent)
      : f_(f), exact_(needs_exact_types(f.body)), lines_(names_, exact_, indent) {
    for (const Var& var : shape_variables(f)) symbolic_.insert(var);
  }

  std::string run(int indent) {
    lines_.line(exact_ ? "@T.prim_func(exact_types=True)" : "@T.prim_func");
    lines_.line("def " + identifier(f_.name) + "(" + parameters() + "):");
    StmtPrinter body(names_, exact_, indent + 1);
    if (!f_.attributes.empty()) body.line("T.func_attr(" + print_attributes(f_.attributes, names_) + ")");
    for (const Var& var : shape_variables(f_))
      body.line(names_.define(var) + " = T." + to_string(var.type()) + "()");
    for (const Parameter& p : f_.parameters)
      if (p.buffer.defined() && by_handle(p)) body.buffer_line(p.buffer, "T.match_buffer", names_.of(p.var));
    for (const Expr& condition : f_.assumptions) body.line("T.assume(" + body.exprs().full(condition) + ")");
    const auto* root = f_.body.as<Block>();
    if (root != nullptr && is_implicit_root(*root)) {
      body.line("# with T.block(\"root\"):");
      for (const Buffer& buffer : root->allocations) body.buffer_line(buffer, "T.alloc_buffer");
      body.suite(root->body);
    } else {
      body.suite(f_.body);
    }
    return lines_.text() + body.text();
  }

 private:
  // An annotation cannot name what the body declares, nor the handle itself.
  bool by_handle(const Parameter& p) const {
    bool symbolic = false;
    const auto look = [&](const Expr& e) {
      visit_exprs(e, [&](const Expr& x) { symbolic = symbolic || symbolic_.contains(x); });
    };
    for (const Expr& extent : p.buffer->shape) look(extent);
    for (const Expr& stride : p.buffer->strides) look(stride);
    if (p.buffer->element_offset.defined()) look(p.buffer->element_offset);
    return symbolic || uses(f_.body, p.var);
  }

  std::string parameters() {
    // Scalars first: shapes may name them wherever they stand.
    for (const Parameter& p : f_.parameters)
      if (!p.buffer.defined()) names_.define(p.var);
    std::vector<std::string> texts;
    for (const Parameter& p : f_.parameters) {
      if (!p.buffer.defined())
        texts.push_back(names_.of(p.var) + ": T." + to_string(p.var.type()));
      else if (by_handle(p))
        texts.push_back(names_.define(p.var) + ": T.handle");
      else
        texts.push_back(names_.define_owner(p.buffer) + ": T.Buffer(" +
                        lines_.exprs().buffer_fields(*p.buffer, true, false) + ")");
    }
    return join(texts, ", ");
  }

  const Function& f_;
  bool exact_;
  PrintNames names_;
  StmtPrinter lines_;
  std::unordered_set<Expr> symbolic_;
};

constexpr const char* import_module = "# from tvm.script import ir as I\n";
constexpr const char* import_functions = "# from tvm.script import tir as T\n\n";

}  // namespace

std::string print(const Module& m) {
  const bool bare = m.name.empty();
  std::string text = bare ? import_functions : std::string(import_module) + import_functions;
  if (!bare) text += "@I.ir_module\nclass " + identifier(m.name) + ":\n";
  if (!bare && m.functions.empty()) text += "    pass\n";
  for (std::size_t i = 0; i < m.functions.size(); ++i) {
    if (i > 0) text += "\n";
    text += FunctionPrinter(m.functions[i], bare ? 0 : 1).run(bare ? 0 : 1);
  }
  return text;
}

std::string print(const Function& f) { return import_functions + FunctionPrinter(f, 0).run(0); }

std::string print(const Stmt& s) {
  PrintNames names(PrintNames::Reader::people);
  StmtPrinter printer(names, false, 0);
  printer.suite(s);
  return printer.text();
}

std::string print(const Expr& e) {
  PrintNames names(PrintNames::Reader::people);
  return ExprPrinter(names, false).full(e);
}

std::string print(const BufferRegion& region) {
  PrintNames names(PrintNames::Reader::people);
  return ExprPrinter(names, false).region(region);
}

}  // namespace ardea
