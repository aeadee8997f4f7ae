#include "ardea/arith/allocation_site.h"

#include <algorithm>
#include <unordered_set>

#include "ardea/arith/coverage.h"
#include "ardea/arith/inside.h"
#include "ardea/arith/regions.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/thread_axes.h"

namespace ardea::arith {

namespace {

bool mentions_memory(const Expr& e, const Var& data) {
  if (!e.defined() || e.is<IntImm>()) return false;
  if (e.is<VarNode>()) return e == data;
  return any_expr(e, [&](const Expr& x) {
    const auto* load = x.as<Load>();
    return x == data || (load != nullptr && load->buffer->data == data);
  });
}

/// Whether s itself, not a statement inside it, touches the memory.
bool touches_itself(const Stmt& s, const Var& data) {
  if (const auto* block = s.as<Block>()) {
    bool found = mentions_memory(block->predicate, data);
    for (const BlockIterator& iterator : block->iterators)
      found = found || mentions_memory(iterator.binding, data);
    for (const MatchBuffer& match : block->matches) found = found || match.source.buffer->data == data;
    return found;
  }
  if (const auto* store = s.as<Store>(); store != nullptr && store->buffer->data == data) return true;
  if (const auto* declare = s.as<DeclareBuffer>(); declare != nullptr && declare->buffer->data == data)
    return true;
  bool found = false;
  for_each_child(s, [&](const Expr& e) { found = found || mentions_memory(e, data); }, [](const Stmt&) {});
  return found;
}

/// A statement on the way down to the uses, with what holds there.
struct Step {
  Stmt statement;
  Analyzer facts;
  std::unordered_set<Var> loops = {};  ///< variables of the loops crossed, and of the block iterators around
  bool may_stand_here = true;          ///< no thread loop is crossed that the memory must be shared by
};

/// Whether the iterations of a loop that is bound to a thread share the buffer: those over blocks share only
/// what all threads do, those over warps what a block does, and the lanes of a warp its fragments.
bool is_shared_across(const For& loop, const Buffer& buffer) {
  if (loop.kind != ForKind::thread_binding) return false;
  const auto rank = scope_rank(buffer->scope);
  if (!rank || rank == ScopeRank::device) return true;
  if (rank == ScopeRank::thread || loop.thread.starts_with("blockIdx.")) return false;
  return rank == ScopeRank::block || loop.thread == lane_axis;
}

Step step_into(const Step& outer, const Stmt& child, const Buffer& buffer) {
  Step step = outer;
  step.statement = child;
  step.facts = inside(outer.facts, outer.statement);
  if (const auto* loop = outer.statement.as<For>()) {
    step.loops.insert(loop->var);
    if (is_shared_across(*loop, buffer)) step.may_stand_here = false;
  } else if (const auto* block = outer.statement.as<Block>()) {
    for (const BlockIterator& iterator : block->iterators) step.loops.insert(iterator.var);
  }
  return step;
}

/// From s down to the lowest statement that holds all uses, the lowest first; empty where there are none.
/// `without` are statements that have none.
std::vector<Stmt> statements_to_uses(const Stmt& s, const Var& data, std::unordered_set<Stmt>& without) {
  if (touches_itself(s, data)) return {s};
  if (without.contains(s)) return {};
  std::vector<Stmt> way;
  int users = 0;
  for_each_child(
      s, [](const Expr&) {},
      [&](const Stmt& child) {
        if (!child.defined() || users > 1) return;
        std::vector<Stmt> below = statements_to_uses(child, data, without);
        if (below.empty()) return;
        way = std::move(below);
        ++users;
      });
  if (users == 0) without.insert(s);
  if (users > 1) way.clear();
  if (users > 0) way.push_back(s);
  return way;
}

/// From the owner's body, which has uses, down to the lowest statement that holds them all.
std::vector<Step> way_to_uses(const Step& step, const Buffer& buffer) {
  std::unordered_set<Stmt> without;
  const std::vector<Stmt> statements = statements_to_uses(step.statement, buffer->data, without);
  std::vector<Step> way = {step};
  for (auto child = statements.rbegin() + 1; child != statements.rend(); ++child)
    way.push_back(step_into(way.back(), *child, buffer));
  return way;
}

bool may_stand_around(const Step& step, const Buffer& buffer) {
  return step.may_stand_here &&
         (step.loops.empty() || reads_only_own_writes(step.statement, buffer, step.loops, step.facts));
}

bool has_views(const Stmt& body, const Buffer& buffer) {
  const std::vector<Buffer> all = buffers_in(body);
  return std::any_of(all.begin(), all.end(),
                     [&](const Buffer& b) { return b->data == buffer->data && b != buffer; });
}

}  // namespace

bool touches(const Stmt& s, const Var& data) {
  std::unordered_set<Stmt> without;
  return !statements_to_uses(s, data, without).empty();
}

std::vector<Stmt> way_to_allocation(const Block& owner, const Buffer& buffer, const Analyzer& facts) {
  const bool beside_body = (owner.init.defined() && touches(owner.init, buffer->data)) ||
                           std::any_of(owner.matches.begin(), owner.matches.end(), [&](const MatchBuffer& m) {
                             return m.source.buffer->data == buffer->data;
                           });
  if (beside_body) return {};
  if (!touches(owner.body, buffer->data) || has_views(owner.body, buffer)) return {owner.body};
  std::vector<Step> way = way_to_uses({owner.body, facts_inside(owner, facts)}, buffer);
  while (way.size() > 1 && !may_stand_around(way.back(), buffer)) way.pop_back();
  std::vector<Stmt> statements;
  for (const Step& step : way) statements.push_back(step.statement);
  return statements;
}

}  // namespace ardea::arith
