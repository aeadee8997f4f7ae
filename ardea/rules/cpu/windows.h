#pragma once

#include "ardea/rules/analysis/windowed_sum.h"
#include "ardea/rules/cpu/sum_rest.h"
#include "ardea/rules/rule.h"
#include "ardea/schedule/program/index_text.h"

/// What the rules for sums over windows share.

namespace ardea::rules {

/// Lanes that are as far apart are read as rows of neighbours (codegen/llvm, emit_strided.cc), others one by
/// one.
inline constexpr std::int64_t widest_read_apart = 4;

/// The stage as a sum over windows of float32 on a CPU with vectors; nothing where it is another one.
std::optional<WindowedSum> float32_windows(const Derivation& d, const schedule::BlockRef& stage);

/// A rule for those of them that it serves.
Rule window_rule(
    const std::string& name, const std::string& doc, const std::function<bool(const WindowedSum&)>& serves,
    const std::function<void(Derivation&, const schedule::BlockRef&, const WindowedSum&)>& apply);

/// What takes the results of a sum one by one: of padded ones those that count, and a stage of the program.
struct Followers {
  std::optional<schedule::BlockRef> unpad, after;
};
Followers followers_of(const Derivation& d, const schedule::BlockRef& sum);

/// The sum's results in registers, in another layout where one is given, and the block that takes them out:
/// with what follows the sum in it, which then is finished.
schedule::BlockRef results_in_registers(Derivation& d, const schedule::BlockRef& sum,
                                        const Followers& followers,
                                        const std::optional<schedule::IndexText>& layout = {});

/// What there is to choose of what tiles of the sum leave over (sum_rest.h). What follows the sum stands at
/// one nest, and tiles of groups are whole: nothing is cut off from either. Beside a size that only a call
/// knows nothing is shown to fit the registers.
LeftOverChoices choices_of_left_over(const Derivation& d, const schedule::BlockRef& block, const Stage& sum,
                                     const TileAxis& rows, const TileAxis& columns);

/// A sum that runs over whole multiples of some of its iterators.
struct PaddedWindows {
  /// Its data, where that is filled up, is an image with a border that its maker makes.
  WindowedSum sum;
  std::optional<schedule::BlockRef> kernel_copy;  ///< where the kernel is filled up
  Followers followers;
};
struct PaddedIterator {
  std::size_t iterator;
  schedule::Number multiple;
};
PaddedWindows pad_windows(Derivation& d, const schedule::BlockRef& block, const WindowedSum& sum,
                          const std::vector<PaddedIterator>& iterators);

/// A copy of the buffer that the block reads: for all that read it, or for these.
schedule::BlockRef copy_for(Derivation& d, const schedule::BlockRef& block, const Buffer& buffer,
                            const std::vector<schedule::BlockRef>& readers = {});

/// Columns that a stride takes apart are brought together, by the copy that is returned: each data[…, x] lies
/// at […, x % stride, x // stride].
schedule::BlockRef gather_columns(Derivation& d, const schedule::BlockRef& block, const WindowedSum& sum);

/// Whether windows that follow each other along the axis share rows of the data: of such a copy an iteration
/// keeps what the next one needs.
bool shares_rows(const WindowAxis& axis);

/// Only the border of an image asks whether it is one: the loop is cut there.
void cut_at_border(Derivation& d, const WindowedSum& sum, const schedule::LoopRef& rows);

/// "lambda d0, d1: (d1 // t, d0, d1 % t)": panels of a kernel's channels first, then all other dimensions as
/// they were, then the t channels of one panel.
std::string channel_panels(std::size_t dimensions, std::size_t channel);

/// "b0, b1, " for the indices of batches.
std::string batch_indices(const WindowedSum& sum);

}  // namespace ardea::rules
