#pragma once

#include <vector>

#include "ardea/ops/registry.h"
#include "ardea/target/target.h"

namespace ardea::recipes {

/// A convolution's sizes by what they mean, whatever its operator calls them; spatial lists have one entry a
/// dimension, outermost first.
struct ConvSizes {
  std::int64_t batch = 1;
  std::int64_t input_channels = 1, output_channels = 1;  ///< a depthwise one has one input channel an output
  std::vector<std::int64_t> window = {}, output = {};
  std::int64_t stride = 1, pad = 0, dilation = 1;
  bool channels_last = false;

  std::size_t rank() const { return window.size(); }
  std::int64_t taps() const;    ///< elements of the window
  std::int64_t pixels() const;  ///< elements of one output channel
  /// Rows of the input that this many rows of the output read, along one dimension.
  std::int64_t input_rows(std::size_t dimension, std::int64_t output_rows) const;
  /// The buffer that the sum reads.
  std::string source() const { return pad > 0 ? "data_padded" : "data"; }
};

/// Of c1d, c2d, c3d, dil and depthwise.
ConvSizes conv_sizes(const ops::Workload& workload);

/// Whether the target is a CPU with vectors and everything is float32.
bool is_float32_on_vectors(const ops::Workload& workload, const target::Target& target);

}  // namespace ardea::recipes
