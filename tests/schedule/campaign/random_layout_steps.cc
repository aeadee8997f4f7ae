#include <numeric>

#include "ardea/schedule/transform_layout.h"
#include "ardea/support/text.h"
#include "tests/schedule/campaign/random_steps.h"

namespace ardea::schedule {

namespace {

/// A buffer that the block touches, by name or by position.
std::optional<std::pair<BufferArgument, Buffer>> any_buffer(RandomSteps& steps, const BlockRef& reference) {
  const Block& block = block_at(*path_to(steps.program(), reference));
  const bool reads = !block.reads->empty() && (block.writes->empty() || steps.random().chance(0.5));
  const std::vector<BufferRegion>& regions = reads ? *block.reads : *block.writes;
  if (regions.empty()) return std::nullopt;
  const std::int64_t at = steps.random().integer(0, std::ssize(regions) - 1);
  const Buffer& buffer = regions[static_cast<std::size_t>(at)].buffer;
  const bool by_name = steps.random().chance(0.5);
  return std::pair(by_name ? BufferArgument(buffer->name) : BufferArgument(reads ? "read" : "write", at),
                   buffer);
}

/// Some dimensions split, two of them joined, all in another order; now and then what is no layout at all.
std::string any_index_map(Random& random, std::size_t rank) {
  std::vector<std::string> from, to;
  for (std::size_t d = 0; d < rank; ++d) {
    from.push_back("i" + std::to_string(d));
    const std::string& index = from.back();
    if (random.chance(0.4)) {
      const std::int64_t factor = random.integer(2, 5);
      to.push_back(index + " // " + std::to_string(factor));
      to.push_back(index + " % " + std::to_string(factor));
    } else {
      to.push_back(random.chance(0.05) ? index + " * 2 + 1" : index);
    }
  }
  for (std::size_t d = to.size(); d-- > 1;)
    std::swap(to[d], to[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(d)))]);
  if (to.size() > 1 && random.chance(0.15)) {
    // The second index of a pair that is joined is below 9: sizes are small here.
    to[0] = "(" + to[0] + ") * 9 + (" + to[1] + ")";
    to.erase(to.begin() + 1);
  }
  if (random.chance(0.03)) to.pop_back();
  return "lambda " + join(from, ", ") + ": (" + join(to, ", ") + ")";
}

void propose_transform_layout(RandomSteps& steps) {
  Random& random = steps.random();
  const auto block = steps.any_block();
  if (!block) return;
  const auto buffer = any_buffer(steps, *block);
  if (!buffer || buffer->second->shape.empty()) return;
  TransformLayout step{*block, buffer->first, any_index_map(random, buffer->second->shape.size())};
  if (random.chance(0.5)) step.pad_value = static_cast<double>(random.integer(0, 3));
  steps.attempt(step);
}

}  // namespace

std::vector<Proposer> layout_proposers() { return {{1, propose_transform_layout}}; }

}  // namespace ardea::schedule
