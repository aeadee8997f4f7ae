#include <optional>

#include "ardea/ir/fold_literals.h"
#include "ardea/ir/literals.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

bool is_parallel(const For* loop) { return loop != nullptr && loop->kind == ForKind::parallel; }

/// A parallel loop around a parallel loop and nothing else, as one loop over all pairs of iterations: threads
/// share blocks of a matrix as they share rows. Pairs that differ in the outer iteration touch nothing in
/// common because the outer loop is parallel, others because the inner one is. Empty where it is no such
/// loop, or the inner one is not the same in every iteration.
std::optional<For> joined(const For& outer) {
  const auto* inner = outer.body.as<For>();
  if (!is_parallel(&outer) || !is_parallel(inner) || !outer.annotations.empty() ||
      !inner->annotations.empty())
    return std::nullopt;
  if (uses(inner->min, outer.var) || uses(inner->extent, outer.var) || inner->var.type() != outer.var.type())
    return std::nullopt;
  For both = outer;
  both.var = Var(outer.var.name() + "_" + inner->var.name(), outer.var.type());
  both.min = make_int(0, outer.var.type());
  both.extent = fold_literals(outer.extent * inner->extent);
  // Of an inner loop without iterations there are no pairs: nobody divides by what is then put for its
  // length.
  const Expr length =
      constant_int(inner->extent) ? inner->extent : max(inner->extent, make_int(1, outer.var.type()));
  const auto from = [](const Expr& min, const Expr& step) { return is_zero(min) ? step : min + step; };
  both.body = substitute(inner->body, {{outer.var, from(outer.min, floor_div(both.var, length))},
                                       {inner->var, from(inner->min, floor_mod(both.var, length))}});
  return both;
}

Stmt with_serial_kinds(const Stmt& s, bool inside_parallel, const target::Target& target) {
  const auto* loop = s.as<For>();
  // A GPU has no other threads than those that loops are bound to.
  const bool is_launch = loop != nullptr && target.kind == target::Kind::cuda && is_launch_loop(*loop);
  const bool stays = is_launch || (is_parallel(loop) && target.kind == target::Kind::cpu && !inside_parallel);
  if (stays)
    if (const auto both = joined(*loop)) return with_serial_kinds(*both, false, target);
  const Stmt inner = map_children(s, Mapper{.stmt = [&](const Stmt& child) {
                                    return with_serial_kinds(child, inside_parallel || stays, target);
                                  }});
  loop = inner.as<For>();
  if (loop == nullptr || stays || loop->kind == ForKind::serial || loop->kind == ForKind::unrolled)
    return inner;
  For serial = *loop;
  serial.kind = ForKind::serial;
  serial.thread.clear();
  return serial;
}

}  // namespace

Function serial_kinds(const Function& f, const target::Target& target) {
  require(target.kind == target::Kind::cuda || !f.attributes.contains("concurrent_threads"),
          "lower {}: its threads run concurrently, which target {} cannot; lower the block form for it",
          f.name, target.name);
  Function out = f;
  out.body = with_serial_kinds(f.body, false, target);
  return out;
}

}  // namespace ardea::lower
