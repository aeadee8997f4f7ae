#include "ardea/rules/cpu/conv_apart.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/cpu/register_sums.h"
#include "ardea/rules/cpu/windows.h"
#include "ardea/rules/exact_cut.h"
#include "ardea/rules/model/candidates.h"
#include "ardea/rules/model/register_tiles.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/rolling_buffer.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// More neighbours in lanes than that take the registers of others.
constexpr std::int64_t most_vectors_apart = 4;

/// As many sums at a time as this part of the registers holds: the window's weights, and what is loaded, need
/// the others. Fewer, where that leaves no rest.
std::int64_t sums_at_a_time(std::int64_t extent, std::int64_t parts_of_registers,
                            const target::Target& target) {
  const std::int64_t most =
      std::min<std::int64_t>(extent, std::max<std::int64_t>(target.vector_registers / parts_of_registers, 2));
  for (std::int64_t sums = most; 2 * sums > most; --sums)
    if (extent % sums == 0) return sums;
  return most;
}

class EachChannel {
 public:
  EachChannel(Derivation& d, const BlockRef& block, const WindowedSum& sum)
      : d_(d), s_(d.steps()), sum_(sum), block_(block), name_(path_to(s_.program(), block)->block().name) {}

  void run() {
    const std::int64_t lanes = lanes_of(d_.target());
    const std::int64_t neighbours = sum_.stage.extents[down()], side_by_side = sum_.stage.extents[right()];
    decide_gathering();
    // Columns that are read apart come two registers at a time.
    const std::int64_t sums = sums_at_a_time(neighbours, is_apart() && !gathers_ ? 8 : 4, d_.target());
    decide_copy(sums);
    choose_rows(sums);
    lanes_ = d_.number(name_ + "_lanes", tile_sizes_within(side_by_side, most_vectors_apart * lanes, lanes),
                       std::min(lanes, side_by_side));
    if (gathers_) copy_ = gather_columns(d_, block_, sum_);
    sum_in_registers(sums);
    if (copy_)
      place_copy();
    else if (sum_.has_border)
      read_border();
    d_.finish(block_);
  }

 private:
  /// The two innermost iterators of the result, whose tile is in registers: sums of neighbours times lanes.
  std::size_t down() const { return sum_.stage.spatial - 2; }
  std::size_t right() const { return sum_.stage.spatial - 1; }

  /// Whether a stride takes the columns apart that are lanes.
  bool is_apart() const { return !sum_.channels_last && sum_.axes.back().stride > 1; }

  /// Such columns are read from between their neighbours, or brought together first.
  void decide_gathering() {
    gathers_ = is_apart() && d_.whether(fmt::format("columns of {} brought together", sum_.data->name),
                                        sum_.axes.back().stride > widest_read_apart);
  }

  /// Zeros around the image are chosen where it is read, and only its border asks; or they are copied with
  /// it, a part of it at a time. Of a part that is a few rows, those are kept which the next one needs, too.
  void decide_copy(std::int64_t sums) {
    if (!gathers_ && !sum_.has_border) return;
    const bool has_rows = shares_rows(sum_.axes[0]);
    if (gathers_) {
      keeps_rows_ = has_rows && fills_gathered() &&
                    d_.whether(fmt::format("rows of {} kept", sum_.data->name),
                               2 * tallest_part(sums) > sums && exceeds_nearest_cache());
      return;
    }
    std::vector<std::string> answers = {"no", "a part at a time"};
    if (has_rows) answers.emplace_back("row by row");
    if (is_apart()) answers.emplace_back("what a tile's rows need");
    // Lanes that are apart ask for themselves, one by one, whether they are in the border.
    std::size_t model = 0;
    if (is_apart()) model = exceeds_nearest_cache() ? answers.size() - 1 : 1;
    const std::size_t taken =
        d_.way(fmt::format("{} copied with its border", sum_.data->name), answers, model);
    if (taken > 0) copy_ = sum_.maker;
    keeps_rows_ = has_rows && taken == 2;
    copies_for_tiles_ = is_apart() && taken + 1 == answers.size();
  }

  /// Whether every place of gathered columns has an element: with a border, places that a stride leaves over
  /// are filled by nobody.
  bool fills_gathered() const {
    const WindowAxis& right = sum_.axes.back();
    const std::int64_t read = ceil_div(right.reach(right.places), right.stride) * right.stride;
    return !sum_.has_border || constant_int(sum_.data->shape.back()).value_or(0) >= read;
  }

  /// Whether a channel of the data would take more than half of it: rows that were just copied stay there.
  bool exceeds_nearest_cache() const {
    const target::Cache* cache = d_.target().cache(1);
    const WindowAxis &down = sum_.axes[0], &right = sum_.axes[1];
    return cache != nullptr &&
           2 * float32.bytes() * down.reach(down.places) * right.reach(right.places) > cache->bytes;
  }

  /// Of parts that are whole tiles, two at least.
  std::int64_t tallest_part(std::int64_t sums) const {
    const std::int64_t rows = sum_.axes[0].places;
    return largest_divisor(rows, std::min(sums, rows - 1));
  }

