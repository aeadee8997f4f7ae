#include "ardea/lower/gpu/thread_conflicts.h"

#include <algorithm>
#include <numeric>

#include "ardea/lower/gpu/launch.h"

namespace ardea::lower {

bool meet_across_threads(const arith::Conflict& conflict, const std::vector<std::size_t>& axes) {
  const auto is_possible = [](const arith::Signs& s) { return s.negative || s.zero || s.positive; };
  if (!std::all_of(conflict.distance.begin(), conflict.distance.end(), is_possible)) return false;
  return std::any_of(axes.begin(), axes.end(), [&](std::size_t axis) {
    return conflict.distance[axis].negative || conflict.distance[axis].positive;
  });
}

bool may_meet(const Stmt& first, const Stmt& second, const std::vector<arith::LoopRange>& threads,
              const arith::Analyzer& facts) {
  std::vector<std::size_t> axes(threads.size());
  std::iota(axes.begin(), axes.end(), 0);
  const std::vector<arith::Conflict> all = conflicts_between(first, second, threads, facts);
  return std::any_of(all.begin(), all.end(), [&](const arith::Conflict& conflict) {
    return !is_private(conflict.first.buffer->scope) && meet_across_threads(conflict, axes);
  });
}

}  // namespace ardea::lower
