#include "ardea/arith/unchanged.h"

#include <algorithm>
#include <functional>

#include "ardea/arith/regions_linear.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"

namespace ardea::arith {

namespace {

bool same_expr(const Expr& a, const Expr& b) {
  if (a == b) return true;
  return a.defined() && b.defined() && structurally_equal(a, b);
}

bool same_range(const Range& a, const Range& b) {
  return same_expr(a.min, b.min) && same_expr(a.extent, b.extent);
}

/// Whether the iterators have the same domains, so that what is inside knows the same of them.
bool same_domains(const Block& a, const Block& b) {
  return std::equal(a.iterators.begin(), a.iterators.end(), b.iterators.begin(), b.iterators.end(),
                    [](const BlockIterator& x, const BlockIterator& y) {
                      return x.var == y.var && x.kind == y.kind && same_range(x.domain, y.domain);
                    });
}

/// Whether they also have the same values.
bool same_iterators(const Block& a, const Block& b) {
  return same_domains(a, b) &&
         std::equal(
             a.iterators.begin(), a.iterators.end(), b.iterators.begin(), b.iterators.end(),
             [](const BlockIterator& x, const BlockIterator& y) { return same_expr(x.binding, y.binding); });
}

bool same_regions(const std::optional<std::vector<BufferRegion>>& a,
                  const std::optional<std::vector<BufferRegion>>& b) {
  if (!a || !b) return false;
  return std::equal(
      a->begin(), a->end(), b->begin(), b->end(), [](const BufferRegion& x, const BufferRegion& y) {
        return x.buffer == y.buffer &&
               std::equal(x.region.begin(), x.region.end(), y.region.begin(), y.region.end(), same_range);
      });
}

std::vector<Stmt> statements_of(const Stmt& s) {
  const auto* seq = s.as<Seq>();
  return seq != nullptr ? seq->statements : std::vector<Stmt>{s};
}

bool has_assertion(const std::vector<Stmt>& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const Stmt& s) { return s.is<Assert>(); });
}

/// A block, and what is around it in the block around.
struct PlacedBlock {
  Stmt block;
  std::vector<LoopRange> loops;
  /// Neither lets nor conditions nor assertions, and no loop that depends on another one: what holds of a
  /// variable is what its own loop says.
  bool only_loops = true;
};

/// The blocks in s that are in no other block there.
std::vector<PlacedBlock> blocks_directly_in(const Stmt& s) {
  std::vector<PlacedBlock> blocks;
  PlacedBlock here;
  const std::function<void(const Stmt&)> look = [&](const Stmt& part) {
    if (part.is<Block>()) {
      here.block = part;
      blocks.push_back(here);
      return;
    }
    const auto* loop = part.as<For>();
    const bool before = here.only_loops;
    if (loop != nullptr) {
      here.only_loops = before && !uses_any(loop->min, here.loops) && !uses_any(loop->extent, here.loops);
      here.loops.emplace_back(loop->var, Range{loop->min, loop->extent});
    } else {
      here.only_loops = before && part.is<Seq>() && !has_assertion(statements_of(part));
    }
    for_each_child(part, [](const Expr&) {}, look);
    here.only_loops = before;
    if (loop != nullptr) here.loops.pop_back();
  };
  if (s.defined()) look(s);
  return blocks;
}

/// Whether the loop runs as one of the others does.
bool runs_alike(const LoopRange& loop, const std::vector<LoopRange>& others) {
  return std::any_of(others.begin(), others.end(), [&](const LoopRange& other) {
    return other.first == loop.first && same_range(other.second, loop.second);
  });
}

/// For each iterator, whether its binding has the values that it had, of which it was proved that they lie in
/// its domain: it is the same function of loops that each run as they did, and nothing else was known.
std::vector<bool> bindings_kept(const PlacedBlock& now, const PlacedBlock& before) {
  const auto &a = *now.block.as<Block>(), &b = *before.block.as<Block>();
  std::vector<bool> kept(a.iterators.size());
  if (!now.only_loops || !before.only_loops || b.predicate.defined()) return kept;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Expr& binding = a.iterators[i].binding;
    kept[i] = same_expr(binding, b.iterators[i].binding) &&
              std::all_of(now.loops.begin(), now.loops.end(), [&](const LoopRange& loop) {
                return !uses(binding, loop.first) || runs_alike(loop, before.loops);
              });
  }
  return kept;
}

bool is_constant(const Attribute& attribute) {
  if (const auto* items = std::get_if<std::vector<Attribute>>(&attribute.value))
    return std::all_of(items->begin(), items->end(), is_constant);
  const Expr& value = std::get<Expr>(attribute.value);
  return value.is<IntImm>() || value.is<FloatImm>() || value.is<StringImm>();
}

bool are_constant(const Attributes& attributes) {
  return std::all_of(attributes.begin(), attributes.end(),
                     [](const auto& attribute) { return is_constant(attribute.second); });
}

bool is_thread(ForKind kind) { return kind == ForKind::thread_binding || kind == ForKind::virtual_thread; }

