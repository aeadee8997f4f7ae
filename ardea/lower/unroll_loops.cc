#include <algorithm>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/fold_constants.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/unroll_hint.h"
#include "ardea/limits/steps.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/notes.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

/// How deep a nest may be that is written out without having been asked for loop by loop.
constexpr int deepest_automatic_nest = 8;

const std::string step_limit_key = "pragma_auto_unroll_max_step";
const std::string explicit_key = "pragma_unroll_explicit";

/// What the annotations around a loop ask for.
struct Wishes {
  std::int64_t automatic_steps = 0;  ///< nests of up to so many steps are unrolled without a mark
  bool written_out = true;           ///< here; else the loop is marked and the backend unrolls it
};

Wishes updated(Wishes wishes, const Attributes& annotations) {
  wishes.automatic_steps = integer_attribute(annotations, step_limit_key, wishes.automatic_steps);
  wishes.written_out = integer_attribute(annotations, explicit_key, wishes.written_out ? 1 : 0) != 0;
  return wishes;
}

/// A statement after the pass, and what its size decides for the loops around it.
struct Unrolled {
  Stmt stmt;
  std::int64_t steps = 0;  ///< stores, calls and assertions in it, those of loops that stay once
  int unrolled_depth = 0;  ///< loops around each other in it that are unrolled
  bool has_loop = false;   ///< that stays
};

bool defines_something(const Stmt& s) {
  bool found = false;
  visit_stmts(s, [&](const Stmt& x) {
    found = found || x.is<For>() || x.is<LetStmt>() || x.is<Allocate>() || x.is<DeclareBuffer>();
  });
  if (!found) visit_exprs(s, [&](const Expr& e) { found = found || e.is<Let>(); });
  return found;
}

class Unrolling {
 public:
  bool changed() const { return changed_; }

  Unrolled visit(const Stmt& s, const Wishes& wishes) {
    if (const auto* loop = s.as<For>()) return visit_loop(s, *loop, updated(wishes, loop->annotations));
    Unrolled out;
    out.steps = limits::is_step(s) ? 1 : 0;
    out.stmt = map_children(s, Mapper{.stmt = [&](const Stmt& part) {
                              const Unrolled inner = visit(part, wishes);
                              out.steps += inner.steps;
                              out.unrolled_depth = std::max(out.unrolled_depth, inner.unrolled_depth);
                              out.has_loop = out.has_loop || inner.has_loop;
                              return inner.stmt;
                            }});
    if (s.is<Seq>() && !(out.stmt == s)) out.stmt = make_seq(out.stmt.as<Seq>()->statements);
    return out;
  }

 private:
  Unrolled visit_loop(const Stmt& s, const For& loop, const Wishes& wishes) {
    Unrolled out = visit(loop.body, wishes);
    For result = loop;
    result.body = out.stmt;
    const std::size_t removed =
        result.annotations.erase(step_limit_key) + result.annotations.erase(explicit_key);
    if (is_unrolled(loop, out, wishes)) {
      const std::int64_t extent = *constant_int(loop.extent);
      out.steps *= extent;
      ++out.unrolled_depth;
      if (wishes.written_out) {
        changed_ = true;
        out.stmt = written_out(result, extent);
        return out;
      }
      result.kind = ForKind::unrolled;
    } else {
      out.has_loop = true;
      if (loop.kind == ForKind::unrolled) leave_to_backend(result, out.steps);
    }
    const bool same = removed == 0 && result.body == loop.body && result.kind == loop.kind;
    out.stmt = same ? s : Stmt(result);
    return out;
  }

  /// The backend makes copies too, and nobody would bound those of a whole nest. `steps`: of the body; then
  /// with the copies.
  static void leave_to_backend(For& loop, std::int64_t& steps) {
    const std::int64_t copies = unroll_count(loop);
    if (copies * std::max<std::int64_t>(steps, 1) <= most_unrolled_steps) {
      steps *= copies;
      return;
    }
    loop.kind = ForKind::serial;
    loop.annotations[unroll_refused_key] = {make_int(copies * steps)};
  }

  static bool is_unrolled(const For& loop, const Unrolled& body, const Wishes& wishes) {
    const auto extent = constant_int(loop.extent);
    if (reads_memory(loop.min)) return false;  // it is read once, before the body may write it
    // The first test keeps the product from overflowing.
    if (!extent || *extent > most_unrolled_steps ||
        *extent * std::max<std::int64_t>(body.steps, 1) > most_unrolled_steps)
      return false;
    if (loop.kind == ForKind::unrolled) return true;
    return loop.kind == ForKind::serial && !body.has_loop && body.unrolled_depth <= deepest_automatic_nest &&
           wishes.automatic_steps > 0 && *extent * body.steps <= wishes.automatic_steps;
  }

  static Stmt written_out(const For& loop, std::int64_t extent) {
    const bool defines = defines_something(loop.body);
    std::vector<Stmt> copies;
    for (std::int64_t i = 0; i < extent; ++i) {
      const Expr value = i == 0 ? loop.min : loop.min + make_int(i, loop.var.type());
      const Stmt copy = substitute(loop.body, loop.var, value);
      copies.push_back(defines && i > 0 ? fresh_copy(copy) : copy);
    }
    return make_seq(std::move(copies));
  }

  bool changed_ = false;
};

}  // namespace

Function unroll_loops(const Function& f, const target::Target&) {
  Function out = f;
  Unrolling unrolling;
  out.body = unrolling.visit(f.body, {}).stmt;
  if (!unrolling.changed()) return out;
  // What the loops' variables kept undecided. Most of what is new are sums in which a variable became a
  // number: there are many of them, and folding is enough for them.
  arith::KnownNodes before;
  visit_exprs(f.body, [&](const Expr& e) { before.insert(e, true); });
  out.body = arith::simplify(out.body, arith::facts_of(f), /*drop_unit_loops=*/true,
                             [&](const Expr& e) { return arith::fold_constants(e, before); });
  return out;
}

}  // namespace ardea::lower
