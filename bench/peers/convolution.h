#pragma once

#include <optional>

#include "bench/peers/plugin.h"

namespace peer {

/// A convolution in two dimensions, under one description for c2d, dil, grouped and depthwise.
struct Convolution {
  std::int64_t n, h, w, ci, co, kh, kw, stride, pad, dilation, groups;
  std::int64_t oh, ow;  ///< of the output
  bool channels_last;   ///< nhwc, kernels kh,kw,ci,co; else nchw, kernels co,ci,kh,kw
  bool depthwise = false;

  /// The places x of the output, from `first` up to `last`, whose input x·stride + tap·dilation - pad lies
  /// inside `extent`.
  struct Inside {
    std::int64_t first, last;
  };
  Inside inside(std::int64_t tap, std::int64_t extent, std::int64_t places) const;
};

/// Nothing for any other operator.
std::optional<Convolution> convolution_of(const Workload& workload);

}  // namespace peer
