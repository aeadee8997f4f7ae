#pragma once

#include <vector>

#include "ardea/ir/storage_alignment.h"

namespace ardea::limits {

/// The strides of a row-major buffer of this shape: each axis that an alignment speaks of gets the smallest
/// that leaves room for what is inside and that the alignment allows.
std::vector<Expr> aligned_strides(const std::vector<Expr>& shape,
                                  const std::vector<StorageAlignment>& alignments);

}  // namespace ardea::limits
