#include "ardea/schedule/analysis/own_memory.h"

#include <algorithm>

#include "ardea/arith/allocation_site.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/program/memory_use.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::schedule {

bool may_own_memory(ForKind kind) { return kind == ForKind::parallel || kind == ForKind::thread_binding; }

std::vector<Buffer> allocated_around(const Path& path) {
  std::vector<Buffer> all;
  for (const Stmt& s : path)
    if (const auto* block = s.as<Block>())
      all.insert(all.end(), block->allocations.begin(), block->allocations.end());
  return all;
}

namespace {

/// The loops that may own memory around all uses of each memory, outermost first.
class Users {
 public:
  std::unordered_map<Var, std::vector<Var>> of(const Stmt& s) && {
    visit(s);
    return std::move(loops_);
  }

 private:
  void visit(const Stmt& s) {
    const auto* loop = s.as<For>();
    const bool counts = loop != nullptr && may_own_memory(loop->kind);
    if (const auto* store = s.as<Store>()) use(store->buffer->data);
    if (const auto* declare = s.as<DeclareBuffer>()) use(declare->buffer->data);
    if (const auto* block = s.as<Block>())
      for (const MatchBuffer& match : block->matches) use(match.source.buffer->data);
    if (counts) around_.push_back(loop->var);
    for_each_child(s, [&](const Expr& e) { visit(e); }, [&](const Stmt& part) { visit(part); });
    if (counts) around_.pop_back();
  }

  void visit(const Expr& e) {
    any_expr(e, [&](const Expr& x) {
      if (const auto* load = x.as<Load>()) use(load->buffer->data);
      if (x.is<VarNode>() && x.type().is_handle()) use(Var(x));
      return false;
    });
  }

  void use(const Var& memory) {
    const auto [place, is_first] = loops_.try_emplace(memory, around_);
    if (is_first) return;
    std::vector<Var>& shared = place->second;
    const auto [end, other] = std::mismatch(shared.begin(), shared.end(), around_.begin(), around_.end());
    shared.erase(end, shared.end());
  }

  std::vector<Var> around_;
  std::unordered_map<Var, std::vector<Var>> loops_;
};

}  // namespace

bool OwnMemory::is_used_in_alone(const Var& loop, const Buffer& buffer) {
  if (!users_) users_ = Users().of(program_.body);
  const auto found = users_->find(buffer->data);
  return found != users_->end() &&
         std::find(found->second.begin(), found->second.end(), loop) != found->second.end();
}

const std::vector<Path>& OwnMemory::loops() {
  if (!loops_)
    loops_ = paths_to(program_, [](const Stmt& s) {
      const auto* loop = s.as<For>();
      return loop != nullptr && may_own_memory(loop->kind);
    });
  return *loops_;
}

const std::vector<Var>& OwnMemory::loops_around(const Buffer& buffer) {
  const auto [place, is_new] = around_.try_emplace(buffer);
  std::vector<Var>& loops = place->second;
  if (!is_new) return loops;
  if (!owners_)
    owners_ = paths_to(program_, [](const Stmt& s) {
      const auto* block = s.as<Block>();
      return block != nullptr && !block->allocations.empty();
    });
  for (const Path& owner : *owners_) {
    if (!contains(owner.block().allocations, buffer)) continue;
    const std::vector<Stmt> way = arith::way_to_allocation(owner.block(), buffer, owner.facts(program_));
    // The allocation stands around the last one.
    for (std::size_t i = 0; i + 1 < way.size(); ++i)
      if (const auto* loop = way[i].as<For>(); loop != nullptr && may_own_memory(loop->kind))
        loops.push_back(loop->var);
  }
  return loops;
}

bool OwnMemory::has(const Var& loop, const Buffer& buffer) {
  if (!is_used_in_alone(loop, buffer)) return false;
  const std::vector<Var>& loops = loops_around(buffer);
  return std::find(loops.begin(), loops.end(), loop) != loops.end();
}

std::vector<Buffer> OwnMemory::of(const Path& path) {
  std::vector<Buffer> own = allocated_around(path);
  std::erase_if(own, [&](const Buffer& buffer) { return !has(path.loop().var, buffer); });
  return own;
}

}  // namespace ardea::schedule
