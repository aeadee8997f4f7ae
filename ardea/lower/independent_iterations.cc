#include "ardea/arith/dependence.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/limits/instruction_windows.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/notes.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

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

/// s with the accesses of its tensor instructions in their place, as far as they are known.
Stmt with_accesses_shown(const Stmt& s, const Analyzer& facts, bool& is_all_known) {
  const Call* instruction = limits::instruction_call(s);
  if (instruction == nullptr)
    return map_inside(s, facts, [&](const Stmt& part, const Analyzer& inner) {
      return with_accesses_shown(part, inner, is_all_known);
    });
  const auto touched = limits::all_touched(*instruction, facts);
  is_all_known = is_all_known && touched.has_value();
  return touched.value_or(s);
}

/// Threads may run tensor instructions, each on its own memory; lanes may not.
std::optional<Stmt> accesses_of(const For& loop, const Analyzer& facts) {
  if (loop.kind == ForKind::vectorized) return loop.body;
  bool is_all_known = true;
  const Stmt shown = with_accesses_shown(loop.body, inside(facts, loop), is_all_known);
  return is_all_known ? std::optional(shown) : std::nullopt;
}

bool is_independent(const For& loop, const Analyzer& facts) {
  if (reads_memory(loop.min) || reads_memory(loop.extent)) return false;
  const std::optional<Stmt> body = accesses_of(loop, facts);
  if (!body || calls_out(*body)) return false;
  const std::vector<arith::LoopRange> range = {{loop.var, Range{loop.min, loop.extent}}};
  for (const arith::Conflict& conflict : conflicts(*body, range, facts, true))
    if (carries(conflict, 0)) return false;
  return true;
}

Stmt with_independent_iterations(const Stmt& s, const Analyzer& facts) {
  const Stmt inner = map_inside(s, facts, with_independent_iterations);
  const auto* loop = s.as<For>();
  const bool is_lanes = loop != nullptr && loop->kind == ForKind::vectorized;
  const bool is_threads = loop != nullptr && loop->kind == ForKind::parallel;
  if ((!is_lanes && !is_threads) || is_independent(*loop, facts)) return inner;
  For out = *inner.as<For>();
  out.kind = ForKind::serial;
  out.annotations[is_lanes ? lanes_refused_key : threads_refused_key] = {make_int(1)};
  return out;
}

}  // namespace

Function independent_iterations(const Function& f, const target::Target&) {
  Function out = f;
  out.body = with_independent_iterations(f.body, arith::facts_of(f));
  return out;
}

}  // namespace ardea::lower
