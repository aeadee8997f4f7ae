#pragma once

#include <vector>

#include "ardea/ops/layout.h"
#include "ardea/ops/registry.h"

/// The rows of the registry, by family, and what they are written with.

namespace ardea::ops {

std::vector<Operator> product_operators();
std::vector<Operator> convolution_operators();
std::vector<Operator> row_operators();
std::vector<Operator> pool_operators();
std::vector<Operator> fused_operators();

/// A workload's sizes by name: `s("m") * s("n")`.
class Sizes {
 public:
  explicit Sizes(const Workload& w) : workload_(w) {}
  Count operator()(const std::string& name) const { return size(workload_, name); }
  std::int64_t value(const std::string& name) const { return size(workload_, name); }

 private:
  const Workload& workload_;
};

Count product(const Shape& extents);

/// n,h,w,ci,co,kh,kw,stride,pad,dilation for two spatial dimensions, and so on.
std::vector<Size> convolution_sizes(std::size_t spatial_rank);
/// {"nchw", "nhwc"} for two spatial dimensions.
std::vector<std::string> image_layouts(std::size_t spatial_rank);
bool channels_last(const Workload& w);
Layout layout_of(const Workload& w);

/// Shapes of data, kernel and output of a convolution with the sizes above.
std::vector<Shape> convolution_shapes(const Workload& w, std::size_t spatial_rank);
Count convolution_flops(const Workload& w, std::size_t spatial_rank);

/// n, c and the spatial extents in the order of the workload's layout.
Shape image_shape(const Workload& w, Count n, Count c, const Shape& spatial);

}  // namespace ardea::ops
