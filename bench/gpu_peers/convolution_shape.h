#pragma once

#include "bench/peers/plugin.h"

namespace peer {

/// An array by the extents and strides that cuDNN names it with: batch (of weights: what is made of a dy or
/// read of an x), channels, then at least two spatial dimensions.
struct Strided {
  std::vector<std::int64_t> extents, strides;
  std::int64_t elements() const;
};

/// A convolution as cuDNN sees it. A transposed one is the gradient of a plain one by its data: there `image`
/// is what it makes, and `result` what it reads.
struct ConvolutionShape {
  bool is_transposed = false;
  bool is_channels_last = false;
  std::string type;                ///< of all three arrays
  Strided image, weights, result;  ///< as the operator's arrays lie
  Strided own_weights;             ///< as cuDNN wants them: with channels last, output by output
  std::vector<std::int64_t> stride, pad, dilation;  ///< one each for a spatial dimension
};

/// Of c1d, c2d, dil, c3d, t1d, t2d, t3d whose arrays are of one type and which sum in float32; Refusal for
/// others.
ConvolutionShape convolution_shape(const Workload& workload);

}  // namespace peer
