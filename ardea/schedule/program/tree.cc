#include "ardea/schedule/program/tree.h"

#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
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

void collect_blocks(const Stmt& s, Path& path, std::vector<Path>& all) {
  path.push_back(s);
  if (s.is<Block>() && path.size() > 1) all.push_back(path);
  for (const Stmt& part : children(s)) collect_blocks(part, path, all);
  path.pop_back();
}

/// Whether s is loops, sequences and conditions around blocks, with nothing else at the leaves.
bool is_blocks_in_loops(const Stmt& s) {
  if (s.is<Block>()) return true;
  if (!s.is<For>() && !s.is<Seq>() && !s.is<If>()) return false;
  const std::vector<Stmt> parts = children(s);
  return std::all_of(parts.begin(), parts.end(), is_blocks_in_loops);
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

std::vector<Path> all_blocks(const Function& f) {
  std::vector<Path> all;
  Path path;
  collect_blocks(f.body, path, all);
  return all;
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

Stmt guarded(const Stmt& s, const Expr& condition) {
  if (!is_blocks_in_loops(s)) return make_if(condition, s);
  if (const auto* block = s.as<Block>()) {
    Block out = *block;
    out.predicate = is_true(block->predicate) ? condition : logical_and(block->predicate, condition);
    return out;
  }
  return map_children(s, Mapper{.stmt = [&](const Stmt& part) { return guarded(part, condition); }});
}

}  // namespace ardea::schedule
