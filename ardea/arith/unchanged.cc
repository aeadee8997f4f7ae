#include "ardea/arith/unchanged.h"

#include <algorithm>

#include "ardea/ir/equal.h"
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

/// Whether the iterators have the same values, so that what is inside knows the same of them.
bool same_iterators(const Block& a, const Block& b) {
  return std::equal(a.iterators.begin(), a.iterators.end(), b.iterators.begin(), b.iterators.end(),
                    [](const BlockIterator& x, const BlockIterator& y) {
                      return x.var == y.var && x.kind == y.kind && same_range(x.domain, y.domain) &&
                             same_expr(x.binding, y.binding);
                    });
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

}  // namespace

Unchanged::Unchanged(const Function& now, const Function& before) {
  // What is assumed may grow, and proofs hold still.
  const std::vector<Var> a = shape_variables(now), b = shape_variables(before);
  const bool assumes_less =
      before.assumptions.size() > now.assumptions.size() ||
      !std::equal(before.assumptions.begin(), before.assumptions.end(), now.assumptions.begin());
  if (!assumes_less && std::equal(a.begin(), a.end(), b.begin(), b.end())) compare(now.body, before.body);
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
