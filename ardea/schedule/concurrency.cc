#include "ardea/schedule/concurrency.h"

#include <fmt/core.h>

#include "ardea/ir/print.h"
#include "ardea/schedule/dependence.h"

namespace ardea::schedule {

bool is_concurrent(ForKind kind) { return kind != ForKind::serial && kind != ForKind::unrolled; }

std::optional<Refusal> refuse_carried(const FoundLoop& found) {
  const For& loop = *found.loop;
  const std::vector<arith::LoopRange> range = {{loop.var, Range{loop.min, loop.extent}}};
  for (const Conflict& conflict : conflicts(loop.body, range, found.facts, true))
    if (carries(conflict, 0))
      return Refusal{"loop_carries_dependence",
                     fmt::format("iterations of loop {} touch the same memory: {} and {}", loop.var.name(),
                                 print(conflict.first), print(conflict.second))};
  return std::nullopt;
}

std::optional<Refusal> refuse_races_around(const Function& f, const Path& path) {
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const auto* loop = path[i].as<For>();
    if (loop == nullptr || !is_concurrent(loop->kind)) continue;
    const Path around(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (auto refusal = refuse_carried({around, loop, facts_at(f, around)})) return refusal;
  }
  return std::nullopt;
}

}  // namespace ardea::schedule
