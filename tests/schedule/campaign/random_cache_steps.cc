#include "ardea/ir/traverse.h"
#include "ardea/schedule/primitives/memory/cache_index.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/reindex.h"
#include "ardea/schedule/primitives/memory/set_scope.h"
#include "ardea/schedule/primitives/memory/set_type.h"
#include "ardea/schedule/primitives/memory/storage_align.h"
#include "ardea/schedule/program/scope.h"
#include "tests/schedule/campaign/random_steps.h"

namespace ardea::schedule {

namespace {

const Block& block_of(const RandomSteps& steps, const BlockRef& block) {
  return path_to(steps.program(), block)->block();
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

void propose_reindex(RandomSteps& steps) {
  Random& random = steps.random();
  const auto block = steps.any_block();
  if (!block) return;
  const bool reads = random.chance(0.6);
  const Block& of = block_of(steps, *block);
  const std::int64_t index = any_index(random, reads ? of.reads : of.writes);
  steps.attempt(Reindex{*block, BufferArgument(reads ? "read" : "write", std::max<std::int64_t>(index, 0))});
}

/// Whether some index in the block is more than a variable or a number.
bool computes_indices(const Block& block) {
  bool found = false;
  visit_exprs(block.body, [&](const Expr& e) {
    if (const auto* load = e.as<Load>())
      for (const Expr& index : load->indices) found = found || index.is<Binary>();
  });
  return found;
}

void propose_cache_index(RandomSteps& steps) {
  Random& random = steps.random();
  std::vector<Path> likely;
  for (const Path& path : all_blocks(steps.program()))
    if (computes_indices(path.block())) likely.push_back(path);
  const auto block =
      likely.empty() || random.chance(0.02) ? steps.any_block() : steps.block_at_end(random.pick(likely));
  if (block) steps.attempt(CacheIndex{*block, any_scope(random), random.chance(0.1) ? 1 : 0});
}

/// A block that writes a buffer which a block allocates, most of the time, and the buffer's position.
std::optional<std::pair<BlockRef, std::int64_t>> any_allocated(RandomSteps& steps) {
  std::vector<std::pair<Path, std::int64_t>> likely;
  for (const Path& path : all_blocks(steps.program())) {
    const auto& writes = *path.block().writes;
    for (std::size_t i = 0; i < writes.size(); ++i)
      if (owner_of(steps.program(), writes[i].buffer))
        likely.emplace_back(path, static_cast<std::int64_t>(i));
  }
  if (likely.empty() || steps.random().chance(0.03)) {
    const auto any = steps.any_block();
    return any ? std::optional(std::pair(*any, std::int64_t{0})) : std::nullopt;
  }
  const auto& [path, index] = steps.random().pick(likely);
  const auto block = steps.block_at_end(path);
  return block ? std::optional(std::pair(*block, index)) : std::nullopt;
}

void propose_set_scope(RandomSteps& steps) {
  if (const auto buffer = any_allocated(steps))
    steps.attempt(SetScope{buffer->first, buffer->second, any_scope(steps.random())});
}

/// Mostly of a buffer whose elements a reader converts, to what it makes of them.
void propose_set_type(RandomSteps& steps) {
  Random& random = steps.random();
  std::vector<std::pair<Buffer, DataType>> converted;
  visit_exprs(steps.program().body, [&](const Expr& e) {
    const auto* cast = e.as<Cast>();
    const auto* load = cast == nullptr ? nullptr : cast->value.as<Load>();
    if (load != nullptr && owner_of(steps.program(), load->buffer))
      converted.emplace_back(load->buffer, e.type());
  });
  if (converted.empty() && !random.chance(0.2)) return;
  if (converted.empty() || random.chance(0.1)) {
    const auto buffer = any_allocated(steps);
    const std::vector<std::string> types = {"float16", "int8", "bool", "nothing"};
    if (buffer) steps.attempt(SetType{buffer->first, buffer->second, random.pick(types)});
    return;
  }
  const auto& [buffer, type] = random.pick(converted);
  for (const Path& path : all_blocks(steps.program())) {
    const auto& writes = path.block().writes;
    for (std::int64_t i = 0; writes && i < std::ssize(*writes); ++i)
      if ((*writes)[static_cast<std::size_t>(i)].buffer == buffer)
        if (const auto block = steps.block_at_end(path)) {
          steps.attempt(SetType{*block, i, to_string(type)});
          return;
        }
  }
}

void propose_storage_align(RandomSteps& steps) {
  Random& random = steps.random();
  const auto buffer = any_allocated(steps);
  if (!buffer) return;
  const std::int64_t factor = random.integer(random.chance(0.05) ? 0 : 1, 9);
  const auto& writes = *block_of(steps, buffer->first).writes;
  const std::int64_t rank = writes.empty() || random.chance(0.05)
                                ? 2
                                : std::ssize(writes[static_cast<std::size_t>(buffer->second)].buffer->shape);
  steps.attempt(StorageAlign{buffer->first, buffer->second, random.integer(-rank, rank - 1), factor,
                             random.integer(0, std::max<std::int64_t>(factor - 1, 0))});
}

}  // namespace

std::vector<Proposer> cache_proposers() {
  return {{1.8, propose_cache_read},  {1.6, propose_cache_write}, {2, propose_reindex},
          {2.2, propose_cache_index}, {1.3, propose_set_scope},   {12, propose_set_type},
          {2, propose_storage_align}};
}

}  // namespace ardea::schedule
