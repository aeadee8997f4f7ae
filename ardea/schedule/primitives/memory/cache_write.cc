#include "ardea/schedule/primitives/memory/cache_write.h"

#include "ardea/arith/regions.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/primitives/memory/added_blocks.h"
#include "ardea/schedule/primitives/memory/write_place.h"
#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

Outcome apply(const Function& f, const CacheWrite& step, Context& context) {
  const auto referred = refer(f, step.block);
  if (const auto* refusal = std::get_if<Refusal>(&referred)) return *refusal;
  const Path& path = std::get<Path>(referred);
  if (path.size() == 1) return Refusal{"root_block", "the root block writes nothing itself"};
  if (auto refusal = refuse_unknown_scope(step.storage_scope)) return *std::move(refusal);
  const auto buffer = buffer_at(block_at(path), Side::write, step.write_buffer_index);
  if (const auto* refusal = std::get_if<Refusal>(&buffer)) return *refusal;
  const auto found = writer_of(path, std::get<Buffer>(buffer));
  if (const auto* refusal = std::get_if<Refusal>(&found)) return *refusal;
  const auto& writer = std::get<Writer>(found);
  const auto placed = write_place(f, writer, context);
  if (const auto* refusal = std::get_if<Refusal>(&placed)) return *refusal;
  const auto& place = std::get<WritePlace>(placed);
  const auto readers = readers_after(f, writer, place, step.consumer_blocks);
  if (const auto* refusal = std::get_if<Refusal>(&readers)) return *refusal;

  const Buffer cache = cache_of(writer.buffer, step.storage_scope);
  const Block copy = copy_block(free_block_name(f, cache->name), cache, writer.buffer);
  const BlockId around = block_at(writer.scope).id;
  const Stmt nest = copy_nest(f, copy, place.box.region, place.path);
  Function program = with(f, place.path, make_seq({place.path.back(), nest}));
  std::vector<BlockId> users = std::get<std::vector<BlockId>>(readers);
  users.push_back(step.block.id);
  program = redirected(std::move(program), around, users, writer.buffer, cache);
  program = arith::complete_regions(with_allocation(program, BlockRef{around}, cache));
  if (auto refusal = refuse_races_around(program, *path_to(program, BlockRef{copy.id})))
    return *std::move(refusal);
  return Applied{std::move(program), {BlockRef{copy.id}}};
}

}  // namespace ardea::schedule
