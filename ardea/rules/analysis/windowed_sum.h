#pragma once

#include <optional>
#include <vector>

#include "ardea/rules/analysis/stage.h"

/// Sums over windows that move over an image (convolutions), found by their index expressions.

namespace ardea::rules {

/// A dimension along which the window moves: data[…, place · stride + tap · dilation + …, …]. The dilation of
/// a window that is read backwards is negative.
struct WindowAxis {
  std::size_t place = 0, tap = 0;     ///< iterators of the block: where the window is, and where in it
  std::int64_t places = 1, taps = 1;  ///< their extents
  std::int64_t stride = 1, dilation = 1;

  /// Elements of the data from the first to the last that so many places side by side read.
  std::int64_t reach(std::int64_t of_places) const;
};

/// out[batch …, channel, place …] += data[batch …, input, place and tap …] · kernel[channel, input, tap …],
/// or the same with the channels behind the places; the kernel's dimensions stand in any order. Loops that
/// reduce stand in any order, too.
struct WindowedSum {
  Stage stage;
  Buffer data, kernel;
  std::size_t batches =
      0;  ///< iterators before all others that are an index of the data each, as many as a call says
  std::size_t channel = 0;           ///< iterator over the channels of the result
  std::optional<std::size_t> input;  ///< iterator over those of the data that are summed
  std::size_t kernel_channel = 0;    ///< dimension of the kernel that the channel is the index of
  /// Channels of the result that see the same ones of the data: all where there is one group. With one, and
  /// no input, each channel is convolved by itself.
  std::int64_t group = 1;
  std::vector<WindowAxis> axes;  ///< outermost first
  bool channels_last = false;
  /// The block that makes the data, element by element for this sum alone, and whether it chooses between
  /// elements and a constant: a border around the image.
  std::optional<schedule::BlockRef> maker;
  bool has_border = false;

  std::size_t rank() const { return axes.size(); }
  std::int64_t channels() const { return stage.extents[channel]; }
  std::int64_t groups() const { return channels() / group; }
  std::int64_t inputs() const { return input ? stage.extents[*input] : 1; }
  std::int64_t taps() const;
  /// Whether each channel is convolved by itself.
  bool is_apart() const { return !input && group == 1; }
  /// Of the loops that reduce, in their order.
  std::vector<std::int64_t> reduced_extents() const;
};

/// Nothing where the block is another one.
std::optional<WindowedSum> windowed_sum(const Function& program, const schedule::BlockRef& block);

}  // namespace ardea::rules
