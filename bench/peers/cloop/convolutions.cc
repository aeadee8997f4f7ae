#include <algorithm>

#include "bench/peers/cloop/loops.h"
#include "bench/peers/convolution.h"

namespace peer {

namespace {

/// Channels first: rows of the output take a multiple of rows of the data, one for each tap of the kernel.
void channels_first(const Convolution& c, const float* data, const float* kernel, float* out) {
  const std::int64_t in_group = c.ci / c.groups, out_group = c.co / c.groups;
  for (std::int64_t image = 0; image < c.n; ++image)
    for (std::int64_t o = 0; o < c.co; ++o)
      for (std::int64_t y = 0; y < c.oh; ++y) {
        float* __restrict row = out + ((image * c.co + o) * c.oh + y) * c.ow;
        std::fill_n(row, c.ow, 0.0F);
        for (std::int64_t i = 0; i < in_group; ++i)
          for (std::int64_t r = 0; r < c.kh; ++r) {
            const std::int64_t from = y * c.stride + r * c.dilation - c.pad;
            if (from < 0 || from >= c.h) continue;
            const std::int64_t channel = o / out_group * in_group + i;
            const float* __restrict line = data + ((image * c.ci + channel) * c.h + from) * c.w;
            for (std::int64_t q = 0; q < c.kw; ++q) {
              const auto [first, last] = c.inside(q, c.w, c.ow);
              const float weight = kernel[((o * in_group + i) * c.kh + r) * c.kw + q];
              const float* __restrict shifted = line + (q * c.dilation - c.pad);
              for (std::int64_t x = first; x < last; ++x) row[x] += weight * shifted[x * c.stride];
            }
          }
      }
}

/// Channels last: each pixel of the output takes the rows of the kernel for one input channel after the
/// other.
void channels_last(const Convolution& c, const float* data, const float* kernel, float* out) {
  const std::int64_t in_group = c.ci / c.groups, out_group = c.co / c.groups;
  for (std::int64_t image = 0; image < c.n; ++image)
    for (std::int64_t y = 0; y < c.oh; ++y)
      for (std::int64_t x = 0; x < c.ow; ++x) {
        float* __restrict pixel = out + ((image * c.oh + y) * c.ow + x) * c.co;
        std::fill_n(pixel, c.co, 0.0F);
        for (std::int64_t r = 0; r < c.kh; ++r)
          for (std::int64_t q = 0; q < c.kw; ++q) {
            const std::int64_t v = y * c.stride + r * c.dilation - c.pad,
                               u = x * c.stride + q * c.dilation - c.pad;
            if (v < 0 || v >= c.h || u < 0 || u >= c.w) continue;
            const float* __restrict from = data + ((image * c.h + v) * c.w + u) * c.ci;
            const float* __restrict weights = kernel + (r * c.kw + q) * in_group * c.co;
            if (c.depthwise) {
              for (std::int64_t o = 0; o < c.co; ++o) pixel[o] += from[o] * weights[o];
              continue;
            }
            for (std::int64_t group = 0; group < c.groups; ++group)
              for (std::int64_t i = 0; i < in_group; ++i) {
                const float value = from[group * in_group + i];
                for (std::int64_t o = group * out_group; o < (group + 1) * out_group; ++o)
                  pixel[o] += value * weights[i * c.co + o];
              }
          }
      }
}

}  // namespace

std::optional<Prepared> convolution_loops(const Workload& w) {
  const std::optional<Convolution> c = convolution_of(w);
  if (!c || !w.all("float32")) return std::nullopt;
  return Prepared{"", [c = *c](void* const* p) {
                    (c.channels_last ? channels_last : channels_first)(
                        c, input<float>(p, 0), input<float>(p, 1), output<float>(p, 2));
                  }};
}

}  // namespace peer
