#include "ardea/schedule/program/changes.h"

#include <fmt/core.h>

#include "ardea/arith/distances.h"
#include "ardea/arith/regions_linear.h"

namespace ardea::schedule {

namespace {

using arith::Access;
using arith::LoopRange;

/// Whether the second access may come after the first one and meet it. `follows`: it stands after it in the
/// program.
bool may_come_later(const Access& first, const Access& second, bool follows,
                    const std::vector<LoopRange>& loops, const arith::Analyzer& facts) {
  const BufferRegion &a = first.touched().region, &b = second.touched().region;
  if (!(a.buffer->data == b.buffer->data)) return false;
  if (!(a.buffer == b.buffer) || first.opaque || second.opaque) return true;
  for (const LoopRange& loop : loops)
    if (arith::uses_any(loop.second.min, loops) || arith::uses_any(loop.second.extent, loops)) return true;
  for (const arith::Signs& signs : distances(a, b, loops, facts)) {
    if (signs.positive) return true;
    if (!signs.zero) return false;
  }
  return follows;
}

}  // namespace

Refusal input_changes(const Block& block, const std::vector<Stmt>& writers) {
  const Memory read = memory_of(*block.reads);
  return {"input_changes",
          fmt::format("{} writes {} between the two places of block {}, which reads it",
                      writer_of(read, writers, block.id),
                      name_in(common(read, use_of(writers, block.id).writes), *block.reads), block.name)};
}

std::optional<Refusal> refuse_changes_beside(const Function& f, const Path& path, std::size_t first) {
  const Block& block = path.block();
  const Memory read = memory_of(*block.reads);
  std::vector<LoopRange> loops;
  for (std::size_t i = first; i + 1 < path.size(); ++i) {
    if (const auto* loop = path[i].as<For>()) loops.emplace_back(loop->var, Range{loop->min, loop->extent});
    const auto* sequence = path[i].as<Seq>();
    if (sequence == nullptr) continue;
    const arith::Analyzer facts = path.upto(i).facts(f);
    bool follows = false;
    for (const Stmt& beside : sequence->statements) {
      if (beside == path[i + 1]) {
        follows = true;
        continue;
      }
      if (!meet(memory_use(beside).writes, read)) continue;
      for (const Access& mine : arith::each_access(path[i + 1], facts)) {
        if (mine.write || !is_block(mine.statement, block.id)) continue;
        for (const Access& other : arith::each_access(beside, facts))
          if (other.write && may_come_later(mine, other, follows, loops, facts))
            return input_changes(block, {beside});
      }
    }
  }
  return std::nullopt;
}

std::optional<Refusal> refuse_changes_after(const Function& f, const Places& places) {
  const Block& block = places.block.block();
  const Memory read = memory_of(*block.reads);
  const std::vector<Stmt> all = places.statements_between();
  const std::vector<Stmt> later(all.begin() + 1, all.end());
  if (meet(use_of(later, block.id).writes, read)) return input_changes(block, later);
  return refuse_changes_beside(f, places.block, places.common);
}

}  // namespace ardea::schedule
