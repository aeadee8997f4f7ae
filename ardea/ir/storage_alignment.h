#pragma once

#include <vector>

#include "ardea/ir/stmt.h"

/// The annotation "buffer_dim_align": how far apart the slices of a dimension lie in memory.

namespace ardea {

inline constexpr auto storage_alignment_key = "buffer_dim_align";

/// The stride of the axis is the smallest k * factor + offset that leaves room for what is inside. Written as
/// [buffer, axis, factor, offset].
struct StorageAlignment {
  std::int64_t buffer = 0;  ///< its position among the writes of the block that carries the annotation
  std::int64_t axis = 0;
  Expr factor = make_int(1);  ///< positive; int64, as the offset is
  Expr offset = make_int(0);  ///< from 0 on, less than the factor
};

/// Those of a block or an allocation, in the order written. Error where the annotation is no list of these.
std::vector<StorageAlignment> storage_alignments(const Attributes& annotations);

/// The annotation's value.
Attribute attribute_of(const std::vector<StorageAlignment>& alignments);

}  // namespace ardea
