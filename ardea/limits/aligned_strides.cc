#include "ardea/limits/aligned_strides.h"

#include "ardea/ir/layout.h"

namespace ardea::limits {

namespace {

/// The smallest value of at least `stride` that leaves the offset modulo the factor.
Expr aligned(const Expr& stride, const StorageAlignment& alignment) {
  const auto number = constant_int(stride), factor = constant_int(alignment.factor),
             offset = constant_int(alignment.offset);
  if (!number || !factor || !offset) return stride + floor_mod(alignment.offset - stride, alignment.factor);
  const std::int64_t rest = (*offset - *number) % *factor;
  return make_int(*number + (rest < 0 ? rest + *factor : rest));
}

}  // namespace

std::vector<Expr> aligned_strides(const std::vector<Expr>& shape,
                                  const std::vector<StorageAlignment>& alignments) {
  std::vector<Expr> strides(shape.size());
  Expr stride = make_int(1);
  for (std::size_t d = strides.size(); d-- > 0;) {
    for (const StorageAlignment& alignment : alignments)
      if (alignment.axis == static_cast<std::int64_t>(d)) stride = aligned(stride, alignment);
    strides[d] = stride;
    stride = multiply_index(stride, shape[d]);
  }
  return strides;
}

}  // namespace ardea::limits
