#include "ardea/limits/aligned_strides.h"

#include "ardea/ir/layout.h"

namespace ardea::limits {

namespace {

/// The smallest value of at least `stride` that leaves the offset modulo the factor.
Expr aligned(const Expr& stride, const StorageAlignment& alignment) {
  const auto number = constant_int(stride);
  const Expr missing = floor_mod(make_int(alignment.offset) - stride, make_int(alignment.factor));
  if (!number) return stride + missing;
  const std::int64_t rest = (alignment.offset - *number) % alignment.factor;
  return make_int(*number + (rest < 0 ? rest + alignment.factor : rest));
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
