#include <algorithm>
#include <ranges>
#include <set>
#include <unordered_set>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/thread_axes.h"
#include "ardea/limits/instruction_windows.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/gpu/passes.h"
#include "ardea/lower/gpu/private_memory.h"
#include "ardea/lower/gpu/shared_memory.h"
#include "ardea/lower/gpu/thread_reductions.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// Where a statement stands in its launch.
struct PlaceInLaunch {
  Analyzer facts;
  std::set<std::string> bound = {};     ///< tags of the thread loops around
  std::vector<Expr> range_guards = {};  ///< which threads do it: those that their loops are long enough for,
  std::vector<Expr> guards = {};        ///< and for which these conditions hold
  Substitution lets = {};               ///< what names around stand for
  std::vector<Stmt> around = {};        ///< loops, conditions and names of the launch, outermost first
};

bool has_effect_call(const Stmt& s) {
  return any_expr(s, [](const Expr& e) {
    const auto* call = e.as<Call>();
    return call != nullptr && call->op->effect == Effect::writes;
  });
}

/// Whether s computes only what each thread keeps for itself, and all of them may compute it.
bool writes_private_memory_only(const Stmt& s) {
  bool only = !has_effect_call(s);
  visit_stmts(s, [&](const Stmt& part) {
    const auto* store = part.as<Store>();
    only = only && (store == nullptr || is_private(store->buffer->scope));
  });
  return only;
}

class Unifying {
 public:
  Unifying(const std::string& name, const target::Target& target) : name_(name), target_(target) {}

  Stmt launch(const Stmt& s, const Analyzer& facts) {
    const Stmt whole = without_block_loops(s, facts);
    const Stmt body = without_shared_memory(whole);
    find_shared_memory(whole);
    find_threads(body, facts_);
    if (holds_warp_instruction(body)) add_lanes();
    check_thread_count();
    PlaceInLaunch place{facts_};
    for (const For& loop : threads_) place.facts.bind(loop.var, {loop.min, loop.extent});
    Stmt spread_body = spread(body, place);
    require_private(memory_, parts_, threads_, facts_, name_);
    for (Allocate around : shared_) {
      const auto* declare = around.body.as<DeclareBuffer>();
      around.body = declare != nullptr ? Stmt(DeclareBuffer{declare->buffer, spread_body}) : spread_body;
      spread_body = around;
    }
    return statement_of({blocks_, threads_, spread_body});
  }

 private:
  // --- the loops of the launch ---

  /// The body of the loops over blocks, which stand around all else. Names and memory between them go inside.
  Stmt without_block_loops(const Stmt& s, const Analyzer& facts) {
    facts_ = facts;
    std::vector<Stmt> between;
    Stmt body = s;
    for (;;) {
      const auto* loop = body.as<For>();
      if (loop != nullptr && is_block_loop(*loop)) {
        For block = *loop;
        if (!is_zero(block.min)) {
          block.var = Var(loop->var.name(), loop->var.type());
          block.body = substitute(loop->body, loop->var, block.var + loop->min);
          block.min = make_int(0, loop->min.type());
        }
        facts_.bind(block.var, {block.min, block.extent});
        body = block.body;
        blocks_.push_back(std::move(block));
      } else if (is_between(body)) {
        between.push_back(body);
        facts_ = inside(facts_, body);
        for_each_child(body, [](const Expr&) {}, [&](const Stmt& part) { body = part; });
      } else {
        break;
      }
    }
    check_block_loops(body);
    for (const Stmt& wrapper : std::views::reverse(between))
      body = map_children(wrapper, Mapper{.stmt = [&](const Stmt&) { return body; }});
    return body;
  }

  static bool is_between(const Stmt& s) {
    const bool wraps = s.is<Allocate>() || s.is<DeclareBuffer>() || s.is<LetStmt>();
    bool has_block_loop = false;
    visit_stmts(s, [&](const Stmt& part) {
      const auto* loop = part.as<For>();
      has_block_loop = has_block_loop || (loop != nullptr && is_block_loop(*loop));
    });
    return wraps && has_block_loop;
  }

