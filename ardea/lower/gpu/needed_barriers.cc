#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/gpu/copy_waits.h"
#include "ardea/lower/gpu/joined_dimensions.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/gpu/passes.h"
#include "ardea/lower/gpu/shared_memory.h"
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
  bool is_needed = false;  ///< of a barrier, for what the walk asks about
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

/// With `otherwise()` in the place of each barrier that is not needed.
template <class Otherwise>
Stmt decided_form(const BarrierStep& step, const Otherwise& otherwise) {
  if (step.is_barrier) return step.is_needed ? step.statement : otherwise();
  if (step.inside.empty()) return step.statement;
  std::vector<Stmt> parts;
  for (const BarrierStep& inner : step.inside) parts.push_back(decided_form(inner, otherwise));
  if (step.statement.is<Seq>()) {
    std::erase_if(parts, is_no_op);
    return make_seq(std::move(parts));
  }
  std::size_t next = 0;
  return map_children(step.statement, Mapper{.stmt = [&](const Stmt& child) {
                        return child.defined() ? parts[next++] : child;
                      }});
}

/// What threads may still be at: all that has run since the last barrier that stays.
struct Pending {
  Stmt statement;
  std::unordered_set<Var> memory;  ///< of all threads, that it touches
  std::size_t depth = 0;           ///< of the loops, conditions and names that it stands in
  std::size_t loops = 0;           ///< that it stands in, among them
  BarrierStep* site = nullptr;     ///< the last barrier behind it that stands in no other loop
};
using AllPending = std::vector<Pending>;

std::unordered_set<Var> memory_of(const arith::AccessesInLoops& accesses) {
  std::unordered_set<Var> memory;
  for (const arith::PlacedAccess& one : accesses.all()) memory.insert(one.access.each.buffer->data);
  return memory;
}

bool have_common(const std::unordered_set<Var>& a, const std::unordered_set<Var>& b) {
  return std::any_of(a.begin(), a.end(), [&](const Var& one) { return b.contains(one); });
}

/// Finds the barriers that threads need which differ in one of the `axes`, those of `threads` by position.
class Placing {
 public:
  Placing(const Launch& launch, std::vector<std::size_t> axes)
      : axes_(std::move(axes)), in_common_(launch.body) {
    for (const For& loop : launch.threads) threads_.emplace_back(loop.var, Range{loop.min, loop.extent});
  }

  /// Runs through the step while so much is pending, and decides on the barriers on its way; what is pending
  /// behind it.
  AllPending run(BarrierStep& step, AllPending pending, const Analyzer& facts) {
    if (step.is_barrier) return at_barrier(step, std::move(pending));
    if (step.inside.empty()) return at_part(step.statement, std::move(pending), facts);
    if (step.statement.is<Seq>()) {
      for (BarrierStep& inner : step.inside) pending = run(inner, std::move(pending), facts);
      return pending;
    }
    if (const auto* loop = step.statement.as<For>()) return in_loop(step, *loop, pending, facts);
    if (const auto* branch = step.statement.as<If>()) return in_branch(step, *branch, pending, facts);
    if (const auto* let = step.statement.as<LetStmt>()) {
      if (reads_memory(let->value)) pending = at_part(Evaluate{let->value}, std::move(pending), facts);
      lets_[let->var] = substitute(let->value, lets_);
    }
    return run(step.inside[0], std::move(pending), facts);
  }

  /// Whether one barrier stood between all that meet; elsewhere only those of several ways together do.
  bool found_all() const { return found_all_; }

 private:
  AllPending at_barrier(BarrierStep& barrier, AllPending pending) const {
    if (barrier.is_needed) return {};
    for (Pending& part : pending)
      if (part.loops == loops_) part.site = &barrier;
    return pending;
  }

