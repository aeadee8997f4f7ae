#pragma once

#include "ardea/ops/layout.h"

/// Transposed convolutions: every input element adds its multiple of the kernel to the output,
///
///   out[n, co, h·stride + kh·dilation − padding, …] += data[n, ci, h, w] · kernel[ci, co, kh, kw]
///
/// where what falls outside the output is dropped. The output has (h − 1)·stride − 2·padding +
/// dilation·(kh − 1) + output_padding + 1 rows; output_padding only adds rows at the end, and must be less
/// than the stride or the dilation (a larger one would add rows that nothing reaches).
///
/// Layouts: channels first n,c,h,w with kernels ci,co,kh,kw (as PyTorch); channels last n,h,w,c with kernels
/// kh,kw,ci,co.
///
/// Written as a gather without inserted zeros: of the kernel's rows, only those that meet an input row at
/// this output row are visited. They are kh = r, r + s', r + 2s', … with s' = stride / gcd(stride, dilation)
/// and r a function of the row, so that ⌈kh / s'⌉ steps (the axis th) stand where a convolution of data with
/// zeros between its elements has kh.

namespace ardea::ops {

struct TransposedConvOptions {
  std::int64_t stride = 1, padding = 0, dilation = 1, output_padding = 0;
  Layout layout = Layout::channels_first;
  Types types = {};
  std::string name = "out";
};

te::Tensor t1d(const te::Tensor& data, const te::Tensor& kernel, const TransposedConvOptions& options = {});
te::Tensor t2d(const te::Tensor& data, const te::Tensor& kernel, const TransposedConvOptions& options = {});
te::Tensor t3d(const te::Tensor& data, const te::Tensor& kernel, const TransposedConvOptions& options = {});

}  // namespace ardea::ops
