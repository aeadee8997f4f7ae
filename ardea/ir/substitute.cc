#include "ardea/ir/substitute.h"

#include <unordered_set>

#include "ardea/support/error.h"
#include "ardea/support/format_type.h"

namespace ardea {

namespace {

Rewriter substitution(const Substitution& values) {
  return {.expr = [&](const Expr& e) -> std::optional<Expr> {
    if (!e.is<VarNode>()) return std::nullopt;
    const auto found = values.find(Var(e));
    if (found == values.end()) return std::nullopt;
    ensure(found->second.type() == e.type(), "substitute: {} is {}, its value {}", Var(e).name(), e.type(),
           found->second.type());
    return found->second;
  }};
}

/// Collects uses and definitions in order.
class FreeVariables {
 public:
  void visit(const Expr& e) {
    if (!e.defined() || !exprs_.insert(e).second) return;
    if (e.is<VarNode>()) used_.emplace_back(e);
    map_children(e, mapper_);
  }
  void visit(const Stmt& s) {
    if (!s.defined() || !stmts_.insert(s).second) return;
    map_children(s, mapper_);
  }
  std::vector<Var> result() const {
    std::vector<Var> free;
    for (const Var& v : used_)
      if (!defined_.contains(v)) free.push_back(v);
    return free;
  }

 private:
  void visit(const Buffer& b) {
    if (!buffers_.insert(b).second) return;
    visit(static_cast<const Expr&>(b->data));
    for (const Expr& e : b->shape) visit(e);
    for (const Expr& e : b->strides) visit(e);
    if (b->element_offset.defined()) visit(b->element_offset);
  }

  std::vector<Var> used_;
  std::unordered_set<Var> defined_;
  // What has been visited.
  std::unordered_set<Expr> exprs_;
  std::unordered_set<Stmt> stmts_;
  std::unordered_set<Buffer> buffers_;
  const Mapper mapper_{.expr =
                           [this](const Expr& e) {
                             visit(e);
                             return e;
                           },
                       .stmt =
                           [this](const Stmt& s) {
                             if (const auto* block = s.as<Block>())
                               for (const Buffer& b : block->allocations) defined_.insert(b->data);
                             visit(s);
                             return s;
                           },
                       .buffer =
                           [this](const Buffer& b) {
                             visit(b);
                             return b;
                           },
                       .definition =
                           [this](const Var& v) {
                             defined_.insert(v);
                             return v;
                           }};
};

/// The data variables of the buffers that the blocks of s allocate or match.
std::unordered_set<Var> block_memory(const Stmt& s) {
  std::unordered_set<Var> data;
  visit_stmts(s, [&](const Stmt& x) {
    const auto* block = x.as<Block>();
    if (block == nullptr) return;
    for (const Buffer& b : block->allocations) data.insert(b->data);
    for (const MatchBuffer& m : block->matches) data.insert(m.buffer->data);
  });
  return data;
}

template <class T>
std::vector<Var> free_variables_of(const T& part) {
  FreeVariables walk;
  walk.visit(part);
  return walk.result();
}

template <class T>
bool uses_variable(const T& part, const Var& var) {
  return any_expr(part, [&](const Expr& e) { return e == var; });
}

}  // namespace

Expr substitute(const Expr& e, const Substitution& values) {
  return values.empty() || e.is<IntImm>() ? e : rewrite(e, substitution(values));
}
Stmt substitute(const Stmt& s, const Substitution& values) { return rewrite(s, substitution(values)); }
Function substitute(const Function& f, const Substitution& values) {
  return rewrite(f, substitution(values));
}
Expr substitute(const Expr& e, const Var& var, const Expr& value) {
  return substitute(e, Substitution{{var, value}});
}
Stmt substitute(const Stmt& s, const Var& var, const Expr& value) {
  return substitute(s, Substitution{{var, value}});
}

Stmt substitute_buffers(const Stmt& s, const std::unordered_map<Buffer, Buffer>& buffers) {
  return rewrite(s, Rewriter{.buffer = [&](const Buffer& b) -> std::optional<Buffer> {
                   const auto found = buffers.find(b);
                   return found == buffers.end() ? std::nullopt : std::optional(found->second);
                 }});
}

std::vector<Var> free_variables(const Expr& e) { return free_variables_of(e); }
std::vector<Var> free_variables(const Stmt& s) {
  std::vector<Var> free = free_variables_of(s);
  const std::unordered_set<Var> memory = block_memory(s);
  std::erase_if(free, [&](const Var& v) { return memory.contains(v); });
  return free;
}

bool uses(const Expr& e, const Var& var) {
  if (e.is<IntImm>() || e.is<VarNode>()) return e == var;  // most bounds
  return uses_variable(e, var);
}
bool uses(const Stmt& s, const Var& var) { return uses_variable(s, var); }

Stmt fresh_copy(const Stmt& s) {
  std::unordered_map<Var, Var> fresh;
  const auto renew = [&](const Var& v) {
    const auto [at, added] = fresh.try_emplace(v);
    if (added) at->second = Var(v.name(), v.type());
    return at->second;
  };
  for (const Var& data : block_memory(s)) renew(data);
  // Definitions come before uses in the traversal, and definitions of lets in shared expressions are renewed
  // once.
  Rewriter rewriter;
  rewriter.definition = renew;
  rewriter.expr = [&](const Expr& e) -> std::optional<Expr> {
    if (!e.is<VarNode>()) return std::nullopt;
    const auto found = fresh.find(Var(e));
    return found == fresh.end() ? std::nullopt : std::optional<Expr>(found->second);
  };
  std::unordered_set<Buffer> declared;
  visit_stmts(s, [&](const Stmt& x) {
    if (const auto* declare = x.as<DeclareBuffer>()) declared.insert(declare->buffer);
  });
  rewriter.buffer = [&](const Buffer& b) -> std::optional<Buffer> {
    if (!declared.contains(b)) return std::nullopt;
    return Buffer(*map_children(b, [&](const Expr& e) { return rewrite(e, rewriter.expr); }));
  };
  rewriter.stmt_after = [](const Stmt& x) -> Stmt {
    const auto* block = x.as<Block>();
    if (block == nullptr) return x;
    Block copy = *block;
    copy.id = BlockId::fresh();
    return copy;
  };
  return rewrite(s, rewriter);
}

}  // namespace ardea
