#pragma once

#include "ardea/ops/layout.h"

/// Convolutions (cross-correlations, as every framework calls them):
///
///   out[n, co, h, w] = Σ_{ci, kh, kw} data[n, ci, h·stride + kh·dilation − padding, …] · kernel[co, ci, kh,
///   kw]
///
/// where data is 0 outside. Padding is a stage of its own, `data`_padded, and only there where padding > 0.
///
/// Layouts: channels first n,c,d,h,w with kernels co,ci,kd,kh,kw; channels last n,d,h,w,c with kernels
/// kd,kh,kw,ci,co.

namespace ardea::ops {

struct ConvOptions {
  std::int64_t stride = 1, padding = 0, dilation = 1;  ///< the same along every spatial dimension
  /// Channels are cut into that many equal parts, each output channel sees one of them; the kernel's ci is
  /// that part's.
  std::int64_t groups = 1;
  Layout layout = Layout::channels_first;
  Types types = {};
  std::string name = "out";
};

te::Tensor c1d(const te::Tensor& data, const te::Tensor& kernel, const ConvOptions& options = {});
te::Tensor c2d(const te::Tensor& data, const te::Tensor& kernel, const ConvOptions& options = {});
te::Tensor c3d(const te::Tensor& data, const te::Tensor& kernel, const ConvOptions& options = {});

/// Each channel by itself: out[n, c, h, w] = Σ_{kh, kw} data[n, c, …] · kernel[c, kh, kw]; the kernel is
/// c,kh,kw with channels first, kh,kw,c with channels last. `groups` must stay 1.
te::Tensor depthwise(const te::Tensor& data, const te::Tensor& kernel, const ConvOptions& options = {});

}  // namespace ardea::ops