bool same_but_for_marks(const Stmt& now, const Stmt& before) {
  if (now == before) return true;
  if (const auto *a = now.as<For>(), *b = before.as<For>(); a != nullptr && b != nullptr)
    return a->var == b->var && a->min == b->min && a->extent == b->extent &&
           (a->kind == b->kind || (!is_thread(a->kind) && !is_thread(b->kind))) && a->thread == b->thread &&
           are_constant(a->annotations) && same_but_for_marks(a->body, b->body);
  if (const auto *a = now.as<Block>(), *b = before.as<Block>(); a != nullptr && b != nullptr)
    return same_iterators(*a, *b) && a->predicate == b->predicate && same_regions(a->reads, b->reads) &&
           same_regions(a->writes, b->writes) && a->allocations == b->allocations && a->matches.empty() &&
           b->matches.empty() && are_constant(a->annotations) && a->init == b->init &&
           same_but_for_marks(a->body, b->body);
  if (const auto *a = now.as<Seq>(), *b = before.as<Seq>(); a != nullptr && b != nullptr)
    return std::equal(a->statements.begin(), a->statements.end(), b->statements.begin(), b->statements.end(),
                      same_but_for_marks);
  return false;
}

bool same_inside(const Block& a, const Block& b) {
  return same_domains(a, b) && same_regions(a.reads, b.reads) && same_regions(a.writes, b.writes) &&
         a.init == b.init && a.body == b.body && a.allocations == b.allocations && a.matches.empty() &&
         b.matches.empty();
}

}  // namespace

bool only_marks_differ(const Function& now, const Function& before) {
  const auto same_parameter = [](const Parameter& a, const Parameter& b) {
    return a.var == b.var && a.buffer == b.buffer;
  };
  return std::equal(now.parameters.begin(), now.parameters.end(), before.parameters.begin(),
                    before.parameters.end(), same_parameter) &&
         now.assumptions == before.assumptions && same_but_for_marks(now.body, before.body);
}

Unchanged::Unchanged(const Function& now, const Function& before) {
  // What is assumed may grow, and proofs hold still.
  const std::vector<Var> a = shape_variables(now), b = shape_variables(before);
  const bool assumes_less =
      before.assumptions.size() > now.assumptions.size() ||
      !std::equal(before.assumptions.begin(), before.assumptions.end(), now.assumptions.begin());
  if (assumes_less || !std::equal(a.begin(), a.end(), b.begin(), b.end())) return;
  compare(now.body, before.body);
  compare_insides(now.body, before.body);
}

void Unchanged::compare_insides(const Stmt& now, const Stmt& before) {
  const std::vector<PlacedBlock> theirs = blocks_directly_in(before);
  for (const PlacedBlock& mine : blocks_directly_in(now)) {
    const auto& a = *mine.block.as<Block>();
    for (const PlacedBlock& other : theirs) {
      const auto& b = *other.block.as<Block>();
      if (!same_domains(a, b)) continue;
      bindings_[mine.block] = bindings_kept(mine, other);
      if (same_inside(a, b)) {
        insides_.insert(mine.block);
        break;
      }
      compare_insides(a.init, b.init);
      compare_insides(a.body, b.body);
    }
  }
}

void Unchanged::keep(const Stmt& s) {
  if (s.is<For>() || s.is<Block>())
    parts_.insert(s);
  else
    for_each_child(s, [](const Expr&) {}, [&](const Stmt& part) { keep(part); });
}

void Unchanged::compare(const Stmt& now, const Stmt& before) {
  if (!now.defined() || !before.defined()) return;
  if (now == before) return keep(now);
  if (now.is<Seq>() || before.is<Seq>()) return compare_lists(now, before);
  if (const auto *a = now.as<For>(), *b = before.as<For>(); a != nullptr && b != nullptr) {
    if (a->var == b->var && same_range({a->min, a->extent}, {b->min, b->extent})) compare(a->body, b->body);
  } else if (const auto* c = now.as<Block>(), *d = before.as<Block>(); c != nullptr && d != nullptr) {
    if (!same_iterators(*c, *d) || !same_expr(c->predicate, d->predicate)) return;
    if (!c->matches.empty() || !d->matches.empty()) return;
    // With another annotation it is another node, of which the same is proved.
    if (same_regions(c->reads, d->reads) && same_regions(c->writes, d->writes) && c->init == d->init &&
        c->body == d->body)
      return keep(now);
    compare(c->init, d->init);
    compare(c->body, d->body);
  } else if (const auto* x = now.as<If>(), *y = before.as<If>(); x != nullptr && y != nullptr) {
    if (!same_expr(x->condition, y->condition)) return;
    compare(x->then_case, y->then_case);
    compare(x->else_case, y->else_case);
  }
}

/// A step may have put something before or after a part, or taken it away. An assertion says something about
/// what follows it.
void Unchanged::compare_lists(const Stmt& now, const Stmt& before) {
  const std::vector<Stmt> mine = statements_of(now), theirs = statements_of(before);
  if (has_assertion(mine) || has_assertion(theirs)) return;
  for (const Stmt& part : mine)
    for (const Stmt& other : theirs) compare(part, other);
}

}  // namespace ardea::arith
