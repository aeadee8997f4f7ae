#include "bench/peers/convolution.h"
#include "bench/peers/onednn/steps.h"

namespace peer {

namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;

/// Data and kernels under oneDNN's names for the dimensions, in the layouts of docs/operators.md.
Desc image(const Array& array, std::int64_t channels, std::int64_t height, std::int64_t width, bool last) {
  const Dims dims = {array.shape[0], channels, height, width};
  const Dims strides = last ? Dims{height * width * channels, 1, width * channels, channels}
                            : Dims{channels * height * width, height * width, width, 1};
  return {dims, type_of(array), strides};
}

Desc kernel(const Array& array, const Convolution& c) {
  const std::int64_t in = c.ci / c.groups, out = c.co / c.groups, window = c.kh * c.kw;
  if (c.groups == 1)
    return {{c.co, c.ci, c.kh, c.kw},
            type_of(array),
            c.channels_last ? Dims{1, c.co, c.kw * c.ci * c.co, c.ci * c.co}
                            : Dims{c.ci * window, window, c.kw, 1}};
  return {{c.groups, out, in, c.kh, c.kw},
          type_of(array),
          c.channels_last ? Dims{out, 1, c.co, c.kw * in * c.co, in * c.co}
                          : Dims{out * in * window, in * window, window, c.kw, 1}};
}

dnnl::convolution_forward::primitive_desc described(const Convolution& c, const Desc& data,
                                                    const Desc& weights, const Desc& out) {
  // What lies behind the last window is padding on the far side, which may be less than nothing.
  const auto far = [&](std::int64_t extent, std::int64_t taps, std::int64_t places) {
    return (places - 1) * c.stride + c.dilation * (taps - 1) + 1 - extent - c.pad;
  };
  return described_convolution(data, weights, out, {c.stride, c.stride}, {c.dilation - 1, c.dilation - 1},
                               {c.pad, c.pad}, {far(c.h, c.kh, c.oh), far(c.w, c.kw, c.ow)});
}

}  // namespace

Variants convolutions(const Workload& w) {
  const std::optional<Convolution> found = convolution_of(w);
  if (!found) return {};
  const Convolution c = *found;
  if (w.acc != "float32" && w.acc != "int32") throw Refusal{"it does not compute in " + w.acc};
  const Desc data = image(w.arrays[0], c.ci, c.h, c.w, c.channels_last), weights = kernel(w.arrays[1], c);
  const Desc out = image(w.output(), c.co, c.oh, c.ow, c.channels_last);

  Variants all;
  const auto add = [&](bool own_images, bool own_kernel, bool once, const std::string& label) {
    const auto pd = std::make_shared<dnnl::convolution_forward::primitive_desc>(
        described(c, own_images ? any_layout(data) : data, own_kernel ? any_layout(weights) : weights,
                  own_images ? any_layout(out) : out));
    if (!*pd) return;
    // Where it wants nothing else than what is given, it is the first variant again.
    if (own_kernel && pd->src_desc() == data && pd->weights_desc() == weights && pd->dst_desc() == out)
      return;
    all.push_back([=] {
      const auto steps = std::make_shared<Steps>(
          dnnl::convolution_forward(*pd),
          std::vector<Operand>{{DNNL_ARG_SRC, 0, data, pd->src_desc()},
                               {DNNL_ARG_WEIGHTS, 1, weights, pd->weights_desc(), once}},
          Operand{DNNL_ARG_DST, 2, out, pd->dst_desc()});
      return Prepared{std::string(pd->impl_info_str()) + label, [=](void* const* p) { steps->run(p); }};
    });
  };
  add(false, false, false, ", given layouts");
  add(false, true, false, ", kernel in its own layout, reorder counted");
  add(false, true, true, ", kernel in its own layout, prepacked");
  add(true, true, false, ", all in its own layouts, reorders counted");
  add(true, true, true, ", all in its own layouts, kernel prepacked, other reorders counted");
  return all;
}

}  // namespace peer
