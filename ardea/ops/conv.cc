#include "ardea/ops/conv.h"

#include "ardea/ir/print.h"
#include "ardea/ops/shapes.h"
#include "ardea/support/error.h"
#include "ardea/te/math.h"

namespace ardea::ops {

namespace {

/// The parts that all convolutions share: data in a frame of zeros, output extents, the windows' axes.
struct ConvWindows {
  Image image;
  ConvOptions options;
  te::Tensor data;               ///< padded
  std::vector<Expr> out;         ///< spatial extents of the output
  std::vector<te::Axis> kernel;  ///< over the window

  /// Where the window's element lies along each spatial dimension of `data`.
  std::vector<Expr> places(const std::vector<Var>& out_axes) const {
    std::vector<Expr> places;
    for (std::size_t i = 0; i < image.rank; ++i) {
      const Expr start = options.stride == 1 ? Expr(out_axes[i]) : out_axes[i] * options.stride;
      places.push_back(start +
                       (options.dilation == 1 ? Expr(kernel[i]) : Expr(kernel[i]) * options.dilation));
    }
    return places;
  }
};

ConvWindows conv_windows(const std::string& call, std::size_t rank, const te::Tensor& data,
                         const std::vector<Expr>& kernel, const ConvOptions& options, const Types& types) {
  check_window(call, options.stride, options.padding, options.dilation);
  const Image image{options.layout, rank};
  ConvWindows windows{image, options, {}, {}, {}};
  const std::vector<std::string> names = image.spatial_names(), kernel_names = image.spatial_names("k");
  const std::vector<Expr> in = image.spatial(data.shape());
  for (std::size_t i = 0; i < rank; ++i) {
    windows.out.push_back(
        window_count(call, names[i], in[i], kernel[i], options.stride, options.padding, options.dilation));
    windows.kernel.push_back(te::reduce_axis(kernel[i], kernel_names[i]));
  }
  const Expr margin = make_int(options.padding);
  windows.data = image.framed(data, std::vector<Margin>(rank, {margin, margin}),
                              make_const(0, padding_type(data, types.acc)));
  return windows;
}

/// The input channels that one output channel sees begin at this one.
Expr first_channel(const Expr& co, const Expr& co_extent, const Expr& ci_extent, std::int64_t groups) {
  return floor_div(co, folded(floor_div(co_extent, groups))) * ci_extent;
}

void check_groups(const std::string& call, const te::Tensor& data, const Expr& channels, const Expr& ci,
                  const Expr& co, std::int64_t groups) {
  require(groups >= 1, "{}: groups is {}, must be at least 1", call, groups);
  require(same_extent(channels, groups == 1 ? ci : ci * groups),
          "{}: {} has {} channels, but its kernel has {} in each of {} group{}", call, data.name(),
          print(channels), print(ci), groups, groups == 1 ? "" : "s");
  require(groups == 1 || same_extent(floor_mod(co, groups), make_int(0)),
          "{}: {} output channels do not divide into {} groups", call, print(co), groups);
}

te::Tensor convolution(const std::string& call, std::size_t rank, const te::Tensor& data,
                       const te::Tensor& kernel, const ConvOptions& options) {
  require_rank(call, data, rank + 2);
  require_rank(call, kernel, rank + 2);
  const Types types = resolved(call, Arithmetic::products, {data.type(), kernel.type()}, options.types);
  const bool first = options.layout == Layout::channels_first;
  const auto& extents = kernel.shape();
  const Expr co = first ? extents[0] : extents[rank + 1], ci = first ? extents[1] : extents[rank];
  const std::vector<Expr> window = first ? std::vector<Expr>(extents.begin() + 2, extents.end())
                                         : std::vector<Expr>(extents.begin(), extents.end() - 2);
  const Image image{options.layout, rank};
  check_groups(call, data, data.shape()[image.channel_dimension()], ci, co, options.groups);
  const ConvWindows windows = conv_windows(call, rank, data, window, options, types);

  const te::Axis rci = te::reduce_axis(ci, "ci");
  // In the order in which the kernel lies in memory.
  std::vector<te::Axis> reduced = windows.kernel;
  reduced.insert(first ? reduced.begin() : reduced.end(), rci);
  const auto dims = named_dims(image.arranged(data.shape()[0], co, windows.out),
                               image.arranged<std::string>("n", "co", image.spatial_names()));
  return accumulated(options.name, dims, types, [&](const std::vector<Var>& at) {
    const Var& channel = at[image.channel_dimension()];
    const Expr from =
        options.groups == 1 ? Expr(rci) : first_channel(channel, co, ci, options.groups) + Expr(rci);
    const Expr x = windows.data.at(image.arranged<Expr>(at[0], from, windows.places(image.spatial(at))));
    std::vector<Expr> place(windows.kernel.begin(), windows.kernel.end());
    const std::vector<Expr> channels =
        first ? std::vector<Expr>{channel, rci} : std::vector<Expr>{rci, channel};
    place.insert(first ? place.begin() : place.end(), channels.begin(), channels.end());
    return te::sum(te::cast(types.acc, x) * te::cast(types.acc, kernel.at(place)), reduced);
  });
}

}  // namespace

te::Tensor c1d(const te::Tensor& data, const te::Tensor& kernel, const ConvOptions& options) {
  return convolution("c1d", 1, data, kernel, options);
}

te::Tensor c2d(const te::Tensor& data, const te::Tensor& kernel, const ConvOptions& options) {
  return convolution("c2d", 2, data, kernel, options);
}

te::Tensor c3d(const te::Tensor& data, const te::Tensor& kernel, const ConvOptions& options) {
  return convolution("c3d", 3, data, kernel, options);
}

te::Tensor depthwise(const te::Tensor& data, const te::Tensor& kernel, const ConvOptions& options) {
  require_rank("depthwise", data, 4);
  require_rank("depthwise", kernel, 3);
  require(options.groups == 1, "depthwise: groups is {}, but every channel is a group already; leave it 1",
          options.groups);
  const Types types =
      resolved("depthwise", Arithmetic::products, {data.type(), kernel.type()}, options.types);
  const bool first = options.layout == Layout::channels_first;
  const Image image{options.layout, 2};
  require_same("depthwise", "c", data, image.channel_dimension(), kernel, first ? 0 : 2);
  const auto& extents = kernel.shape();
  const std::vector<Expr> window =
      first ? std::vector<Expr>{extents[1], extents[2]} : std::vector<Expr>{extents[0], extents[1]};
  const ConvWindows windows = conv_windows("depthwise", 2, data, window, options, types);
  const Expr channels = data.shape()[image.channel_dimension()];
  const auto dims = named_dims(image.arranged(data.shape()[0], channels, windows.out),
                               image.arranged<std::string>("n", "c", image.spatial_names()));
  return accumulated(options.name, dims, types, [&](const std::vector<Var>& at) {
    const Var& c = at[image.channel_dimension()];
    const Expr x = windows.data.at(image.arranged<Expr>(at[0], c, windows.places(image.spatial(at))));
    const te::Axis &kh = windows.kernel[0], &kw = windows.kernel[1];
    const Expr k = first ? kernel(c, kh, kw) : kernel(kh, kw, c);
    return te::sum(te::cast(types.acc, x) * te::cast(types.acc, k), windows.kernel);
  });
}

}  // namespace ardea::ops
