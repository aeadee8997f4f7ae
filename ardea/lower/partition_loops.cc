#include <algorithm>
#include <functional>
#include <ranges>
#include <unordered_set>
#include <utility>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/regions_conditions.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/limits/lane_counts.h"
#include "ardea/limits/steps.h"
#include "ardea/lower/asked_before.h"
#include "ardea/lower/cut_pieces.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/gpu/thread_reductions.h"
#include "ardea/lower/guarded_updates.h"
#include "ardea/lower/interior.h"
#include "ardea/lower/passes.h"
#include "ardea/lower/tail_cases.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// On a loop: its padding is worth cuts, too.
const std::string cut_hint_key = "pragma_loop_partition_hint";

std::int64_t size_of(const Stmt& s) {
  std::int64_t size = 0;
  visit_stmts(s, [&](const Stmt&) { ++size; });
  return size;
}

bool has_copied_loops(const Stmt& s) {
  bool found = false;
  visit_stmts(s, [&](const Stmt& part) {
    const auto* loop = part.as<For>();
    found =
        found || (loop != nullptr && (loop->kind == ForKind::vectorized || loop->kind == ForKind::unrolled));
  });
  return found;
}

/// Whether s uses memory of a smaller scope that is also used around it: a backend keeps it in registers only
/// where all its indices are constants, also those in what is rolled up.
bool shares_small_memory(const Stmt& s) {
  std::unordered_set<Var> own;
  visit_stmts(s, [&](const Stmt& part) {
    if (const auto* allocate = part.as<Allocate>()) own.insert(allocate->data);
  });
  const std::vector<Buffer> buffers = buffers_in(s);
  return std::any_of(buffers.begin(), buffers.end(), [&](const Buffer& b) {
    return scope_rank(b->scope) == ScopeRank::thread && !own.contains(b->data);
  });
}

/// Whether all the cuts are wanted that there is room for: of register tiles, which have no general form, at
/// diagonals, on both sides of which there is work, and by a pragma.
bool wants_cuts(const Stmt& nest) {
  bool found = limits::uses_registers(nest) || has_diagonals(nest);
  visit_stmts(nest, [&](const Stmt& part) {
    const auto* loop = part.as<For>();
    found = found || (loop != nullptr && loop->annotations.contains(cut_hint_key));
  });
  return found;
}

/// One outermost loop and everything in it.
class Partition {
 public:
  Partition(const Stmt& nest, const Analyzer& facts, const target::Target& target, Movable& movable)
      : target_(target), movable_(movable), growth_left_(size_of(nest) * (limits::most_growth - 1)) {
    if (is_for_gpu() || !has_copied_loops(nest) || wants_cuts(nest)) return;
    const auto vectors = facts.constant_bounds(limits::written_vectors(nest, target, facts)).high;
    is_large_ = vectors && *vectors > limits::most_copied_vectors;
    if (is_large_) steps_left_ = limits::most_cut_steps - steps_of(nest, facts).value_or(0);
    steps_left_ = std::max(steps_left_, limits::most_copied_vectors);  // a small part of it is cut anyway
  }

  Stmt visit(const Stmt& s, const Analyzer& facts) {
    if (const auto versions = versions_of(s, facts)) return *versions;
    if (const auto* loop = s.as<For>()) return visit_loop(*loop, facts, {});
    return map_inside(s, facts, [&](const Stmt& part, const Analyzer& known) { return visit(part, known); });
  }

 private:
  using Points = std::vector<Expr>;

  /// There a loop keeps its length where threads would have different ones: unrolled, its guards are
  /// predicates, and what threads keep stays in registers.
  bool is_for_gpu() const { return target_.kind == target::Kind::cuda; }

  /// `done`: where the loop that this is a piece of was cut already.
  Stmt visit_loop(const For& loop, const Analyzer& facts, Points done) {
    if (const auto before = without_head(loop, facts)) return visit(*before, facts);
    const auto cut = find_cut(loop, facts, done);
    if (!cut) {
      For out = loop;
      out.body = visit_body(loop.body, inside(facts, loop));
      return loop.kind == ForKind::serial ? asked_before(out, facts) : conditions_outside(out);
    }
    done.push_back(cut->point);
    const auto& [lower, upper] = cut->parts;
    if (is_no_op(lower.body)) return again(upper, facts, done);
    if (is_no_op(upper.body)) return again(lower, facts, done);
    growth_left_ -= size_of(loop.body);
    if (is_large_ && loop.kind != ForKind::unrolled)
      steps_left_ -= steps_of(loop.body, inside(facts, loop)).value_or(steps_left_);
    if (loop.kind != ForKind::parallel)
      return make_seq({again(lower, facts, done), again(upper, facts, done, /*as_copy=*/true)});
    // One launch of the threads, not two: each iteration chooses its side.
    For out = loop;
    out.body = chosen(loop.var, lower, upper, facts, done);
    return out;
  }

