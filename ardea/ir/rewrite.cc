#include "ardea/ir/traverse.h"
#include "ardea/support/handle_map.h"

namespace ardea {

namespace {

/// One rewriting of a tree, with the results of shared nodes.
class Rewriting {
 public:
  explicit Rewriting(const Rewriter& rewriter)
      : rewriter_(rewriter),
        mapper_{.expr = [this](const Expr& e) { return run(e); },
                .stmt = [this](const Stmt& s) { return run(s); },
                .buffer = [this](const Buffer& b) { return run(b); },
                .definition = rewriter.definition} {}

  Expr run(const Expr& e) {
    return remembered(exprs_, e, [&] {
      if (rewriter_.expr)
        if (std::optional<Expr> replacement = rewriter_.expr(e)) return *replacement;
      Expr rebuilt = map_children(e, mapper_);
      return rewriter_.expr_after ? rewriter_.expr_after(rebuilt) : rebuilt;
    });
  }

  Stmt run(const Stmt& s) {
    return remembered(stmts_, s, [&] {
      if (rewriter_.stmt)
        if (std::optional<Stmt> replacement = rewriter_.stmt(s)) return *replacement;
      Stmt rebuilt = map_children(s, mapper_);
      return rewriter_.stmt_after ? rewriter_.stmt_after(rebuilt) : rebuilt;
    });
  }

  Buffer run(const Buffer& b) {
    return remembered(buffers_, b, [&] {
      if (rewriter_.buffer)
        if (std::optional<Buffer> replacement = rewriter_.buffer(b)) return *replacement;
      return map_children(b, mapper_.expr);
    });
  }

 private:
  template <class T, class F>
  T remembered(HandleMap<T, T>& memory, const T& key, const F& compute) {
    if (const T* found = memory.find(key)) return *found;
    T result = compute();
    memory.insert(key, result);
    return result;
  }

  const Rewriter& rewriter_;
  const Mapper mapper_;
  HandleMap<Expr, Expr> exprs_;
  HandleMap<Stmt, Stmt> stmts_;
  HandleMap<Buffer, Buffer> buffers_;
};

}  // namespace

Expr rewrite(const Expr& e, const Rewriter& rewriter) { return Rewriting(rewriter).run(e); }

Stmt rewrite(const Stmt& s, const Rewriter& rewriter) { return Rewriting(rewriter).run(s); }

Function rewrite(const Function& f, const Rewriter& rewriter) {
  Rewriting rewriting(rewriter);
  Function out = f;
  for (Parameter& p : out.parameters) {
    if (rewriter.definition) p.var = rewriter.definition(p.var);
    if (p.buffer.defined()) p.buffer = rewriting.run(p.buffer);
  }
  out.body = rewriting.run(f.body);
  return out;
}

Expr rewrite(const Expr& e, const std::function<std::optional<Expr>(const Expr&)>& f) {
  return rewrite(e, Rewriter{.expr = f});
}

Stmt rewrite(const Stmt& s, const std::function<std::optional<Expr>(const Expr&)>& f) {
  return rewrite(s, Rewriter{.expr = f});
}

}  // namespace ardea
