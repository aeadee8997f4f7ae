#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct CacheIndex {
  BlockRef block;
  std::string storage_scope;
  std::int64_t cse_thresh = 0;
  using Results = std::vector<BlockRef>;
  static constexpr auto name = "cache_index";
  static constexpr auto fields =
      std::tuple(field("block", &CacheIndex::block), field("storage_scope", &CacheIndex::storage_scope),
                 optional_field("cse_thresh", &CacheIndex::cse_thresh));
  static constexpr auto contract = R"(where a block reads is computed before it, into tables

C: … A[(vi * 3 + vk) // 4] …   =>   index_0[v0, v1] = (v0 * 3 + v1) // 4;  C: … A[index_0[vi, vk]] …

Every index of a load in the block that is more than a variable or a number, and occurs more than cse_thresh times, is
computed by a block of its own, index_0, index_1, …, once for each value of the iterators in it, before all loops
of the block. Loads of what the block itself writes, and addresses, stay as they are.
Requires that there is such an index, which depends on the iterators alone. What is read at a table's index may be all
of a buffer for the steps that come after: loops that run concurrently must be allowed to.
Results: the blocks that compute, in order. All references stay valid.)";
  static constexpr std::array refusals = {"root_block", "no_such_scope", "negative_threshold",
                                          "no_index_expression", "loop_carries_dependence"};
};
Outcome apply(const Function& f, const CacheIndex& step, Context& context);

}  // namespace ardea::schedule