  /// s as it is where its guards hold, and rolled up for anywhere else: in large nests, instead of a copy for
  /// each tail and each border. Where the target has no masks, what is rolled up asks again for each vector.
  std::optional<Stmt> versions_of(const Stmt& s, const Analyzer& facts) {
    if (!is_large_ || s.is<DeclareBuffer>() || s.is<LetStmt>() || shares_small_memory(s)) return std::nullopt;
    if (in_rest_ && !is_unmasked_vector(s)) return std::nullopt;
    if (!has_copied_loops(s) || size_of(s) > growth_left_) return std::nullopt;
    const auto interior = interior_of(s, facts, movable_);
    if (!interior) return std::nullopt;
    growth_left_ -= size_of(s);
    const Stmt main = visit(inside_of(s, *interior, facts), where(facts, interior->condition));
    return If{interior->condition, main, fresh_copy(in_rest_ ? one_by_one(*s.as<For>()) : rest_of(s, facts))};
  }

  Stmt rest_of(const Stmt& s, const Analyzer& facts) {
    in_rest_ = true;
    const Stmt rest = visit(rolled(s, target_), facts);
    in_rest_ = false;
    return rest;
  }

  /// Not by a mask, which would be a branch a lane and access.
  static Stmt one_by_one(For lanes) {
    lanes.kind = ForKind::serial;
    return lanes;
  }

  bool is_unmasked_vector(const Stmt& s) const {
    const auto* loop = s.as<For>();
    return loop != nullptr && loop->kind == ForKind::vectorized &&
           !limits::has_lane_masks(limits::lane_bits(loop->body, target_), target_);
  }

  /// At most; nothing where that is not known.
  std::optional<std::int64_t> steps_of(const Stmt& s, const Analyzer& facts) const {
    return facts.constant_bounds(limits::written_steps(s, target_, facts)).high;
  }

  /// A body of register tiles of unknown size: a case for each size, else as it is.
  Stmt visit_body(const Stmt& body, const Analyzer& facts) {
    const auto cases = tail_cases(body, facts);
    if (!cases) return visit(body, facts);
    Stmt choice;
    const std::vector<std::int64_t> sizes = sizes_that_occur(*cases, facts);
    for (const std::int64_t rows : std::views::reverse(sizes)) {
      const Expr fewer = cases->rows < make_int(rows + 1);
      // Any number of rows from the most on is that case.
      const Analyzer known = rows == cases->most ? facts : where(facts, fewer);
      const Stmt tile = visit_body(with_rows(body, *cases, rows, facts), known);
      choice = choice.defined() ? Stmt(If{fewer, fresh_copy(tile), choice}) : tile;
    }
    return choice;
  }

  /// Rising. Where a size is asked for, there are more rows than of all the sizes before it: that is often
  /// what leaves one size only.
  static std::vector<std::int64_t> sizes_that_occur(const TailCases& cases, Analyzer facts) {
    std::vector<std::int64_t> sizes;
    for (std::int64_t rows = cases.least; rows < cases.most; ++rows) {
      const Expr fewer = cases.rows < make_int(rows + 1);
      const arith::Proof proof = facts.prove(fewer);
      if (proof == arith::Proof::refuted) continue;
      sizes.push_back(rows);
      if (proof == arith::Proof::proved) return sizes;
      facts.assume(logical_not(fewer));
    }
    sizes.push_back(cases.most);
    return sizes;
  }