  void check_block_loops(const Stmt& body) const {
    std::set<std::string> tags;
    for (const For& loop : blocks_)
      require(tags.insert(loop.thread).second,
              "lower {}: two loops of one nest are bound to {}; fuse them, or use another axis", name_,
              loop.thread);
    visit_stmts(body, [&](const Stmt& s) {
      const auto* loop = s.as<For>();
      require(
          loop == nullptr || !is_block_loop(*loop),
          "lower {}: loop {}, bound to {}, stands inside of other work of its launch, but blocks of threads "
          "cannot wait for each other; reorder the loops bound to blockIdx outside of all others, or cut "
          "the nest in two",
          name_, loop == nullptr ? "" : loop->var.name(), loop == nullptr ? "" : loop->thread);
    });
  }

  /// One loop of each tag, as long as the longest.
  void find_threads(const Stmt& s, const Analyzer& facts) {
    if (const auto* loop = s.as<For>(); loop != nullptr && is_thread_loop(*loop)) {
      const auto most = facts.constant_bounds(loop->extent).high;
      require(
          most.has_value(),
          "lower {}: loop {}, bound to {}, has {} iterations, which is no number; split it by a number and "
          "bind the inner loop",
          name_, loop->var.name(), loop->thread, print(loop->extent));
      const auto same = std::find_if(threads_.begin(), threads_.end(),
                                     [&](const For& other) { return other.thread == loop->thread; });
      const Expr extent = make_int(std::max<std::int64_t>(*most, 1));
      if (same == threads_.end()) {
        threads_.push_back(
            {Var(loop->var.name()), make_int(0), extent, ForKind::thread_binding, {}, loop->thread});
      } else {
        if (same->var.name() != loop->var.name())
          same->var = Var(fmt::format("thread_{}", loop->thread.back()));
        if (*constant_int(same->extent) < *constant_int(extent)) same->extent = extent;
      }
    }
    const auto look = [&](const Stmt& part, const Analyzer& known) {
      find_threads(part, known);
      return part;
    };
    map_inside(s, facts, look);
  }

  /// Where instructions of warps are, threadIdx.x counts the lanes of one.
  void add_lanes() {
    const std::int64_t lanes = target_.gpu->warp_threads;
    const auto same = std::find_if(threads_.begin(), threads_.end(),
                                   [](const For& loop) { return loop.thread == lane_axis; });
    if (same == threads_.end()) {
      threads_.push_back(
          {Var("lane"), make_int(0), make_int(lanes), ForKind::thread_binding, {}, std::string(lane_axis)});
      return;
    }
    require(constant_int(same->extent) == lanes,
            "lower {}: its launch has instructions that the {} lanes of a warp run together, and {} threads "
            "along "
            "{}; split these loops by {}",
            name_, lanes, *constant_int(same->extent), lane_axis, lanes);
  }

  void check_thread_count() const {
    std::int64_t count = 1;
    for (const For& loop : threads_) count *= *constant_int(loop.extent);
    const int most = target_.gpu->threads_per_block;
    require(count <= most, "lower {}: a block of its launch has {} threads, target {} has {} in a block",
            name_, count, target_.name, most);
  }

  const For& thread(const std::string& tag) const {
    return *std::find_if(threads_.begin(), threads_.end(),
                         [&](const For& loop) { return loop.thread == tag; });
  }

  // --- what every thread does ---

  Stmt spread(const Stmt& s, const PlaceInLaunch& place) {
    const bool is_part = !holds_launch_loop(s) && !holds_combining_loop(s) &&
                         (fills_for_all(s, place) || !holds_filling(s, place));
    if (is_part && !s.is<Allocate>() && !s.is<DeclareBuffer>()) return part(s, place);
    if (const auto* sequence = s.as<Seq>()) {
      std::vector<Stmt> parts;
      for (const Stmt& one : sequence->statements) parts.push_back(spread(one, place));
      return make_seq(std::move(parts));
    }
    if (const auto* loop = s.as<For>())
      return is_thread_loop(*loop) ? bound(*loop, place) : serial(*loop, place);
    if (const auto* branch = s.as<If>()) return condition(*branch, place);
    if (const auto* let = s.as<LetStmt>()) return name(*let, place);
    if (const auto* allocate = s.as<Allocate>()) return memory(*allocate, place);
    const auto* declare = s.as<DeclareBuffer>();
    ensure(declare != nullptr, "unify_thread_bindings met `{}` around loops of threads", print(s));
    return DeclareBuffer{declare->buffer, spread(declare->body, place)};
  }

