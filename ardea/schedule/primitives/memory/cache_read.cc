#include "ardea/schedule/primitives/memory/cache_read.h"

#include "ardea/arith/regions.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/primitives/memory/added_blocks.h"
#include "ardea/schedule/primitives/memory/held_values.h"
#include "ardea/schedule/primitives/memory/read_place.h"
#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

namespace {

Outcome cached(const Function& f, const Readers& readers, const std::string& scope, Context& context) {
  const Path place = ARDEA_TRY(read_place(readers));
  const Buffer cache = cache_of(readers.buffer, scope);
  const auto touched = read_from(f, readers, place, readers.buffer);
  const arith::Touched box =
      without_loaded_bounds(touched ? *touched : arith::Touched{whole_region(readers.buffer), false});
  const Block copy = copy_block(free_block_name(f, cache->name), readers.buffer, cache);
  const BlockId around = readers.scope.block().id;
  Function program = with(f, place, make_seq({copy_nest(f, copy, box.region.region, place), place.back()}));
  std::vector<BlockId> blocks;
  for (const Path& path : readers.blocks) blocks.push_back(path.block().id);
  program = redirected(std::move(program), around, blocks, readers.buffer, cache);
  program = arith::complete_regions(with_allocation(program, BlockRef{around}, cache));
  if (!box.exact && !is_never_written(f, readers.buffer) && !reads_only_written(program, readers.buffer))
    ARDEA_TRY(context.judge(
        Refusal{"not_all_written",
                fmt::format("the copy would hold {}, and it is not proved that all of it is read, or has "
                            "been written before",
                            print(box.region))}));
  ARDEA_TRY(context.judge(refuse_races_around(program, *path_to(program, BlockRef{copy.id}))));
  return Applied{std::move(program), {BlockRef{copy.id}}};
}

}  // namespace

Outcome apply(const Function& f, const CacheRead& step, Context& context) {
  const Path path = ARDEA_TRY(refer(f, step.block));
  if (path.size() == 1) return Refusal{"root_block", "the root block reads nothing itself"};
  ARDEA_TRY(refuse_unknown_scope(step.storage_scope));
  Buffer buffer = ARDEA_TRY(buffer_at(path.block(), Side::read, step.read_buffer_index));
  Readers readers = ARDEA_TRY(readers_of(f, path, buffer, step.consumer_blocks));
  return cached(f, readers, step.storage_scope, context);
}

}  // namespace ardea::schedule