  /// What a loop does only at the beginning of its first iteration, such as an init, goes before the loop: no
  /// iteration needs a copy of the rest for it.
  static std::optional<Stmt> without_head(const For& loop, const Analyzer& facts) {
    const auto* seq = loop.body.as<Seq>();
    const auto* head = seq != nullptr ? seq->statements[0].as<If>() : nullptr;
    if (head == nullptr || head->else_case.defined() || reads_memory(head->condition) ||
        reads_memory(loop.min) || reads_memory(loop.extent) ||
        (loop.kind != ForKind::serial && loop.kind != ForKind::unrolled))
      return std::nullopt;
    Analyzer later = facts;
    const Expr one = make_int(1, loop.var.type());
    later.bind(loop.var, {loop.min + one, loop.extent - one});
    if (!facts.proves(substitute(head->condition, loop.var, loop.min)) ||
        later.prove(head->condition) != arith::Proof::refuted)
      return std::nullopt;
    For rest = loop;
    rest.body = make_seq(std::vector<Stmt>(seq->statements.begin() + 1, seq->statements.end()));
    const Stmt first = substitute(head->then_case, loop.var, loop.min);
    const Expr runs = loop.extent >= one;
    return make_seq({facts.proves(runs) ? first : Stmt(If{runs, first}), rest});
  }

  /// A piece as a statement: no loop where it runs once.
  Stmt again(const For& piece, const Analyzer& facts, const Points& done, bool as_copy = false) {
    Stmt simple = arith::simplify(Stmt(piece), facts, /*drop_unit_loops=*/true);
    const bool is_piece = simple.is<For>() && simple.as<For>()->var == piece.var;
    // After it was simplified: its other half knows the same variables.
    if (as_copy) simple = fresh_copy(simple);
    return is_piece ? visit_loop(*simple.as<For>(), facts, done) : visit(simple, facts);
  }

  Stmt chosen(const Var& var, const For& lower, const For& upper, const Analyzer& facts, const Points& done) {
    const Stmt high = fresh_copy(upper.body);
    return If{var < upper.min, inside_piece(lower, lower.body, facts, done),
              inside_piece(upper, high, facts, done)};
  }

  /// The body of a piece of a parallel loop, cut further where it has more conditions.
  Stmt inside_piece(For piece, const Stmt& body, const Analyzer& facts, Points done) {
    piece.body = body;
    const auto cut = find_cut(piece, facts, done);
    if (!cut) return visit_body(body, inside(facts, piece));
    done.push_back(cut->point);
    const auto& [lower, upper] = cut->parts;
    growth_left_ -= size_of(body);
    return chosen(piece.var, lower, upper, facts, done);
  }

  /// What a loop whose iterations stand side by side asks in each of them alike is asked once.
  static Stmt conditions_outside(const For& loop) {
    const auto* branch = loop.body.as<If>();
    if (branch == nullptr || branch->else_case.defined() ||
        (loop.kind != ForKind::vectorized && loop.kind != ForKind::unrolled))
      return loop;
    Expr outside, within;
    for (const Expr& condition : arith::conjuncts(branch->condition)) {
      Expr& side = uses(condition, loop.var) || reads_memory(condition) ? within : outside;
      side = side.defined() ? logical_and(side, condition) : condition;
    }
    if (!outside.defined()) return loop;
    For rest = loop;
    rest.body = within.defined() ? Stmt(If{within, branch->then_case}) : branch->then_case;
    return If{outside, rest};
  }

  /// Whether a cut of a loop around register tiles should not copy them for the guard's sake: a loop inside
  /// is the one to cut, so that there is one copy of each kind of tile, or the guard is asked but once a
  /// tile.
  static bool belongs_inside(const Guard& guard) {
    const auto is_used = [&](const Var& var) { return uses(guard.comparison, var); };
    if (std::any_of(guard.repeated.begin(), guard.repeated.end(), is_used)) return true;
    return !guard.repeated.empty() && std::none_of(guard.inner.begin(), guard.inner.end(), is_used);
  }

  /// Where to cut, and what that makes of the loop.
  struct Parts {
    Expr point;
    std::pair<For, For> parts;
  };

  std::optional<Parts> find_cut(const For& loop, const Analyzer& facts, const Points& done) const {
    if (loop.kind == ForKind::thread_binding || loop.kind == ForKind::virtual_thread) return std::nullopt;
    if (reads_memory(loop.min) || reads_memory(loop.extent)) return std::nullopt;
    const GuardPoints guards = points_of(
        guards_in(loop.body, inside(facts, loop), loop.annotations.contains(cut_hint_key)), loop, facts);
    const bool tiles = limits::uses_registers(loop.body);
    std::optional<Parts> tried;  // many guards ask for the same point
    for (const auto& [guard, points] : guards) {
      // All accesses to a register are of the same lanes: a condition of some of them masks lanes, and does
      // not leave them out.
      if (guard.is_likely && tiles && loop.kind == ForKind::vectorized) continue;
      for (const CutPoint& point : points) {
        if (is_for_gpu() && !constant_int(point.point)) continue;
        if (std::any_of(done.begin(), done.end(),
                        [&](const Expr& other) { return structurally_equal(other, point.point); }))
          continue;
        if (!tried || !structurally_equal(tried->point, point.point)) {
          const Cut cut = cut_at(point.point, guards);
          if (is_large_ && !may_cut_large(point.point, loop, guard) && !leaves_nothing(loop.body, cut))
            continue;
          tried = {point.point, pieces(loop, cut, facts)};
        }
        const bool only_shorten =
            tiles ? belongs_inside(guard) : is_large_ && !may_cut_large(point.point, loop, guard);
        if (is_allowed(*tried, loop, only_shorten)) return tried;
      }
    }
    return std::nullopt;
  }