  AllPending at_part(const Stmt& s, AllPending pending, const Analyzer& facts) {
    // Names differ from thread to thread as what they stand for does.
    const Stmt part = joined_.in(with_accesses_shown(substitute(s, lets_), facts));
    const arith::AccessesInLoops accesses = common_accesses(part, threads_, facts);
    const std::unordered_set<Var> memory = memory_of(accesses);
    for (;;) {
      const auto met = std::find_if(pending.begin(), pending.end(), [&](const Pending& earlier) {
        if (!axes_.empty() && in_common_.are_there(earlier.memory, memory)) return true;
        return have_common(earlier.memory, memory) &&
               may_meet(common_accesses(earlier.statement, threads_, facts), accesses, threads_, axes_,
                        facts);
      });
      if (met == pending.end()) break;
      BarrierStep* site = met->site;
      if (site == nullptr) {
        found_all_ = false;
        pending.erase(met);
        continue;
      }
      decided_ = decided_ || !site->is_needed;
      site->is_needed = true;
      std::erase_if(pending, [&](const Pending& earlier) { return earlier.site == site; });
    }
    pending.push_back({part, memory, depth_, loops_});
    return pending;
  }

  AllPending in_branch(BarrierStep& step, const If& branch, const AllPending& pending,
                       const Analyzer& facts) {
    const Expr test = substitute(branch.condition, lets_);
    ++depth_;
    AllPending out = leave(run(step.inside[0], pending, where(facts, test)),
                           [&](const Stmt& s) { return Stmt(If{test, s}); });
    if (step.inside.size() > 1) {
      ++depth_;
      add(out, leave(run(step.inside[1], pending, where(facts, logical_not(test))),
                     [&](const Stmt& s) { return Stmt(If{logical_not(test), s}); }));
    } else {
      add(out, pending);
    }
    // Barriers inside stand on one of the ways only; another one follows.
    for (Pending& part : out)
      if (part.loops == loops_) part.site = nullptr;
    return out;
  }

  static void add(AllPending& all, const AllPending& more) {
    for (const Pending& part : more)
      if (std::none_of(all.begin(), all.end(),
                       [&](const Pending& known) { return known.statement == part.statement; }))
        all.push_back(part);
  }

  /// The iterations follow each other: what one leaves pending meets the next. What they need among
  /// themselves is decided first: where it does not keep what was before the loop apart, one barrier before
  /// the loop does.
  AllPending in_loop(BarrierStep& step, const For& loop, const AllPending& pending, const Analyzer& facts) {
    For ranged = loop;
    ranged.min = substitute(loop.min, lets_);
    ranged.extent = substitute(loop.extent, lets_);
    const Expr one = make_int(1, loop.extent.type());
    const Analyzer in_any = inside(facts, ranged);
    ++depth_;
    ++loops_;
    bool has_decided = decided_;
    do {
      decided_ = false;
      const AllPending end = run(step.inside[0], {}, in_any);
      if (!facts.proves(ranged.extent <= one)) meet_next(step, ranged, end, in_any);
      has_decided = has_decided || decided_;
    } while (decided_);  // with one barrier more, less is pending
    decided_ = has_decided;
    AllPending out = run(step.inside[0], pending, in_any);
    // A loop of no iteration leaves all as it was.
    if (!facts.proves(ranged.extent >= one)) add(out, pending);
    --loops_;
    return leave(std::move(out), [&](const Stmt& s) {
      For around = ranged;
      around.body = s;
      return Stmt(around);
    });
  }

