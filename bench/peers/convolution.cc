#include "bench/peers/convolution.h"

#include <algorithm>

namespace peer {

std::optional<Convolution> convolution_of(const Workload& w) {
  const std::vector<std::int64_t>& s = w.sizes;
  Convolution c{};
  if (w.op == "c2d" || w.op == "dil" || w.op == "grouped")
    c = {.n = s[0],
         .h = s[1],
         .w = s[2],
         .ci = s[3],
         .co = s[4],
         .kh = s[5],
         .kw = s[6],
         .stride = s[7],
         .pad = s[8],
         .dilation = s[9],
         .groups = w.op == "grouped" ? s[10] : 1,
         .oh = 0,
         .ow = 0,
         .channels_last = false};
  else if (w.op == "depthwise")
    c = {.n = s[0],
         .h = s[1],
         .w = s[2],
         .ci = s[3],
         .co = s[3],
         .kh = s[4],
         .kw = s[5],
         .stride = s[6],
         .pad = s[7],
         .dilation = 1,
         .groups = s[3],
         .oh = 0,
         .ow = 0,
         .channels_last = false,
         .depthwise = true};
  else
    return std::nullopt;
  c.channels_last = w.layout == "nhwc";
  c.oh = (c.h + 2 * c.pad - c.dilation * (c.kh - 1) - 1) / c.stride + 1;
  c.ow = (c.w + 2 * c.pad - c.dilation * (c.kw - 1) - 1) / c.stride + 1;
  return c;
}

Convolution::Inside Convolution::inside(std::int64_t tap, std::int64_t extent, std::int64_t places) const {
  const std::int64_t shift = pad - tap * dilation;  // x·stride >= shift and x·stride <= shift + extent - 1
  const std::int64_t first = shift <= 0 ? 0 : (shift + stride - 1) / stride;
  const std::int64_t last = shift + extent - 1 < 0 ? 0 : (shift + extent - 1) / stride + 1;
  return {std::min(first, places), std::clamp<std::int64_t>(last, std::min(first, places), places)};
}

}  // namespace peer