  static Expr conjunction(const std::vector<Expr>& conditions) {
    Expr all;
    for (const Expr& one : conditions) all = all.defined() ? logical_and(all, one) : one;
    return all;
  }

  /// Whether threads along the axis that s stands in would all do the same in memory that they share: by what
  /// independent_threads has proved, one of them does it for all.
  bool fills_for_all(const Stmt& s, const std::string& tag, const PlaceInLaunch& place) const {
    const Var& own = thread(tag).var;
    bool only = !has_effect_call(s), any = false, depends = uses(s, own);
    visit_stmts(s, [&](const Stmt& part) {
      const auto* store = part.as<Store>();
      if (store == nullptr) return;
      any = true;
      only = only && is_block_memory(store->buffer->scope);
    });
    for (const auto& [var, value] : place.lets) depends = depends || (uses(value, own) && uses(s, var));
    for (const Expr& guard : place.guards) depends = depends || uses(guard, own);
    return only && any && !depends;
  }
  bool fills_for_all(const Stmt& s, const PlaceInLaunch& place) const {
    return std::any_of(place.bound.begin(), place.bound.end(),
                       [&](const std::string& tag) { return fills_for_all(s, tag, place); });
  }
  /// Whether such a part stands in s, where all threads come to it.
  bool holds_filling(const Stmt& s, const PlaceInLaunch& place) const {
    if (s.is<Store>()) return fills_for_all(s, place);
    const auto* loop = s.as<For>();
    const auto* branch = s.as<If>();
    if (loop != nullptr && (depends_on_thread(loop->min, place) || depends_on_thread(loop->extent, place)))
      return false;
    if (branch != nullptr && depends_on_thread(branch->condition, place)) return false;
    bool found = false;
    for_each_child(
        s, [](const Expr&) {},
        [&](const Stmt& part) { found = found || (part.defined() && holds_filling(part, place)); });
    return found;
  }

  /// What holds no loop over threads: the threads of the loops around do it, along other axes the first one
  /// alone, or all of them what each keeps for itself.
  Stmt part(const Stmt& s, const PlaceInLaunch& place) {
    if (is_no_op(s)) return s;
    const bool of_warp = holds_warp_instruction(s);
    if (of_warp) check_warp_part(s, place);
    const bool by_all = of_warp || writes_private_memory_only(s);
    std::vector<Expr> guards = place.range_guards;
    guards.insert(guards.end(), place.guards.begin(), place.guards.end());
    const Expr own = conjunction(guards);
    const Stmt shown = with_accesses_shown(s, place.facts);
    parts_.push_back(
        {own.defined() ? make_if(own, shown) : shown, place.bound, by_all, place.lets, place.around});
    for (const For& loop : threads_) {
      const bool is_bound = place.bound.contains(loop.thread);
      if (is_bound ? fills_for_all(s, loop.thread, place) : !by_all)
        guards.push_back(equals(loop.var, make_int(0)));
    }
    const Expr all = conjunction(guards);
    return make_seq({all.defined() ? make_if(all, s) : s, barrier()});
  }

  static bool holds_warp_instruction(const Stmt& s) {
    bool found = false;
    visit_stmts(s, [&](const Stmt& part) { found = found || is_warp_instruction(part); });
    return found;
  }

  static bool holds_group_instruction(const Stmt& s) {
    bool found = false;
    visit_stmts(s, [&](const Stmt& part) {
      const Call* call = limits::instruction_call(part);
      found = found || (call != nullptr &&
                        intrin::find_instruction(call->arguments[0].as<StringImm>()->value).warps > 1);
    });
    return found;
  }

