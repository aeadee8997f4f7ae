#include <algorithm>

#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/gpu/passes.h"
#include "ardea/lower/gpu/thread_conflicts.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// What a launch does, down to the parts between which there may be barriers. A statement without barriers in
/// it is a part; all others are what stands around parts.
struct BarrierStep {
  Stmt statement;
  std::vector<BarrierStep> inside = {};
  bool is_barrier = false;
  bool is_needed = false;  ///< of a barrier
};

BarrierStep step_of(const Stmt& s) {
  if (is_block_barrier(s)) return {s, {}, true};
  BarrierStep step{s};
  if (holds_block_barrier(s))
    for_each_child(
        s, [](const Expr&) {},
        [&](const Stmt& child) {
          if (child.defined()) step.inside.push_back(step_of(child));
        });
  return step;
}

Stmt decided_form(const BarrierStep& step) {
  if (step.is_barrier) return step.is_needed ? step.statement : make_no_op();
  if (step.inside.empty()) return step.statement;
  std::vector<Stmt> parts;
  for (const BarrierStep& inner : step.inside) parts.push_back(decided_form(inner));
  if (step.statement.is<Seq>()) {
    std::erase_if(parts, is_no_op);
    return make_seq(std::move(parts));
  }
  std::size_t next = 0;
  return map_children(
      step.statement,
      Mapper{.stmt = [&](const Stmt& child) { return child.defined() ? parts[next++] : child; }});
}

/// What threads may still be at: all that has run since the last barrier that stays.
struct Pending {
  Stmt statement;
  std::size_t depth = 0;  ///< of the loops, conditions and names that it stands in
};

struct BarrierState {
  std::vector<Pending> pending = {};
  BarrierStep* site = nullptr;  ///< the last barrier on the way here, which stands behind all that is pending
};

class Placing {
 public:
  explicit Placing(const std::vector<For>& threads) {
    for (const For& loop : threads) threads_.emplace_back(loop.var, Range{loop.min, loop.extent});
  }

  /// Runs through the step from `state` on, and decides on the barriers on its way.
  BarrierState run(BarrierStep& step, BarrierState state, const Analyzer& facts) {
    if (step.is_barrier) return at_barrier(step, std::move(state));
    if (step.inside.empty()) return at_part(step.statement, std::move(state), facts);
    if (step.statement.is<Seq>()) {
      for (BarrierStep& inner : step.inside) state = run(inner, std::move(state), facts);
      return state;
    }
    if (const auto* loop = step.statement.as<For>()) return in_loop(step, *loop, std::move(state), facts);
    if (const auto* branch = step.statement.as<If>())
      return in_branch(step, *branch, std::move(state), facts);
    if (const auto* let = step.statement.as<LetStmt>()) {
      if (reads_memory(let->value)) state = at_part(Evaluate{let->value}, std::move(state), facts);
      lets_[let->var] = substitute(let->value, lets_);
      return run(step.inside[0], std::move(state), facts);
    }
    return run(step.inside[0], std::move(state), facts);
  }

 private:
  static BarrierState at_barrier(BarrierStep& barrier, BarrierState state) {
    if (barrier.is_needed) state.pending.clear();
    state.site = &barrier;
    return state;
  }

  BarrierState at_part(const Stmt& s, BarrierState state, const Analyzer& facts) {
    // Names differ from thread to thread as what they stand for does.
    const Stmt part = substitute(s, lets_);
    const bool meets = std::any_of(state.pending.begin(), state.pending.end(), [&](const Pending& earlier) {
      return may_meet(earlier.statement, part, threads_, facts);
    });
    if (meets) {
      ensure(state.site != nullptr, "drop_barriers: there is no barrier to keep");
      decided_ = decided_ || !state.site->is_needed;
      state.site->is_needed = true;
      state.pending.clear();
    }
    state.pending.push_back({part, depth_});
    return state;
  }

