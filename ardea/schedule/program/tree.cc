#include "ardea/schedule/program/tree.h"

#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/program/both_hold.h"
#include "ardea/support/error.h"

namespace ardea::schedule {

namespace {

/// Statements directly inside s; the init of a block holds nothing that schedules name.
std::vector<Stmt> children(const Stmt& s) {
  if (const auto* block = s.as<Block>()) return {block->body};
  std::vector<Stmt> parts;
  for_each_child(s, [](const Expr&) {}, [&](const Stmt& part) { parts.push_back(part); });
  return parts;
}

template <class Found>
bool search(const Stmt& s, const Found& found, Path& path) {
  path.push_back(s);
  if (found(s)) return true;
  for (const Stmt& part : children(s))
    if (search(part, found, path)) return true;
  path.pop_back();
  return false;
}

template <class Found>
std::optional<Path> search(const Function& f, const Found& found) {
  Path path;
  return search(f.body, found, path) ? std::optional(path) : std::nullopt;
}

void collect(const Stmt& s, const std::function<bool(const Stmt&)>& is_such, Path& path,
             std::vector<Path>& all) {
  path.push_back(s);
  if (is_such(s)) all.push_back(path);
  for (const Stmt& part : children(s)) collect(part, is_such, path, all);
  path.pop_back();
}

/// Whether the evaluation of e may stop: it reads an element, or divides by what is not proved to differ
/// from 0.
bool may_stop(const Expr& e, const arith::Analyzer& facts) {
  if (e.is<Load>()) return true;
  if (is_integer_division(e)) {
    const Expr& divisor = e.as<Binary>()->right;
    if (!facts.proves(not_equals(divisor, make_int(0, divisor.type())))) return true;
  }
  bool stops = false;
  for_each_child(e, [&](const Expr& part) { stops = stops || may_stop(part, facts); });
  return stops;
}

/// Whether s is loops, sequences and conditions around blocks, with nothing else at the leaves, and no bound
/// or condition on the way may stop.
bool is_blocks_in_loops(const Stmt& s, const arith::Analyzer& facts) {
  if (s.is<Block>()) return true;
  if (!s.is<For>() && !s.is<Seq>() && !s.is<If>()) return false;
  bool is = true;
  for_each_child(
      s, [&](const Expr& part) { is = is && !may_stop(part, facts); },
      [&](const Stmt& part) { is = is && is_blocks_in_loops(part, facts); });
  return is;
}

Stmt under(const Stmt& s, const Expr& condition, const arith::Analyzer& facts) {
  if (const auto* block = s.as<Block>()) {
    Block out = *block;
    out.predicate = !is_true(block->predicate) && may_stop(block->predicate, facts)
                        ? logical_and(condition, block->predicate)
                        : both_hold(block->predicate, condition);
    return out;
  }
  return map_children(s, Mapper{.stmt = [&](const Stmt& part) { return under(part, condition, facts); }});
}

}  // namespace

std::optional<Path> path_to(const Function& f, const LoopRef& loop) {
  return search(f, [&](const Stmt& s) {
    const auto* node = s.as<For>();
    return node != nullptr && node->var == loop.var;
  });
}

std::optional<Path> path_to(const Function& f, const BlockRef& block) {
  return search(f, [&](const Stmt& s) {
    const auto* node = s.as<Block>();
    return node != nullptr && node->id == block.id;
  });
}

std::vector<Path> paths_to(const Function& f, const std::function<bool(const Stmt&)>& is_such) {
  std::vector<Path> all;
  Path path;
  collect(f.body, is_such, path, all);
  return all;
}

std::vector<Path> all_blocks(const Function& f) {
  return paths_to(f, [&](const Stmt& s) { return s.is<Block>() && s != f.body; });
}

Function with(const Function& f, const Path& path, Stmt now) {
  for (std::size_t i = path.size() - 1; i-- > 0;) {
    const Stmt& old = path[i + 1];
    const bool flattens = path[i].is<Seq>() && now.is<Seq>();
    now = map_children(path[i], Mapper{.stmt = [&](const Stmt& part) { return part == old ? now : part; }});
    if (flattens) now = make_seq(now.as<Seq>()->statements);
  }
  Function out = f;
  out.body = std::move(now);
  return out;
}

Stmt simplify_bindings(const Stmt& s, const arith::Analyzer& facts, bool keep_unit_loops) {
  if (const auto* loop = s.as<For>()) {
    For out = *loop;
    out.min = facts.simplify(loop->min);
    out.extent = facts.simplify(loop->extent);
    arith::Analyzer inside = facts;
    if (!keep_unit_loops || !is_one(out.extent)) inside.bind(loop->var, {out.min, out.extent});
    out.body = simplify_bindings(loop->body, inside, keep_unit_loops);
    return out;
  }
  if (const auto* block = s.as<Block>()) {
    Block out = *block;
    for (BlockIterator& iterator : out.iterators) iterator.binding = facts.simplify(iterator.binding);
    if (out.predicate.defined()) out.predicate = facts.simplify(out.predicate);
    if (is_true(out.predicate)) out.predicate = {};
    return out;
  }
  return map_children(
      s, Mapper{.stmt = [&](const Stmt& part) { return simplify_bindings(part, facts, keep_unit_loops); }});
}

Stmt guarded(const Stmt& s, const Expr& condition, const arith::Analyzer& facts) {
  return is_blocks_in_loops(s, facts) ? under(s, condition, facts) : make_if(condition, s);
}

}  // namespace ardea::schedule
