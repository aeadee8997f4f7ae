#include "bench/gpu_peers/convolution_shape.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

namespace peer {

namespace {

using Extents = std::vector<std::int64_t>;

/// Compact, with dimension `order[0]` outermost.
Extents strides_in(const Extents& extents, const std::vector<std::size_t>& order) {
  Extents strides(extents.size());
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0; step *= extents[order[i]]) strides[order[i]] = step;
  return strides;
}

std::vector<std::size_t> spatial_of(std::size_t rank) {
  std::vector<std::size_t> all(rank);
  std::iota(all.begin(), all.end(), 2);
  return all;
}

/// What stands first, the spatial dimensions, what stands last.
std::vector<std::size_t> order_of(const std::vector<std::size_t>& first, std::size_t rank,
                                  const std::vector<std::size_t>& last) {
  std::vector<std::size_t> order = first;
  const std::vector<std::size_t> spatial = spatial_of(rank);
  order.insert(order.end(), spatial.begin(), spatial.end());
  order.insert(order.end(), last.begin(), last.end());
  return order;
}

/// Dimensions of an image: batch, channels, spatial ones. cuDNN knows no line: it is a picture of one row.
Strided image_of(const Array& array, bool is_channels_last) {
  const std::size_t rank = array.shape.size() - 2;
  Extents extents = {array.shape[0], is_channels_last ? array.shape.back() : array.shape[1]};
  const auto first = array.shape.begin() + (is_channels_last ? 1 : 2);
  if (rank == 1) extents.push_back(1);
  extents.insert(extents.end(), first, first + static_cast<std::ptrdiff_t>(rank));
  const std::size_t spatial = extents.size() - 2;
  return {extents, strides_in(extents, is_channels_last ? order_of({0}, spatial, {1})
                                                        : order_of({0, 1}, spatial, {}))};
}

}  // namespace

std::int64_t Strided::elements() const {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

ConvolutionShape convolution_shape(const Workload& w) {
  constexpr std::array<std::string_view, 7> known = {"c1d", "c2d", "dil", "c3d", "t1d", "t2d", "t3d"};
  if (std::find(known.begin(), known.end(), w.op) == known.end())
    throw Refusal{"it is asked for convolutions only"};
  const std::string& type = w.arrays[0].type;
  if (w.acc != "float32" || w.arrays[1].type != type || w.output().type != type)
    throw Refusal{"it is asked for convolutions of one type, summed in float32"};
  ConvolutionShape shape;
  shape.type = type;
  shape.is_transposed = w.op[0] == 't';
  shape.is_channels_last = w.layout.back() == 'c';
  const Array &read = w.arrays[0], &made = w.output(), &kernel = w.arrays[1];
  shape.image = image_of(shape.is_transposed ? made : read, shape.is_channels_last);
  shape.result = image_of(shape.is_transposed ? read : made, shape.is_channels_last);
  const std::size_t spatial = shape.image.extents.size() - 2, rank = read.shape.size() - 2;

  // Channels of the result, channels of the image, the window.
  Extents extents = {shape.result.extents[1], shape.image.extents[1]};
  if (rank == 1) extents.push_back(1);
  const auto window = kernel.shape.begin() + (shape.is_channels_last ? 0 : 2);
  extents.insert(extents.end(), window, window + static_cast<std::ptrdiff_t>(rank));
  // The operator's kernel names the channels that are read before those that are made.
  const std::vector<std::size_t> read_first =
      shape.is_transposed ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{1, 0};
  shape.weights = {extents, strides_in(extents, shape.is_channels_last ? order_of({}, spatial, read_first)
                                                                       : order_of({0, 1}, spatial, {}))};
  shape.own_weights = {extents, strides_in(extents, shape.is_channels_last ? order_of({0}, spatial, {1})
                                                                           : order_of({0, 1}, spatial, {}))};

  const std::size_t behind = 3 + 2 * rank;  // n, the image, ci, co, the window
  const auto for_each_dimension = [&](std::int64_t value, std::int64_t of_no_extent) {
    Extents all(spatial, value);
    if (rank == 1) all[0] = of_no_extent;
    return all;
  };
  shape.stride = for_each_dimension(w.sizes[behind], 1);
  shape.pad = for_each_dimension(w.sizes[behind + 1], 0);
  shape.dilation = for_each_dimension(w.sizes[behind + 2], 1);
  return shape;
}

}  // namespace peer