  BarrierState in_branch(BarrierStep& step, const If& branch, const BarrierState& state, const Analyzer& facts) {
    const Expr test = substitute(branch.condition, lets_);
    ++depth_;
    BarrierState out = leave(run(step.inside[0], state, where(facts, test)),
                      [&](const Stmt& s) { return Stmt(If{test, s}); });
    BarrierState other = state;
    if (step.inside.size() > 1) {
      ++depth_;
      other = leave(run(step.inside[1], state, where(facts, logical_not(test))),
                    [&](const Stmt& s) { return Stmt(If{logical_not(test), s}); });
    }
    out.pending.insert(out.pending.end(), other.pending.begin(), other.pending.end());
    out.site = nullptr;  // it stands on one of the ways only; another one follows
    return out;
  }

  /// The iterations follow each other: what one leaves pending meets the next.
  BarrierState in_loop(BarrierStep& step, const For& loop, const BarrierState& state, const Analyzer& facts) {
    const Expr min = substitute(loop.min, lets_), extent = substitute(loop.extent, lets_);
    For ranged = loop;
    ranged.min = min;
    ranged.extent = extent;
    const Analyzer in_any = inside(facts, ranged);
    ++depth_;
    BarrierState out;
    bool has_decided = decided_;
    do {
      decided_ = false;
      out = run(step.inside[0], state, in_any);
      if (!facts.proves(extent <= make_int(1, extent.type()))) meet_next(step, ranged, out, in_any);
      has_decided = has_decided || decided_;
    } while (decided_);  // with one barrier more, less is pending
    decided_ = has_decided;
    // A loop of no iteration leaves all as it was.
    if (!facts.proves(extent >= make_int(1, extent.type())))
      for (const Pending& earlier : state.pending)
        if (std::none_of(out.pending.begin(), out.pending.end(),
                         [&](const Pending& known) { return known.statement == earlier.statement; }))
          out.pending.push_back(earlier);
    return leave(std::move(out), [&](const Stmt& s) {
      For around = ranged;
      around.body = s;
      return Stmt(around);
    });
  }

  /// Whether what is pending at the end of an iteration meets a later one: the next, where a barrier in every
  /// iteration stands between it and all others.
  void meet_next(BarrierStep& step, const For& loop, const BarrierState& end, const Analyzer& facts) {
    const Expr previous = loop.var - make_int(1, loop.var.type());
    const bool only_next = has_needed_barrier(step.inside[0]);
    const Var earlier(loop.var.name(), loop.var.type());
    BarrierState next{{}, end.site};
    for (const Pending& part : end.pending)
      if (part.depth >= depth_)
        next.pending.push_back(
            {substitute(part.statement, loop.var, only_next ? previous : Expr(earlier)), 0});
    if (next.pending.empty()) return;
    Analyzer later = facts;
    later.assume(previous >= loop.min);
    if (!only_next) later.bind(earlier, {loop.min, loop.var - loop.min});
    run(step.inside[0], std::move(next), later);
  }

  /// Whether every run of the step comes to a barrier that stays.
  static bool has_needed_barrier(const BarrierStep& step) {
    if (step.is_barrier) return step.is_needed;
    if (step.statement.is<For>() || step.statement.is<If>()) return false;
    return std::any_of(step.inside.begin(), step.inside.end(), has_needed_barrier);
  }

  /// The state outside of what has been run through: what came to be pending in it is so in all its runs.
  template <class Around>
  BarrierState leave(BarrierState state, const Around& around) {
    --depth_;
    for (Pending& part : state.pending)
      if (part.depth > depth_) part = {fresh_copy(around(part.statement)), depth_};
    return state;
  }

  std::vector<arith::LoopRange> threads_;
  Substitution lets_;
  std::size_t depth_ = 0;
  bool decided_ = false;  ///< since it was reset, on a barrier more
};

Stmt with_needed_barriers(const Stmt& s, const Analyzer& facts) {
  const auto launch = launch_of(s);
  if (!launch) return map_inside(s, facts, with_needed_barriers);
  Analyzer in_block = facts;
  for (const For& loop : launch->blocks) in_block.bind(loop.var, {loop.min, loop.extent});
  BarrierStep body = step_of(launch->body);
  Placing(launch->threads).run(body, {}, in_block);
  return statement_of({launch->blocks, launch->threads, decided_form(body)});
}

}  // namespace

Function drop_barriers(const Function& f, const target::Target&) {
  Function out = f;
  out.body = with_needed_barriers(f.body, arith::facts_of(f));
  return out;
}

}  // namespace ardea::lower
