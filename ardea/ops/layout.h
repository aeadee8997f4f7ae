#pragma once

#include <string>
#include <vector>

#include "ardea/ops/stages.h"

namespace ardea::ops {

/// Where the channels of images stand: n, c, h, w or n, h, w, c (and the same with one or three spatial
/// dimensions).
enum class Layout { channels_first, channels_last };

/// An image tensor of a layout, with `rank` spatial dimensions.
struct Image {
  Layout layout;
  std::size_t rank;

  std::size_t channel_dimension() const { return layout == Layout::channels_first ? 1 : rank + 1; }
  std::size_t spatial_dimension(std::size_t i) const {
    return layout == Layout::channels_first ? 2 + i : 1 + i;
  }

  /// n, c and the spatial parts (names, extents, indices, margins) in the order of the layout.
  template <class T>
  std::vector<T> arranged(const T& n, const T& c, const std::vector<T>& spatial) const {
    std::vector<T> all = {n};
    if (layout == Layout::channels_first) all.push_back(c);
    all.insert(all.end(), spatial.begin(), spatial.end());
    if (layout == Layout::channels_last) all.push_back(c);
    return all;
  }
  /// The spatial parts of something so arranged.
  template <class T>
  std::vector<T> spatial(const std::vector<T>& all) const {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(spatial_dimension(0));
    return {first, first + static_cast<std::ptrdiff_t>(rank)};
  }

  /// "d", "h", "w": the last `rank` of them, each with `prefix`.
  std::vector<std::string> spatial_names(const std::string& prefix = "") const;
  /// x with margins along its spatial dimensions, filled with `value`.
  te::Tensor framed(const te::Tensor& x, const std::vector<Margin>& spatial, const Expr& value) const;
};

/// How many windows of k elements, `dilation` apart, begin every `stride` elements of `in` elements with
/// `padding` more at both ends. Error, beginning with `call`, where there is none; `size` is the name of the
/// extent. A symbolic `in` is taken to be large enough.
Expr window_count(const std::string& call, const std::string& size, const Expr& in, const Expr& k,
                  std::int64_t stride, std::int64_t padding, std::int64_t dilation);

/// Error, beginning with `call`, unless stride and dilation are at least 1, padding is at least 0, and all
/// are numbers that extents can be computed with.
void check_window(const std::string& call, std::int64_t stride, std::int64_t padding, std::int64_t dilation);

}  // namespace ardea::ops
