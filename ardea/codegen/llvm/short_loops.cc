#include "ardea/codegen/llvm/short_loops.h"

#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/ir/unroll_hint.h"

namespace ardea::codegen {

namespace {

constexpr std::int64_t most_iterations = 8;
/// Of one loop: larger ones LLVM keeps.
constexpr std::int64_t most_statements = 4;
/// Fewer of them in a function cost nothing to speak of.
constexpr std::int64_t fewest_loops = 24;

bool is_short_loop(const Stmt& s) {
  const auto* loop = s.as<For>();
  if (loop == nullptr || loop->kind == ForKind::parallel || loop->annotations.contains(rolled_key))
    return false;
  const auto extent = constant_int(loop->extent);
  if (!extent || *extent < 1 || *extent > most_iterations || !constant_int(loop->min)) return false;
  std::int64_t stores = 0;
  bool is_plain = true;
  visit_stmts(loop->body, [&](const Stmt& part) {
    stores += part.is<Store>() ? 1 : 0;
    is_plain = is_plain && (part.is<Store>() || part.is<Seq>() || part.is<LetStmt>());
  });
  return is_plain && stores <= most_statements;
}

Stmt written_out(const For& loop) {
  std::vector<Stmt> copies;
  for (std::int64_t i = 0; i < *constant_int(loop.extent); ++i) {
    const Expr value = make_int(*constant_int(loop.min) + i, loop.var.type());
    const Stmt copy = substitute(loop.body, loop.var, value);
    copies.push_back(i == 0 ? copy : fresh_copy(copy));
  }
  return make_seq(std::move(copies));
}

}  // namespace

Function with_short_loops_written_out(const Function& f) {
  std::int64_t loops = 0;
  visit_stmts(f.body, [&](const Stmt& s) { loops += is_short_loop(s) ? 1 : 0; });
  if (loops < fewest_loops) return f;
  Function out = f;
  out.body = rewrite(f.body, Rewriter{.stmt_after = [](const Stmt& s) {
                       return is_short_loop(s) ? written_out(*s.as<For>()) : s;
                     }});
  return out;
}

}  // namespace ardea::codegen
