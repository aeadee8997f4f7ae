#include "ardea/schedule/primitives/memory/cache_write.h"

#include "ardea/arith/regions.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/primitives/memory/added_blocks.h"
#include "ardea/schedule/primitives/memory/write_place.h"
#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

Outcome apply(const Function& f, const CacheWrite& step, Context& context) {
  const Path path = ARDEA_TRY(refer(f, step.block));
  if (path.size() == 1) return Refusal{"root_block", "the root block writes nothing itself"};
  ARDEA_TRY(refuse_unknown_scope(step.storage_scope));
  Buffer buffer = ARDEA_TRY(buffer_at(path.block(), Side::write, step.write_buffer_index));
  const Writer writer = ARDEA_TRY(writer_of(path, buffer));
  const WritePlace place = ARDEA_TRY(write_place(f, writer, context));
  std::vector<BlockId> readers = ARDEA_TRY(readers_after(f, writer, place, step.consumer_blocks));

  const Buffer cache = cache_of(writer.buffer, step.storage_scope);
  const Block copy = copy_block(free_block_name(f, cache->name), cache, writer.buffer);
  const BlockId around = writer.scope.block().id;
  const Stmt nest = copy_nest(f, copy, place.box.region, place.path);
  Function program = with(f, place.path, make_seq({place.path.back(), nest}));
  std::vector<BlockId> users = readers;
  users.push_back(step.block.id);
  program = redirected(std::move(program), around, users, writer.buffer, cache);
  program = arith::complete_regions(with_allocation(program, BlockRef{around}, cache));
  ARDEA_TRY(context.judge(refuse_races_around(program, *path_to(program, BlockRef{copy.id}))));
  return Applied{std::move(program), {BlockRef{copy.id}}};
}

}  // namespace ardea::schedule
