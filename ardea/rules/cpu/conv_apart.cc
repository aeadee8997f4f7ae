#include "ardea/rules/cpu/conv_apart.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/cpu/register_sums.h"
#include "ardea/rules/cpu/windows.h"
#include "ardea/rules/exact_cut.h"
#include "ardea/rules/model/register_tiles.h"
#include "ardea/rules/model/stores.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/rolling_buffer.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// More neighbours in lanes than that take the registers of others.
constexpr std::int64_t most_vectors_apart = 4;

/// A border of fewer columns than that part of all is read where it is (a Sapphire Rapids, windows of 3 × 3
/// and 5 × 5 with a stride of 2: 0.57 to 0.93 of the time that a copy takes with borders of up to an eighth,
/// 2 with one of two ninths).
constexpr std::int64_t parts_of_narrow_border = 6;

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
    if (shares_no_columns() && !followers_of(d_, block_).after &&
        d_.whether(fmt::format("lanes of {} found by the compiler", name_), true))
      return sum_one_by_one();
    const std::int64_t lanes = lanes_of(d_.target());
    const std::int64_t neighbours = sum_.stage.extents[down()], side_by_side = sum_.stage.extents[right()];
    decide_gathering();
    // Columns that are read apart come two registers at a time.
    std::int64_t sums = sums_at_a_time(neighbours, is_apart() && !gathers_ ? 8 : 4, d_.target());
    if (waits_for_rows()) sums = std::min(sums, std::max<std::int64_t>(2, shared_rows()));
    decide_copy(sums);
    const TileAxis rows{neighbours, d_.target().vector_registers, 1, sums};
    const TileAxis columns{side_by_side, most_vectors_apart * lanes, lanes, lanes};
    choose_left_over_of_tiles(rows, columns);
    choose_rows(rows);
    lanes_ = columns.number(d_, name_ + "_lanes", left_over_.columns);
    Followers followers = followers_of(d_, block_);
    if (left_over_.is(Rest::padded)) followers = pad();
    if (gathers_) copy_ = gather_columns(d_, block_, sum_);
    left_over_.is(Rest::cut) ? sum_whole_tiles() : sum_all(followers);
    unroll_sum(d_, name_, reduced_, sum_.reduced_extents(), sums, is_by_model_);
    if (d_.target().cores > 1) s_.apply(Parallel{outer_});
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

  /// Whether these are read by one window each, all of them: the compiler, which sees the reads of a loop
  /// over windows side by side, takes them apart for all taps at once.
  bool shares_no_columns() const {
    const WindowAxis& columns = sum_.axes.back();
    return is_apart() && columns.stride <= widest_read_apart && columns.taps == columns.stride &&
           columns.dilation == 1;
  }

  void sum_one_by_one() {
    const auto loops = s_.get_loops(block_);
    outer_ = loops[down() - 1];
    s_.blocks(DecomposeReduction{block_, loops[sum_.stage.spatial]});
    for (std::size_t i = sum_.stage.spatial; i < loops.size(); ++i) s_.apply(Unroll{loops[i]});
    if (sum_.has_border) {
      copy_ = sum_.maker;
      place_copy();
    }
    if (d_.target().cores > 1) s_.apply(Parallel{outer_});
    d_.finish(block_);
  }

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
    // Lanes that are apart ask for themselves, one by one, whether they are in the border; or by a mask.
    std::size_t model = 0;
    if (is_apart() && !(masks_lanes() && has_narrow_border()))
      model = exceeds_nearest_cache() ? answers.size() - 1 : 1;
    const std::size_t taken =
        d_.way(fmt::format("{} copied with its border", sum_.data->name), answers, model);
    if (taken > 0) copy_ = sum_.maker;
    keeps_rows_ = has_rows && taken == 2;
    copies_for_tiles_ = is_apart() && taken + 1 == answers.size();
  }

  /// Whether masks are in registers of their own, and take no time of those that hold sums.
  bool masks_lanes() const { return d_.target().has("avx512f"); }

  /// Whether few columns are border: where many are, most vectors have lanes in it.
  bool has_narrow_border() const {
    const auto maker = plain_stage(s_.program(), *sum_.maker);
    if (!maker || maker->loads.empty()) return false;
    const auto inside = constant_int(maker->loads[0].buffer->shape.back()),
               all = constant_int(sum_.data->shape.back());
    return inside && all && parts_of_narrow_border * (*all - *inside) <= *all;
  }

  /// Whether every place of gathered columns has an element: with a border, places that a stride leaves over
  /// are filled by nobody.
  bool fills_gathered() const {
    const WindowAxis& right = sum_.axes.back();
    const std::int64_t read = ceil_div(right.reach(right.places), right.stride) * right.stride;
    return !sum_.has_border || constant_int(sum_.data->shape.back()).value_or(0) >= read;
  }

  /// Rows of a window that its neighbour reads, too: more neighbours read few rows less.
  std::int64_t shared_rows() const { return sum_.axes[0].taps - sum_.axes[0].stride; }

  /// Whether images come out of memory, so large that rows above are gone, and stores to many rows wait for
  /// each other (a Sapphire Rapids, 3 × 3 on 112 × 112 × 64 and on 224 × 224 × 32: two rows take 0.74 and
  /// 0.63 of the time of eight; 5 × 5 on 112 × 112 × 64: four take 0.79).
  bool waits_for_rows() const {
    return !sum_.channels_last && !is_apart() && stores_in_order(d_.target()) && exceeds_nearest_cache() &&
           outgrows_near_caches(bytes_around(s_.program(), {block_}), d_.target());
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

  /// Where rows are kept, tiles are whole. A copy for the rows of a tile belongs to one nest.
  void choose_left_over_of_tiles(const TileAxis& rows, const TileAxis& columns) {
    if (keeps_rows_) return;
    LeftOverChoices choices = choices_of_left_over(d_, block_, sum_.stage, rows, columns);
    if (copies_for_tiles_) choices.rows_cut = choices.columns_cut = false;
    // Channels that are no whole vectors take less than half of the time in nests without a guard, which
    // would stand beside those of the border.
    if (sum_.channels_last && columns.extent % columns.multiple != 0) choices.model.columns = Rest::cut;
    left_over_ = choose_left_over(d_, block_, name_, choices);
    is_by_model_ = left_over_ == choices.model || left_over_.is_guarded();
  }

  /// What is filled up is a copy, whether the image had one or not.
  Followers pad() {
    std::vector<PaddedIterator> iterators;
    if (left_over_.rows == Rest::padded) iterators.push_back({down(), sums_});
    if (left_over_.columns == Rest::padded) iterators.push_back({right(), lanes_});
    const PaddedWindows padded = pad_windows(d_, block_, sum_, iterators);
    sum_ = padded.sum;
    copy_ = sum_.maker;
    if (padded.kernel_copy) s_.apply(Vectorize{s_.get_loops(*padded.kernel_copy).back()});
    return padded.followers;
  }

  /// Where rows are kept, the windows of all iterations have the same size: tiles are whole. With channels
  /// last, tiles lie within a row, and it is rows of a band that follow each other; threads share the bands.
  void choose_rows(const TileAxis& neighbours) {
    const std::int64_t rows = sum_.axes[0].places;
    if (keeps_rows_ && !sum_.channels_last) {
      std::vector<std::int64_t> sizes = neighbours.sizes(Rest::guarded);
      std::erase(sizes, rows);
      rows_cut_ = exact_cut(d_, name_ + "_neighbours", rows, sizes, tallest_part(neighbours.model));
      return;
    }
    sums_ = neighbours.number(d_, name_ + "_neighbours", left_over_.rows);
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
    const LoopRef& columns = loops.back();
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

  void sum_all(const Followers& followers) {
    const BlockRef out = results_in_registers(d_, block_, followers);
    const auto loops = s_.get_loops(block_);
    const std::vector<LoopRef> reduced(loops.begin() + static_cast<std::ptrdiff_t>(sum_.stage.spatial),
                                       loops.end());
    const bool has_exact_tiles = rows_cut_ && !sum_.channels_last;
    const auto tall = has_exact_tiles
                          ? split(d_, loops[down()], *rows_cut_)
                          : split_into_tiles(d_, loops[down()], make_int(sum_.stage.extents[down()]), sums_,
                                             left_over_.rows);
    const auto wide = split_into_tiles(d_, loops[right()], make_int(sum_.stage.extents[right()]), lanes_,
                                       left_over_.columns);
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
    reduced_ = {reduced};
    row_tiles_ = {tall[0]};
    lane_tiles_ = {wide[0]};
  }

  void sum_whole_tiles() {
    outer_ = s_.get_loops(block_)[down() - 1];
    const SumsToCut sums{.sums = block_,
                         .around = down(),
                         .out = sum_.stage.out->name,
                         .tile_rows = sums_,
                         .tile_columns = lanes_};
    CutSums cut = cut_off(d_, sums, left_over_);
    SumNest& whole = cut.whole;
    if (whole.rows.size() == 1) whole.rows = split_into_tiles(d_, whole.rows[0], {}, sums_, Rest::guarded);
    if (whole.columns.size() == 1)
      whole.columns = split_into_tiles(d_, whole.columns[0], {}, lanes_, Rest::guarded);
    sum_in_registers(d_, sums, whole);
    cut.rests.insert(cut.rests.begin(), whole);
    for (const SumNest& nest : cut.rests) {
      reduced_.push_back(nest.steps);
      if (nest.rows.size() > 1) row_tiles_.push_back(nest.rows[0]);
      if (nest.columns.size() > 1) lane_tiles_.push_back(nest.columns[0]);
    }
  }

  void read_border() {
    s_.apply(ComputeInline{*sum_.maker});
    if (sum_.channels_last) cut_at_border(d_, sum_, outer_);
    for (const LoopRef& loop : row_tiles_) cut_at_border(d_, sum_, loop);
    if (sum_.channels_last) return;
    for (const LoopRef& loop : lane_tiles_) cut_at_border(d_, sum_, loop);
  }

  Derivation& d_;
  Schedule& s_;
  WindowedSum sum_;
  BlockRef block_;
  std::string name_;
  LeftOver left_over_;
  bool is_by_model_ = true;  ///< or guarded: then other questions are open, too
  Number sums_, lanes_;
  bool gathers_ = false, keeps_rows_ = false, copies_for_tiles_ = false;
  std::optional<ExactCut> rows_cut_;  ///< of the rows of the image, where they are kept
  std::optional<BlockRef> copy_;
  LoopRef outer_, rows_;  ///< which threads share; which keeps rows from iteration to iteration
  std::vector<LoopRef> row_tiles_, lane_tiles_;  ///< of every nest that has some
  std::vector<std::vector<LoopRef>> reduced_;    ///< of every nest
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