  /// The lanes of a warp are the threads along threadIdx.x, and all of them come to its instructions.
  void check_warp_part(const Stmt& s, const PlaceInLaunch& place) const {
    require(
        !place.bound.contains(std::string(lane_axis)),
        "lower {}: `{}` is run by all lanes of a warp together, and stands in a loop that is bound to {}, "
        "which are the lanes; bind loops over warps to threadIdx.y or threadIdx.z",
        name_, first_line(s), lane_axis);
    for (const Expr& guard : place.guards)
      require(!uses(substitute(guard, place.lets), thread(std::string(lane_axis)).var),
              "lower {}: `{}` is run by all lanes of a warp together, but not all of them come to it: {}",
              name_, first_line(s), print(guard));
    if (holds_group_instruction(s)) {
      std::vector<Expr> all = place.range_guards;
      all.insert(all.end(), place.guards.begin(), place.guards.end());
      for (const Expr& guard : all)
        require(!depends_on_thread(guard, place),
                "lower {}: `{}` is run by several warps together, but not all of them come to it: {}", name_,
                first_line(s), print(guard));
    }
    visit_stmts(s, [&](const Stmt& part) {
      require(
          !part.is<Store>() || is_private(part.as<Store>()->buffer->scope),
          "lower {}: `{}` stands in one loop with instructions of a warp; put it in a loop over threads of "
          "its own",
          name_, first_line(part));
    });
  }

  Stmt barrier() const { return threads_.empty() ? make_no_op() : make_block_barrier(); }

  Stmt bound(const For& loop, PlaceInLaunch place) {
    // In another loop of the same thread it fills memory for all of them, and each does its part.
    place.bound.insert(loop.thread);
    const For& own = thread(loop.thread);
    const Expr at = make_cast(loop.var.type(), own.var);
    const Expr value = is_zero(loop.min) ? at : at + loop.min;
    if (!place.facts.proves(make_cast(int64, loop.extent) >= own.extent)) {
      const Expr runs = own.var < make_cast(int64, loop.extent);
      if (std::none_of(place.range_guards.begin(), place.range_guards.end(),
                       [&](const Expr& known) { return structurally_equal(known, runs); }))
        place.range_guards.push_back(runs);
      place.facts = where(place.facts, runs);
    }
    return spread(substitute(loop.body, loop.var, value), place);
  }

  bool depends_on_thread(const Expr& e, const PlaceInLaunch& place) const {
    const Expr known = substitute(e, place.lets);
    return std::any_of(threads_.begin(), threads_.end(),
                       [&](const For& loop) { return uses(known, loop.var); });
  }

  Stmt serial(const For& loop, const PlaceInLaunch& place) {
    for (const Expr& bound : {loop.min, loop.extent})
      require(
          !depends_on_thread(bound, place) && !reads_memory(substitute(bound, place.lets)),
          "lower {}: loop {} has loops over threads inside and a length, {}, that is not the same for all "
          "of them, so that they cannot wait for each other; bind loops outside of it only",
          name_, loop.var.name(), print(loop.extent));
    PlaceInLaunch inner = place;
    inner.facts = inside(place.facts, loop);
    inner.around.emplace_back(loop);
    For out = loop;
    out.kind = loop.kind == ForKind::unrolled ? ForKind::unrolled : ForKind::serial;
    out.thread.clear();
    out.body = spread(loop.body, inner);
    return make_seq({out, barrier()});
  }

  Stmt condition(const If& branch, const PlaceInLaunch& place) {
    const Expr& test = branch.condition;
    require(
        !reads_memory(substitute(test, place.lets)),
        "lower {}: the condition {} has loops over threads inside and reads memory, which they may change; "
        "put it inside of them",
        name_, print(test));
    const bool differs = depends_on_thread(test, place);
    const auto side = [&](const Stmt& body, const Expr& holds) {
      PlaceInLaunch inner = place;
      inner.facts = where(place.facts, holds);
      if (differs)
        inner.guards.push_back(holds);
      else
        inner.around.emplace_back(If{holds, make_no_op()});
      return spread(body, inner);
    };
    const Stmt then_case = side(branch.then_case, test);
    const Stmt else_case = branch.else_case.defined() ? side(branch.else_case, logical_not(test)) : Stmt();
    if (!differs) return make_seq({make_if(test, then_case, else_case), barrier()});
    return else_case.defined() ? make_seq({then_case, else_case}) : then_case;
  }

