#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ardea/ir/expr.h"

/// Copies of what windows see of an array of images, channels last, to a block's shared memory: the other way
/// than box_copy.h in which a unit copies.

namespace ardea {

/// What T.async_copy_window is given beside its two addresses. An image has one to three dimensions, of which
/// the last is the innermost. Windows' corners lie in them in steps from `lower` on, before the image's
/// extent + `upper`, and follow each other as row-major elements do, the next image's behind an image's last.
struct WindowCopy {
  Expr image = {};                        ///< of the first window
  std::vector<Expr> corner;               ///< its corner, in each dimension of an image
  Expr channel = {};                      ///< the first that is copied
  std::vector<Expr> tap;                  ///< how far from a window's corner the element lies, not negative
  std::int64_t images = 1, channels = 1;  ///< of the array
  std::vector<std::int64_t> extents, lower, upper, steps;  ///< in each dimension of an image
  std::int64_t box_windows = 1, box_channels = 1;          ///< that are copied, a row a window
  bool is_swizzled = false;  ///< units change places in these rows, as swizzle_of_tensor_units says

  std::size_t dimensions() const { return extents.size(); }
};

/// Dimensions of an image that units know.
constexpr std::size_t most_image_dimensions = 3;

/// What the unit counts corners by, and taps: the more dimensions, the fewer.
struct WindowLimits {
  std::int64_t lowest = 0, highest = 0;  ///< `lower` and `upper`
  std::int64_t farthest_tap = 0;
  static constexpr std::int64_t longest_step = 8, most_windows = 1024, most_channels = 256;
};
WindowLimits window_limits(std::size_t dimensions);

/// The copy of such a call; nothing of others, or where a number is none.
std::optional<WindowCopy> window_copy_of(const Call& call);

/// T.async_copy_window(to, from, …)
Expr make_window_copy(const Expr& to, const Expr& from, const WindowCopy& copy);

}  // namespace ardea
