#include "ardea/limits/one_thread.h"

#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"

namespace ardea::limits {

Function as_one_thread(const Function& f, const std::map<std::string, Expr>& threads) {
  std::map<std::string, For> axes;
  for (const auto& [axis, extent] : threads)
    if (axis.starts_with("threadIdx"))
      axes[axis] = {Var(axis), make_int(0), extent, ForKind::thread_binding, {}, axis};
  Function out = f;
  out.body = rewrite(f.body, Rewriter{.stmt_after = [&](const Stmt& s) -> Stmt {
                       const auto* loop = s.as<For>();
                       const auto axis = loop == nullptr ? axes.end() : axes.find(loop->thread);
                       if (axis == axes.end()) return s;
                       const Expr place = make_cast(loop->var.type(), axis->second.var);
                       const Stmt body = substitute(loop->body, loop->var, place + loop->min);
                       return If{place < loop->extent, body, {}};
                     }});
  for (auto& [axis, loop] : axes) {
    loop.body = out.body;
    out.body = loop;
  }
  return out;
}

}  // namespace ardea::limits
