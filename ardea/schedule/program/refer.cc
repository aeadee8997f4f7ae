#include "ardea/schedule/program/refer.h"

#include <fmt/core.h>

namespace ardea::schedule {

Result<Path> refer(const Function& f, const LoopRef& loop) {
  if (loop.place != LoopRef::Place::loop)
    return Refusal{"no_loop",
                   fmt::format("the place that was sampled is {}, which is no loop; only compute_at "
                               "takes it",
                               loop.place == LoopRef::Place::root ? "the root" : "inside the readers")};
  if (!loop.var.defined()) return Refusal{"no_loop", "the loop is an empty reference"};
  if (auto path = path_to(f, loop)) return *std::move(path);
  return Refusal{"loop_is_gone", fmt::format("loop {} is not in the program {}", loop.var.name(), f.name)};
}

Result<Path> refer(const Function& f, const BlockRef& block) {
  if (auto path = path_to(f, block)) return *std::move(path);
  return Refusal{"block_is_gone", fmt::format("the block is not in the program {}", f.name)};
}

Result<Path> refer(const Function& f, const BlockOrLoop& either) {
  return std::visit([&](const auto& reference) { return refer(f, reference); }, either);
}

Result<FoundLoop> refer_to_loop(const Function& f, const LoopRef& loop) {
  Path found = ARDEA_TRY(refer(f, loop));
  FoundLoop result{std::move(found), nullptr, {}};
  result.loop = &result.path.loop();
  result.facts = result.path.facts(f);
  return result;
}

}  // namespace ardea::schedule
