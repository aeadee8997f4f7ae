#include "tests/random/marks.h"

#include "ardea/ir/traverse.h"

namespace ardea::random_programs {

Function with_marked_loops(const Function& f, Random& random) {
  Function out = f;
  out.body = rewrite(
      f.body, Rewriter{.stmt_after = [&](const Stmt& s) -> Stmt {
        const auto* loop = s.as<For>();
        if (loop == nullptr || loop->kind == ForKind::thread_binding || loop->kind == ForKind::virtual_thread)
          return s;
        const double draw = random.real();
        For marked = *loop;
        if (draw < 0.5) marked.kind = ForKind::vectorized;
        if (draw > 0.9) marked.kind = ForKind::unrolled;
        return marked;
      }});
  return out;
}

}  // namespace ardea::random_programs
