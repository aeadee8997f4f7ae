#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct CacheRead {
  BlockRef block;
  std::int64_t read_buffer_index = 0;
  std::string storage_scope;
  std::vector<BlockRef> consumer_blocks = {};
  using Results = BlockRef;
  static constexpr auto name = "cache_read";
  static constexpr auto fields =
      std::tuple(field("block", &CacheRead::block), field("read_buffer_index", &CacheRead::read_buffer_index),
                 field("storage_scope", &CacheRead::storage_scope),
                 optional_field("consumer_blocks", &CacheRead::consumer_blocks));
  static constexpr auto contract = R"(blocks read a copy of a buffer, in memory of another scope

C: … A[x] …   =>   for ax0, ax1: A_shared[ax0, ax1] = A[ax0, ax1];  C: … A_shared[x] …

The buffer is the one that the block reads at that position of its T.reads; the blocks that read the copy are
consumer_blocks, or where none are given all blocks of the scope that read the buffer. The copy holds the box that they
read. It is made right before the first of them, outside of all loops in which nothing writes the buffer, and
is allocated by the block around.
Requires that nothing writes the buffer from there until the last of them has run, that they read it by plain
loads, and that all of the box is read by them anyway, or an argument that nothing writes, or proved to be written
before: no memory is read that never held a value.
Results: the block that copies, <buffer>_<scope>. All references stay valid.)";
  static constexpr std::array refusals = {
      "root_block",       "no_such_buffer", "no_such_scope",   "not_in_one_scope", "not_a_consumer",
      "buffer_is_viewed", "reads_itself",   "written_between", "not_all_written",  "loop_carries_dependence"};
};
Outcome apply(const Function& f, const CacheRead& step, Context& context);

}  // namespace ardea::schedule
