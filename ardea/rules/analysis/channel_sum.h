#pragma once

#include <optional>

#include "ardea/rules/analysis/stage.h"

/// Sums of products one of whose operands is the same for many results.

namespace ardea::rules {

/// out[…] += data[…] · kernel[…, channel, …], or that under a condition which does not ask for the channel,
/// and 0 elsewhere. The channel is a dimension of the result and of the kernel, and occurs nowhere else; all
/// other indices are what they are. So a number of the data meets a vector of the kernel.
struct ChannelSum {
  Stage stage;
  Buffer kernel;
  std::size_t channel = 0;         ///< iterator
  std::size_t kernel_channel = 0;  ///< dimension of the kernel
  std::size_t row = 0;             ///< the last iterator of the result beside the channel
  /// So many places on along the row, results meet the same numbers of the kernel again, and the next number
  /// of the data: as many as its stride where a convolution is transposed. 1 where all places meet the same
  /// ones, or where none are.
  std::int64_t period = 1;
  bool has_data_side_by_side = false;  ///< whether the next number of the data is the neighbour in memory

  std::int64_t channels() const { return stage.extents[channel]; }
  std::int64_t places() const { return stage.extents[row]; }
};

/// Nothing where the block is another one. Of two iterators that could be the channel the inner one is.
std::optional<ChannelSum> channel_sum(const Function& program, const schedule::BlockRef& block);

}  // namespace ardea::rules
