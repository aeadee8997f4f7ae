#include "ardea/schedule/cache_read.h"
#include "ardea/schedule/cache_write.h"
#include "ardea/schedule/scope.h"
#include "tests/schedule/campaign/random_steps.h"

namespace ardea::schedule {

namespace {

const Block& block_of(const RandomSteps& steps, const BlockRef& block) {
  return block_at(*path_to(steps.program(), block));
}

std::string any_scope(Random& random) {
  static const std::vector<std::string> scopes = {"global", "shared", "local"};
  return random.chance(0.02) ? "nowhere" : random.pick(scopes);
}

/// A position in the list, most of the time.
std::int64_t any_index(Random& random, const std::optional<std::vector<BufferRegion>>& regions) {
  const std::int64_t count = regions ? std::ssize(*regions) : 0;
  return count == 0 || random.chance(0.03) ? random.integer(-1, count) : random.integer(0, count - 1);
}

/// Most often none, which asks for all of them.
std::vector<BlockRef> any_consumers(RandomSteps& steps, const BlockRef& block, bool includes_block) {
  std::vector<BlockRef> consumers;
  if (includes_block && steps.random().chance(0.3)) consumers.push_back(block);
  if (!steps.random().chance(0.15)) return consumers;
  const std::vector<Path> others = consumers_of(steps.program(), *path_to(steps.program(), block));
  if (others.empty()) return consumers;
  if (const auto other = steps.block_at_end(steps.random().pick(others))) consumers.push_back(*other);
  return consumers;
}

void propose_cache_read(RandomSteps& steps) {
  Random& random = steps.random();
  const auto block = steps.any_block();
  if (!block) return;
  const std::int64_t index = any_index(random, block_of(steps, *block).reads);
  steps.attempt(CacheRead{*block, index, any_scope(random), any_consumers(steps, *block, true)});
}

void propose_cache_write(RandomSteps& steps) {
  Random& random = steps.random();
  const auto block = steps.any_block();
  if (!block) return;
  const std::int64_t index = any_index(random, block_of(steps, *block).writes);
  steps.attempt(CacheWrite{*block, index, any_scope(random), any_consumers(steps, *block, false)});
}

}  // namespace

std::vector<Proposer> cache_proposers() { return {{1, propose_cache_read}, {1, propose_cache_write}}; }

}  // namespace ardea::schedule
