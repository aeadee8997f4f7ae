#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct CacheWrite {
  BlockRef block;
  std::int64_t write_buffer_index = 0;
  std::string storage_scope;
  std::vector<BlockRef> consumer_blocks = {};
  using Results = BlockRef;
  static constexpr auto name = "cache_write";
  static constexpr auto fields = std::tuple(field("block", &CacheWrite::block),
                                            field("write_buffer_index", &CacheWrite::write_buffer_index),
                                            field("storage_scope", &CacheWrite::storage_scope),
                                            optional_field("consumer_blocks", &CacheWrite::consumer_blocks));
  static constexpr auto contract =
      R"(a block computes in memory of another scope, and its results are copied to the buffer

C: C[x] = …   =>   C: C_local[x] = …;  for ax0, ax1: C[ax0, ax1] = C_local[ax0, ax1]

The buffer is the one that the block writes at that position of its T.writes; other buffers that it writes stay
as they are. The copy comes right after the outermost loops around the block in which nothing else touches the
buffer and which fill a box of it; the new memory is allocated by the block around. consumer_blocks read the
new memory, all others the buffer.
Requires that what the block reads of the buffer it has written itself in these loops, its init first, and that it writes
every element of the box. A consumer must come after the copy in the same sequence of statements, read nothing
but that box, and nothing may write the buffer in between.
Results: the block that copies, <buffer>_<scope>. All references stay valid.)";
  static constexpr std::array refusals = {"root_block",
                                          "no_such_buffer",
                                          "no_such_scope",
                                          "buffer_is_viewed",
                                          "read_in_binding",
                                          "reads_old_content",
                                          "init_is_not_first",
                                          "writes_only_part",
                                          "not_in_one_scope",
                                          "not_a_consumer",
                                          "consumer_elsewhere",
                                          "written_between",
                                          "reads_more_than_written"};
};
Outcome apply(const Function& f, const CacheWrite& step, Context& context);

}  // namespace ardea::schedule
