#pragma once

#include "ardea/ops/layout.h"

/// Pooling over windows of k × k elements of an image, each channel by itself.

namespace ardea::ops {

struct PoolOptions {
  std::int64_t k = 2, stride = 2, padding = 0;
  /// avgpool: the padding's zeros count as elements, so that every window is divided by k·k (PyTorch's
  /// default). Off divides by the number of the image's own elements in the window.
  bool count_include_pad = true;
  Layout layout = Layout::channels_first;
  Types types = {};
  std::string name = {};  ///< empty means the operator's name
};

/// The padding never wins; it must be less than k, else a window would hold nothing but padding.
te::Tensor maxpool(const te::Tensor& x, const PoolOptions& options = {});

/// Floats only. Without count_include_pad the padding must be less than k.
te::Tensor avgpool(const te::Tensor& x, const PoolOptions& options = {});

/// The mean of each image's channel: the result is n, c.
te::Tensor global_avgpool(const te::Tensor& x, Layout layout = Layout::channels_first,
                          const Types& types = {}, const std::string& name = "global_avgpool");

}  // namespace ardea::ops
