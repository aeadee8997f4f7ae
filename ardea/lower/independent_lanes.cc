#include "ardea/arith/regions.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

BufferRegion substituted(const BufferRegion& region, const Var& var, const Expr& value) {
  BufferRegion out{region.buffer, {}};
  for (const Range& range : region.region)
    out.region.push_back({substitute(range.min, var, value), substitute(range.extent, var, value)});
  return out;
}

/// Whether the accesses meet in no two different iterations of the loop: `second` some iterations after
/// `first`, and before it.
bool stay_apart(const For& loop, const BufferRegion& first, const BufferRegion& second,
                const Analyzer& facts) {
  const DataType type = loop.var.type();
  const Var distance("distance", type);
  for (const bool after : {true, false}) {
    Analyzer known = facts;
    known.bind(distance, {make_int(1, type), loop.extent});
    const Expr other = after ? loop.var + distance : loop.var - distance;
    known.assume(after ? other < loop.min + loop.extent : other >= loop.min);
    if (arith::disjoint(first, substituted(second, loop.var, other), known) != arith::Proof::proved)
      return false;
  }
  return true;
}

/// Calls that the program's surroundings see must stay in their order. A failure ends the program, whichever
/// of several is the first to be found.
bool calls_out(const Stmt& s) {
  bool found = false;
  visit_exprs(s, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    found = found || (call != nullptr && call->op->effect == Effect::writes && call->op->name != "fail");
  });
  return found;
}

bool is_independent(const For& loop, const Analyzer& facts) {
  if (reads_memory(loop.min) || reads_memory(loop.extent) || calls_out(loop.body)) return false;
  if (facts.proves(loop.extent <= make_int(1, loop.extent.type()))) return true;
  const std::vector<arith::Access> all = arith::each_access(loop.body, facts);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i; j < all.size(); ++j) {
      const BufferRegion &a = all[i].touched.region, &b = all[j].touched.region;
      if ((!all[i].write && !all[j].write) || !(a.buffer->data == b.buffer->data)) continue;
      // Views of one memory, and addresses that are given away, may meet anywhere.
      if (!(a.buffer == b.buffer) || all[i].opaque || all[j].opaque) return false;
      if (!stay_apart(loop, a, b, facts)) return false;
    }
  return true;
}

Stmt visit(const Stmt& s, const Analyzer& facts) {
  if (const auto* branch = s.as<If>())
    return If{
        branch->condition, visit(branch->then_case, where(facts, branch->condition)),
        branch->else_case ? visit(branch->else_case, where(facts, logical_not(branch->condition))) : Stmt{}};
  if (const auto* let = s.as<LetStmt>())
    return LetStmt{let->var, let->value, visit(let->body, inside(facts, *let))};
  const auto* loop = s.as<For>();
  if (loop == nullptr)
    return map_children(s, Mapper{.stmt = [&](const Stmt& child) { return visit(child, facts); }});
  const Analyzer in_body = inside(facts, *loop);
  For out = *loop;
  out.body = visit(loop->body, in_body);
  if (loop->kind == ForKind::vectorized && !is_independent(*loop, in_body)) out.kind = ForKind::serial;
  return out;
}

}  // namespace

Function independent_lanes(const Function& f, const target::Target&) {
  Function out = f;
  out.body = visit(f.body, arith::facts_of(f));
  return out;
}

}  // namespace ardea::lower
