#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/coverage.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

bool mentions(const Expr& e, const Var& data) {
  if (!e) return false;
  bool found = uses(e, data);
  for (const Buffer& b : buffers_in(e)) found = found || b->data == data;
  return found;
}

/// Whether s itself, not a statement inside it, touches the memory. What a block declares is no use.
bool touches_itself(const Stmt& s, const Var& data) {
  if (const auto* block = s.as<Block>()) {
    bool found = mentions(block->predicate, data);
    for (const BlockIterator& iterator : block->iterators) found = found || mentions(iterator.binding, data);
    for (const MatchBuffer& match : block->matches) found = found || match.source.buffer->data == data;
    return found;
  }
  if (const auto* store = s.as<Store>(); store != nullptr && store->buffer->data == data) return true;
  if (const auto* declare = s.as<DeclareBuffer>(); declare != nullptr && declare->buffer->data == data)
    return true;
  bool found = false;
  for_each_child(s, [&](const Expr& e) { found = found || mentions(e, data); }, [](const Stmt&) {});
  return found;
}

bool touches(const Stmt& s, const Var& data) {
  bool found = false;
  visit_stmts(s, [&](const Stmt& x) { found = found || touches_itself(x, data); });
  return found;
}

/// A statement on the way down to the uses, with what holds there.
struct Step {
  Stmt statement;
  Analyzer facts;
  std::unordered_set<Var> loops;  ///< variables of the loops crossed, and of the block iterators around
  bool may_stand_here = true;     ///< no thread loop is crossed that the memory must be shared by
};

bool private_to_a_thread(const std::string& scope) { return scope_rank(scope) == ScopeRank::thread; }

Step step_into(const Step& outer, const Stmt& child, const Buffer& buffer) {
  Step step = outer;
  step.statement = child;
  if (const auto* loop = outer.statement.as<For>()) {
    step.facts = inside(step.facts, *loop);
    step.loops.insert(loop->var);
    if (loop->kind == ForKind::thread_binding && !private_to_a_thread(buffer->scope))
      step.may_stand_here = false;
  } else if (const auto* let = outer.statement.as<LetStmt>()) {
    step.facts = inside(step.facts, *let);
  } else if (const auto* block = outer.statement.as<Block>()) {
    for (const BlockIterator& iterator : block->iterators) {
      step.facts.bind(iterator.var, iterator.domain);
      step.loops.insert(iterator.var);
    }
  }
  return step;
}

/// From the owner's body down to the lowest statement that holds all uses.
std::vector<Step> way_down(Step step, const Buffer& buffer) {
  std::vector<Step> way;
  while (true) {
    way.push_back(step);
    if (touches_itself(step.statement, buffer->data)) return way;
    std::vector<Stmt> users;
    for_each_child(
        step.statement, [](const Expr&) {},
        [&](const Stmt& child) {
          if (child && touches(child, buffer->data)) users.push_back(child);
        });
    if (users.size() != 1) return way;
    step = step_into(step, users[0], buffer);
  }
}

Stmt allocated_around(const Buffer& buffer, Stmt body) {
  std::vector<Expr> extents = is_compact(buffer) ? buffer->shape : std::vector<Expr>{flat_size(buffer)};
  return Allocate{buffer->data, buffer->type, std::move(extents), buffer->scope,
                  DeclareBuffer{buffer, std::move(body)}};
}

void forget(std::optional<std::vector<BufferRegion>>& regions, const Buffer& buffer) {
  if (regions) std::erase_if(*regions, [&](const BufferRegion& r) { return r.buffer == buffer; });
}

/// `way` rebuilt from `depth` on, with the allocation around way[site]. Blocks that now hold the allocation
/// no longer declare what they do to it.
Stmt rebuilt(const std::vector<Step>& way, std::size_t depth, std::size_t site, const Buffer& buffer) {
  const Stmt& here = way[depth].statement;
  if (depth == site) return allocated_around(buffer, here);
  const Stmt& next = way[depth + 1].statement;
  Stmt out = map_children(here, Mapper{.stmt = [&](const Stmt& child) {
                            return child == next ? rebuilt(way, depth + 1, site, buffer) : child;
                          }});
  const auto* block = out.as<Block>();
  if (block == nullptr) return out;
  Block holder = *block;
  forget(holder.reads, buffer);
  forget(holder.writes, buffer);
  return holder;
}

Stmt placed(const Stmt& body, const Buffer& buffer, const Analyzer& facts) {
  if (!touches(body, buffer->data)) return body;
  for (const Buffer& b : buffers_in(body))
    if (b->data == buffer->data && b != buffer)
      return allocated_around(buffer, body);  // views: stay outside them all
  const std::vector<Step> way = way_down(Step{body, facts, {}}, buffer);
  std::size_t site = way.size() - 1;
  const auto legal = [&](const Step& step) {
    return step.may_stand_here &&
           (step.loops.empty() || reads_only_own_writes(step.statement, buffer, step.loops, step.facts));
  };
  while (site > 0 && !legal(way[site])) --site;
  return rebuilt(way, 0, site, buffer);
}

class Placing {
 public:
  Stmt visit(const Stmt& s, Analyzer facts) {
    if (const auto* loop = s.as<For>()) facts = inside(facts, *loop);
    const auto* block = s.as<Block>();
    if (block != nullptr)
      for (const BlockIterator& iterator : block->iterators) facts.bind(iterator.var, iterator.domain);
    const Stmt inner =
        map_children(s, Mapper{.stmt = [&](const Stmt& child) { return visit(child, facts); }});
    return block == nullptr || block->allocations.empty() ? inner
                                                          : with_allocations(*inner.as<Block>(), facts);
  }

 private:
  static Stmt with_allocations(Block block, const Analyzer& facts) {
    const std::vector<Buffer> allocations = std::move(block.allocations);
    block.allocations.clear();
    std::vector<Buffer> around;
    for (const Buffer& buffer : allocations) {
      const bool beside_body =
          (block.init && touches(block.init, buffer->data)) ||
          std::any_of(block.matches.begin(), block.matches.end(),
                      [&](const MatchBuffer& m) { return m.source.buffer->data == buffer->data; });
      if (beside_body)
        around.push_back(buffer);
      else
        block.body = placed(block.body, buffer, facts);
    }
    if (around.empty()) return block;
    block.reads = block.writes = std::nullopt;  // now also what it does to these; completed below
    Stmt out = std::move(block);
    for (const Buffer& buffer : around) out = allocated_around(buffer, out);
    return out;
  }
};

}  // namespace

Function place_allocations(const Function& f, const target::Target&) {
  Function out = arith::complete_regions(f);
  out.body = Placing().visit(out.body, arith::facts_of(f));
  return arith::complete_regions(out);
}

}  // namespace ardea::lower