  /// Whether what is pending at the end of an iteration meets a later one: the next, where a barrier in every
  /// iteration stands between it and all others.
  void meet_next(BarrierStep& step, const For& loop, const AllPending& end, const Analyzer& facts) {
    if (end.empty()) return;
    const Expr previous = loop.var - make_int(1, loop.var.type());
    const bool only_next = has_needed_barrier(step.inside[0]);
    const Var earlier(loop.var.name(), loop.var.type());
    AllPending next = end;
    for (Pending& part : next)
      part.statement = substitute(part.statement, loop.var, only_next ? previous : Expr(earlier));
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

  /// What is pending outside of what has been run through: what came to be so in it is so in all its runs.
  template <class Around>
  AllPending leave(AllPending pending, const Around& around) {
    --depth_;
    for (Pending& part : pending)
      if (part.depth > depth_)
        part = {fresh_copy(around(part.statement)), part.memory, depth_, loops_,
                part.loops > loops_ ? nullptr : part.site};
    return pending;
  }

  std::vector<arith::LoopRange> threads_;
  std::vector<std::size_t> axes_;
  BytesInCommon in_common_;
  JoinedDimensions joined_;
  Substitution lets_;
  std::size_t depth_ = 0, loops_ = 0;  ///< around the step under way
  bool decided_ = false;               ///< since it was reset, on a barrier more
  bool found_all_ = true;
};

/// The statement with each launch in it changed by change(launch, facts about its blocks).
template <class Change>
Stmt with_launches(const Stmt& s, const Analyzer& facts, const Change& change) {
  auto launch = launch_of(s);
  if (!launch)
    return map_inside(s, facts, [&](const Stmt& part, const Analyzer& known) {
      return with_launches(part, known, change);
    });
  Analyzer in_block = facts;
  for (const For& loop : launch->blocks) in_block.bind(loop.var, {loop.min, loop.extent});
  launch->body = change(*launch, in_block);
  return statement_of(*std::move(launch));
}

Stmt without_idle_barriers(const Launch& launch, const Analyzer& facts) {
  std::vector<std::size_t> all(launch.threads.size());
  std::iota(all.begin(), all.end(), 0);
  BarrierStep body = step_of(launch.body);
  Placing placing(launch, all);
  placing.run(body, {}, facts);
  ensure(placing.found_all(), "drop_barriers: there is no barrier to keep");
  return decided_form(body, make_no_op);
}

/// The axes of the launch's threads that tell its warps apart, where those of one warp are all of its x;
/// nothing of other launches.
std::optional<std::vector<std::size_t>> axes_of_warps(const Launch& launch, std::int64_t lanes) {
  std::vector<std::size_t> axes;
  bool has_lanes = false;
  for (std::size_t axis = 0; axis < launch.threads.size(); ++axis) {
    const For& loop = launch.threads[axis];
    if (loop.thread != "threadIdx.x")
      axes.push_back(axis);
    else
      has_lanes = constant_int(loop.extent) == lanes;
  }
  return has_lanes ? std::optional(axes) : std::nullopt;
}

/// What copies have brought is read behind the barrier at which they are waited for, wherever they began.
void keep_behind_waits(BarrierStep& step) {
  for (std::size_t i = 0; i < step.inside.size(); ++i) {
    keep_behind_waits(step.inside[i]);
    if (i > 0 && step.inside[i].is_barrier && is_copy_wait(step.inside[i - 1].statement))
      step.inside[i].is_needed = true;
  }
}

Stmt with_warp_barriers(const Launch& launch, std::int64_t lanes, const Analyzer& facts) {
  const auto axes = axes_of_warps(launch, lanes);
  if (!axes) return launch.body;
  BarrierStep body = step_of(launch.body);
  keep_behind_waits(body);
  Placing placing(launch, *axes);
  placing.run(body, {}, facts);
  return placing.found_all() ? decided_form(body, make_warp_barrier) : launch.body;
}

}  // namespace

Function drop_barriers(const Function& f, const target::Target&) {
  Function out = f;
  out.body = with_launches(f.body, arith::facts_of(f), without_idle_barriers);
  return out;
}

Function narrow_barriers(const Function& f, const target::Target& target) {
  if (!target.gpu) return f;
  Function out = f;
  out.body = with_launches(f.body, arith::facts_of(f), [&](const Launch& launch, const Analyzer& facts) {
    return with_warp_barriers(launch, target.gpu->warp_threads, facts);
  });
  return out;
}

}  // namespace ardea::lower
