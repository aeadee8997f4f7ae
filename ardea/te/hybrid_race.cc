#include <algorithm>
#include <unordered_set>

#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"
#include "ardea/te/hybrid_parser.h"

namespace ardea::te {

namespace {

/// Walks the body with what may differ between iterations: variables that follow from the loop's or from
/// memory, and conditions on these. What is left writes the same elements in every iteration.
class Race {
 public:
  explicit Race(const For& loop) : loop_(loop) { varying_.insert(loop.var); }

  void visit(const Stmt& s) {
    if (const auto* store = s.as<Store>()) return check(*store);
    if (const auto* alias = s.as<DeclareBuffer>()) inside_.insert(alias->buffer);
    if (const auto* let = s.as<LetStmt>(); let != nullptr && varies(let->value)) varying_.insert(let->var);
    if (const auto* loop = s.as<For>(); loop != nullptr && (varies(loop->min) || varies(loop->extent)))
      varying_.insert(loop->var);
    if (const auto* test = s.as<If>(); test != nullptr && varies(test->condition)) return;
    for_each_child(s, [](const Expr&) {}, [&](const Stmt& part) { visit(part); });
  }

 private:
  bool varies(const Expr& e) const {
    bool found = false;
    visit_exprs(e, [&](const Expr& part) {
      found = found || part.is<Load>() || (part.is<VarNode>() && varying_.contains(Var(part)));
    });
    return found;
  }

  void check(const Store& store) const {
    if (inside_.contains(store.buffer)) return;
    if (std::any_of(store.indices.begin(), store.indices.end(), [&](const Expr& e) { return varies(e); }))
      return;
    const bool variable =
        store.buffer->scope == "local" && store.buffer->shape.size() == 1 && is_one(store.buffer->shape[0]);
    const std::string what = variable ? store.buffer->name : print(make_load(store.buffer, store.indices));
    fail("parallel: every iteration of {} writes the same {}; {}, or write for {} in range(…)",
         loop_.var.name(), what,
         variable ? "store to it first inside the loop" : "index it with " + loop_.var.name(),
         loop_.var.name());
  }

  const For& loop_;
  std::unordered_set<Var> varying_;
  std::unordered_set<Buffer> inside_;
};

}  // namespace

void refuse_certain_race(const For& loop) {
  if (const auto extent = constant_int(loop.extent); extent && *extent <= 1) return;
  Race(loop).visit(loop.body);
}

}  // namespace ardea::te