  /// Of a large nest: at a known place that no other loop takes part in, so that both pieces are whole
  /// vectors and copies again, or for what is decided when copies are written out. Other guards are the
  /// business of versions.
  bool may_cut_large(const Expr& point, const For& loop, const Guard& guard) const {
    if (in_rest_ || !constant_int(point) || !constant_int(loop.min) || !constant_int(loop.extent))
      return false;
    if (std::any_of(guard.repeated.begin(), guard.repeated.end(),
                    [&](const Var& var) { return uses(guard.comparison, var); }))
      return false;
    if (loop.kind == ForKind::unrolled) return true;
    const auto steps = steps_of(loop.body, guard.facts);
    return steps && *steps <= steps_left_;
  }

  /// Whether all of the body stands under what a cut decides to be false on one of its sides. Others need not
  /// be built to see that they do not shorten the loop.
  static bool leaves_nothing(const Stmt& body, const Cut& cut) {
    return !acts_where(body, cut.below) || !acts_where(body, cut.from);
  }

  static bool acts_where(const Stmt& s, const std::vector<std::pair<Expr, bool>>& decided) {
    if (const auto* branch = s.as<If>(); branch != nullptr && !branch->else_case.defined()) {
      const std::vector<Expr> all = arith::conjuncts(branch->condition);
      for (const auto& [comparison, value] : decided)
        if (!value && std::find(all.begin(), all.end(), comparison) != all.end()) return false;
    }
    if (limits::is_step(s)) return true;
    bool acts = false;
    for_each_child(
        s, [](const Expr&) {}, [&](const Stmt& part) { acts = acts || acts_where(part, decided); });
    return acts;
  }

  /// A loop that is written out or becomes lanes needs a constant number of iterations. Lanes are not cut but
  /// shortened; where both parts have something to do, a mask says which. Anything else grows by a copy,
  /// unless the loop may only be shortened.
  bool is_allowed(const Parts& found, const For& loop, bool only_shorten) const {
    const auto& [lower, upper] = found.parts;
    const bool shortens = is_no_op(lower.body) || is_no_op(upper.body);
    if (loop.kind == ForKind::vectorized || loop.kind == ForKind::unrolled) {
      if (!constant_int(lower.extent) || !constant_int(upper.extent)) return false;
      if (loop.kind == ForKind::vectorized) return shortens;
    }
    return shortens || (!only_shorten && size_of(loop.body) <= growth_left_);
  }

  const target::Target& target_;
  Movable& movable_;
  std::int64_t growth_left_;     ///< in statements
  std::int64_t steps_left_ = 0;  ///< of large nests
  bool is_large_ = false;
  bool in_rest_ = false;  ///< inside of what is rolled up
};

}  // namespace

Function partition_loops(const Function& f, const target::Target& target) {
  Function out = f;
  const Analyzer facts = arith::facts_of(f);
  Movable movable(f);
  const std::function<Stmt(const Stmt&, const Analyzer&)> partitioned = [&](const Stmt& s,
                                                                            const Analyzer& known) -> Stmt {
    // Of a launch only the parts between its barriers and shuffles, which all threads must come to.
    const bool is_around_parts = target.kind == target::Kind::cuda &&
                                 (holds_launch_loop(s) || holds_block_barrier(s) || holds_shuffle(s));
    if (s.is<For>() && !is_around_parts) return Partition(s, known, target, movable).visit(s, known);
    return map_inside(s, known, partitioned);
  };
  out.body =
      arith::simplify(partitioned(guarded_updates(f.body, facts), facts), facts, /*drop_unit_loops=*/true);
  return out;
}

}  // namespace ardea::lower