  Stmt name(const LetStmt& let, const PlaceInLaunch& place) {
    PlaceInLaunch inner = place;
    inner.facts = inside(place.facts, let);
    inner.lets[let.var] = substitute(let.value, place.lets);
    const Stmt body = spread(let.body, inner);
    // What it reads may be overwritten inside, by a thread that is ahead.
    return LetStmt{let.var, let.value, reads_memory(let.value) ? make_seq({barrier(), body}) : body};
  }

  Stmt memory(const Allocate& allocate, const PlaceInLaunch& place) {
    if (place.bound.size() < threads_.size()) memory_.push_back({allocate.data, place.bound});
    Allocate out = allocate;
    out.body = spread(allocate.body, place);
    return out;
  }

  /// Memory of a block is the same bytes whenever it is allocated: one allocation for all of it shows what
  /// meets there.
  Stmt without_shared_memory(const Stmt& s) const {
    return rewrite(
        s, Rewriter{.stmt_after = [&](const Stmt& x) -> Stmt {
          const auto* allocate = x.as<Allocate>();
          if (allocate == nullptr || is_private(allocate->scope) || is_warp_memory(allocate->scope)) return x;
          check_shared(*allocate);
          const auto* declare = allocate->body.as<DeclareBuffer>();
          return declare != nullptr ? declare->body : allocate->body;
        }});
  }

  /// What parts of reductions lie in is too little to wait for.
  void find_shared_memory(const Stmt& whole) {
    std::unordered_set<Var> of_reductions;
    visit_stmts(whole, [&](const Stmt& s) {
      const auto* loop = s.as<For>();
      if (loop == nullptr || combined_axes(*loop).empty()) return;
      for (const Buffer& buffer : buffers_in(loop->body)) of_reductions.insert(buffer->data);
    });
    shared_ = with_bytes_in_turn(whole, of_reductions);
    std::reverse(shared_.begin(), shared_.end());
  }

  void check_shared(const Allocate& allocate) const {
    const std::string& called = allocate.data.name();
    require(
        is_block_memory(allocate.scope),
        "lower {}: {} is allocated in scope {} by threads, which can allocate in \"shared\" and \"local\"; "
        "choose one of them, or use it outside of their loops, too",
        name_, called, allocate.scope);
    for (const Expr& extent : allocate.extents)
      require(extent.is<IntImm>(),
              "lower {}: {} in scope {} has an extent of {}, but the size of shared memory must be a number; "
              "split the loops over it by numbers",
              name_, called, allocate.scope, print(extent));
  }

  const std::string& name_;
  const target::Target& target_;
  std::vector<For> blocks_, threads_;
  Analyzer facts_;  ///< inside the loops over blocks
  std::vector<ThreadPart> parts_;
  std::vector<ThreadMemory> memory_;
  std::vector<Allocate> shared_;  ///< from the innermost on
};

Stmt with_unified_launches(const Stmt& s, const Analyzer& facts, const std::string& name,
                           const target::Target& target) {
  if (const auto* loop = s.as<For>(); loop != nullptr && is_launch_loop(*loop))
    return Unifying(name, target).launch(s, facts);
  return map_inside(s, facts, [&](const Stmt& part, const Analyzer& known) {
    return with_unified_launches(part, known, name, target);
  });
}

}  // namespace

Function unify_thread_bindings(const Function& f, const target::Target& target) {
  Function out = f;
  out.body = with_unified_launches(f.body, arith::facts_of(f), f.name, target);
  out.attributes["concurrent_threads"] = Attribute{make_bool(true)};
  return out;
}

}  // namespace ardea::lower