  /// Where rows are kept, the windows of all iterations have the same size: tiles are whole. With channels
  /// last, tiles lie within a row, and it is rows of a band that follow each other; threads share the bands.
  void choose_rows(std::int64_t sums) {
    const std::int64_t neighbours = sum_.stage.extents[down()], rows = sum_.axes[0].places;
    std::vector<std::int64_t> sizes = tile_sizes_within(neighbours, d_.target().vector_registers);
    if (keeps_rows_ && !sum_.channels_last) {
      std::erase(sizes, rows);
      rows_cut_ = exact_cut(d_, name_ + "_neighbours", rows, sizes, tallest_part(sums));
      return;
    }
    sums_ = d_.number(name_ + "_neighbours", sizes, sums);
    if (!keeps_rows_) return;
    std::vector<std::int64_t> bands = divisors_of(rows);
    std::erase(bands, 1);
    rows_cut_ = exact_cut(d_, name_ + "_rows", rows, bands, bands.back());
  }

  void place_copy() {
    s_.apply(ComputeAt{*copy_, keeps_rows_ || copies_for_tiles_ ? rows_ : outer_, true});
    if (keeps_rows_) s_.apply(RollingBuffer{*copy_});
    vectorize_copy();
    d_.finish(*copy_);
  }

  void vectorize_copy() {
    const std::vector<LoopRef> loops = s_.get_loops(*copy_);
    const LoopRef columns = loops.back();
    if (is_apart() && !gathers_) {  // between the borders LLVM copies rows
      cut_at_border(d_, sum_, loops[loops.size() - 2]);
      cut_at_border(d_, sum_, columns);
      return;
    }
    if (!gathers_ || !sum_.has_border) {
      s_.apply(Vectorize{columns});
      return;
    }
    const auto parts = s_.loops(Split{columns, {std::nullopt, Number(sum_.axes.back().stride)}});
    s_.apply(Reorder{{parts[1], parts[0]}});
    s_.apply(Unroll{parts[1]});
    s_.apply(Vectorize{parts[0]});
  }

  void sum_in_registers(std::int64_t sums) {
    const BlockRef out = results_in_registers(d_, block_);
    const auto loops = s_.get_loops(block_);
    const std::vector<LoopRef> reduced(loops.begin() + static_cast<std::ptrdiff_t>(sum_.stage.spatial),
                                       loops.end());
    const bool has_exact_tiles = rows_cut_ && !sum_.channels_last;
    const auto tall = has_exact_tiles ? split(d_, loops[down()], *rows_cut_)
                                      : s_.loops(Split{loops[down()], {std::nullopt, sums_}});
    const auto wide = s_.loops(Split{loops[right()], {std::nullopt, lanes_}});
    std::vector<LoopRef> order(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(down()));
    outer_ = loops[down() - 1];
    rows_ = tall[0];
    if (rows_cut_ && sum_.channels_last) {
      const auto bands = split(d_, outer_, *rows_cut_);
      outer_ = bands[0];
      rows_ = bands[1];
      order.back() = bands[0];
      order.push_back(bands[1]);
    }
    order.insert(order.end(), {tall[0], wide[0]});
    order.insert(order.end(), reduced.begin(), reduced.end());
    order.insert(order.end(), {tall[1], wide[1]});
    s_.apply(Reorder{order});
    keep_in_registers(d_, {block_, out}, wide[0], reduced[0]);
    unroll_sum(d_, name_, reduced, sum_.reduced_extents(), sums);
    tiles_ = {tall[0], wide[0]};
    if (d_.target().cores > 1) s_.apply(Parallel{outer_});
  }

  void read_border() {
    s_.apply(ComputeInline{*sum_.maker});
    if (sum_.channels_last) {
      cut_at_border(d_, sum_, outer_);
      cut_at_border(d_, sum_, tiles_[0]);
    } else {
      for (const LoopRef& loop : tiles_) cut_at_border(d_, sum_, loop);
    }
  }

  Derivation& d_;
  Schedule& s_;
  const WindowedSum& sum_;
  BlockRef block_;
  std::string name_;
  Number sums_, lanes_;
  bool gathers_ = false, keeps_rows_ = false, copies_for_tiles_ = false;
  std::optional<ExactCut> rows_cut_;  ///< of the rows of the image, where they are kept
  std::optional<BlockRef> copy_;
  LoopRef outer_, rows_;        ///< which threads share; which keeps rows from iteration to iteration
  std::vector<LoopRef> tiles_;  ///< down, right
};

}  // namespace

Rule conv_apart() {
  return window_rule(
      "windows of each channel", "columns or channels as lanes, and several neighbours summed together",
      [](const WindowedSum& found) { return found.is_apart() && found.rank() == 2; },
      [](Derivation& d, const BlockRef& stage, const WindowedSum& found) {
        EachChannel(d, stage, found).run();
      });
}

}  // namespace ardea::rules
