#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct StorageAlign {
  BlockRef block;
  std::int64_t buffer_index = 0;
  std::int64_t axis = 0;
  Number factor = std::int64_t{1};
  Number offset = std::int64_t{0};
  using Results = void;
  static constexpr auto name = "storage_align";
  static constexpr auto fields =
      std::tuple(field("block", &StorageAlign::block), field("buffer_index", &StorageAlign::buffer_index),
                 field("axis", &StorageAlign::axis), field("factor", &StorageAlign::factor),
                 field("offset", &StorageAlign::offset));
  static constexpr auto contract = R"(the slices of a dimension lie apart in memory by k * factor + offset

B: (8, 30), storage_align(block, 0, axis=0, factor=32, offset=4)   =>   B[i, j] lies at i * 36 + j

The buffer is the one that the block writes at that position of its T.writes; a negative axis counts from the
end. Lowering takes the smallest such stride that has room for the dimensions inside, as small as these have become
by then. It is kept as the annotation buffer_dim_align of the block.
Requires that a block allocates the buffer, that it has no views, matched parts or addresses given away, which count
on the strides that they know, and that its axis is not aligned already.
All references stay valid.)";
  static constexpr std::array refusals = {"root_block",       "no_such_buffer", "buffer_is_parameter",
                                          "buffer_is_viewed", "no_such_axis",   "factor_not_positive",
                                          "offset_outside",   "aligned_already"};
};
Outcome apply(const Function& f, const StorageAlign& step, Context& context);

}  // namespace ardea::schedule
