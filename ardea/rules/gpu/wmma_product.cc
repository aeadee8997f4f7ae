#include "ardea/rules/gpu/wmma_product.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/gpu/wmma_tiles.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/storage_align.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// A loop of the product, cut from the outside in: blocks, around the copies, warps, around the loads,
/// fragments, one instruction.
struct Axis {
  std::int64_t size = 1, unit = 1;
  Number around, warps, between, frags;
  WmmaCut model;
  bool is_padded = false;

  Expr instructions_of_warp() const { return value_of(between) * value_of(frags); }
  /// Elements that a copy to shared memory has, and a block.
  Expr copied() const { return value_of(warps) * instructions_of_warp() * make_int(unit); }
  Expr tile() const { return value_of(around) * copied(); }
  Expr of_warp() const { return value_of(around) * instructions_of_warp() * make_int(unit); }
  std::int64_t model_copied() const { return model.warps * model.between * model.frags * unit; }
  std::int64_t model_of_warp() const { return model.around * model.between * model.frags * unit; }
};

std::vector<std::int64_t> powers_up_to(std::int64_t most) {
  std::vector<std::int64_t> all;
  for (std::int64_t power = 1; power <= most; power *= 2) all.push_back(power);
  return all;
}

class WmmaSteps : BlockProduct {
 public:
  WmmaSteps(Derivation& d, const OpenProduct& given)
      : BlockProduct(d, given), units_(wmma_units(given_.product, d.target())) {}

  void run() {
    choose();
    make_stages();
    tile();
    copy_panels();
    begin_fragments({.rows = unit_.rows, .columns = unit_.columns, .zero = unit_.zero, .loops_in_warp = 6});
    load_and_multiply();
    place_results();
    bind();
    finish();
  }

 private:
  DataType factors() const { return given_.product.left->type; }
  DataType sums_type() const { return given_.product.out->type; }
  bool has_rows_of_n() const { return given_.product.transposed; }

  std::int64_t lanes_a() const { return copied_lanes(factors_.left_source.run, factors()); }
  std::int64_t lanes_b() const { return copied_lanes(factors_.right_source.run, factors()); }

  WmmaTiles model_of(const std::vector<WmmaUnit>& units) const {
    return wmma_tiles_for({sizes_, batch_count(), factors(), sums_type()}, units, d_.target());
  }

  void choose() {
    std::vector<std::string> shapes;
    for (const WmmaUnit& unit : units_) shapes.push_back(unit.shape);
    std::size_t chosen = 0;
    const std::size_t best = model_of(units_).unit;
    if (units_.size() > 1) chosen = d_.way("instruction", shapes, best);
    unit_ = units_[chosen];
    model_ = model_of({unit_});
    const auto of_depth = wmma_factors(sizes_.k, unit_.depth);
    pads_m_ = pads(sizes_.m, unit_.rows), pads_n_ = pads(sizes_.n, unit_.columns);
    pads_k_ = pads(sizes_.k, unit_.depth);
    is_open_ = !pads_k_ && !pads_m_ && !pads_n_;
    goes_around_copies_ =
        is_open_ && d_.way("loops over a warp's fragments", {"inside of copies", "around copies"}, 0) == 1;
    m_ = axis("m", sizes_.m, unit_.rows, model_.m);
    n_ = axis("n", sizes_.n, unit_.columns, model_.n);
    warps_m_ = m_.warps, warps_n_ = n_.warps;
    rows_ = d_.follows(m_.tile()), columns_ = d_.follows(n_.tile());
    between_k_ = open_choice("between_k", of_depth, 1);
    unrolled_k_ = open_choice("unrolled_k", of_depth, model_.between_k);
    frags_k_ = open_choice("frags_k", of_depth, model_.frags_k);
    depth_ =
        d_.follows(value_of(between_k_) * value_of(unrolled_k_) * value_of(frags_k_) * make_int(unit_.depth));
    no_idle_tiles(depth_, unit_.depth, sizes_.k, "depth");
  }

  /// Whether some tile does not divide the axis.
  static bool pads(std::int64_t size, std::int64_t unit) {
    const auto factors = wmma_factors(size, unit);
    return std::any_of(factors.begin(), factors.end(),
                       [&](std::int64_t factor) { return size % (factor * unit) != 0; });
  }

  /// One of the numbers; the model's where tiles leave something over: what is known of guarded tiles is
  /// known of few numbers.
  Number open_choice(const std::string& name, const std::vector<std::int64_t>& values, std::int64_t model) {
    return is_open_ ? d_.number(name, values, model) : Number(model);
  }

  Axis axis(const std::string& name, std::int64_t size, std::int64_t unit, const WmmaCut& model) {
    const auto factors = wmma_factors(size, unit);
    Axis axis;
    axis.size = size, axis.unit = unit;
    for (auto [what, number, now, wanted] :
         {std::tuple{"around", &axis.around, &axis.model.around, model.around},
          {"warps", &axis.warps, &axis.model.warps, model.warps},
          {"between", &axis.between, &axis.model.between, model.between},
          {"frags", &axis.frags, &axis.model.frags, model.frags}}) {
      const bool is_around = what == std::string("around"), is_between = what == std::string("between");
      const bool is_one = goes_around_copies_ ? is_between : is_around || (is_between && !is_open_);
      *now = wanted;
      *number = is_one ? Number(*now) : d_.number(fmt::format("{}_{}", what, name), factors, *now);
    }
    axis.is_padded = pads(size, unit);
    no_idle_tiles(d_.follows(axis.tile()), unit, size, name == "m" ? "rows" : "columns");
    return axis;
  }

  void make_stages() {
    copy_factors();
    take_sums_from("shared");
    staged_ = s_.blocks(CacheWrite{sums_, 0, unit_.scope_sums})[0];
  }

  std::vector<LoopRef> tiles_of(const LoopRef& loop, const Axis& axis) {
    const Number count = tile_count(axis.is_padded, axis.size, axis.tile());
    return s_.loops(Split{.loop = loop,
                          .factors = {count, axis.around, axis.warps, axis.between, axis.frags, axis.unit},
                          .disable_predication = true});
  }

  void tile() {
    const auto loops = s_.get_loops(sums_);
    const std::size_t first = batches();
    const auto m = tiles_of(loops[first], m_), n = tiles_of(loops[first + 1], n_);
    const Number panels = tile_count(pads_k_, sizes_.k, value_of(depth_));
    const auto k = s_.loops(Split{.loop = loops[first + 2],
                                  .factors = {panels, between_k_, unrolled_k_, frags_k_, unit_.depth},
                                  .disable_predication = true});
    s_.apply(Reorder{{m[0], n[0], m[1], n[1], k[0], m[2], n[2], m[3], n[3], k[1], k[2], m[4], n[4], k[3],
                      m[5], n[5], k[4]}});
    block_ = n[0], panel_loop_ = k[0], load_loop_ = k[2];
    warp_rows_.push_back(m[2]), warp_columns_.push_back(n[2]);
    s_.apply(ReverseComputeAt{staged_, n[1]});
    s_.apply(ReverseComputeAt{result_, block_});
    blocks_of(m[0], n[0]);
  }

  void copy_panels() {
    const Run panel{value_of(depth_), model_.between_k * model_.frags_k * unit_.depth, sizes_.k};
    const Run columns{n_.copied(), n_.model_copied(), n_.size};
    copy_panel("a", a_, {m_.copied(), m_.model_copied(), m_.size}, panel, lanes_a(),
               factors_.left_source.along_rows);
    copy_panel("b", b_, has_rows_of_n() ? columns : panel, has_rows_of_n() ? panel : columns, lanes_b(),
               factors_.right_source.along_rows);
  }

  /// A row, or a warp's part of it.
  struct Run {
    Expr now;
    std::int64_t model = 1, most = 1;  ///< most: what it could be at all
  };

  /// Rows lie apart by what they hold and some elements more.
  void pad_rows(const std::string& name, const BlockRef& stage, const Expr& columns, DataType type) {
    const std::int64_t usual = MmaUnit::row_bytes / type.bytes();
    const Number padding = open_choice("padding_" + name, row_paddings(type), usual);
    s_.apply(StorageAlign{stage, 0, -2, d_.follows(columns + value_of(padding)), std::int64_t{0}});
  }

  /// How a warp goes along rows: some times, by some lanes side by side, each an amount of elements at once;
  /// the other lanes are in other rows.
  struct Lanes {
    Number times, lanes, vector;
    Number rows;  ///< at once
    std::int64_t model_rows = 1;
  };

  /// `model_rows`: at most so many at once by the model, whose other lanes then rest.
  Lanes share_row(const std::string& name, const Run& run, std::int64_t most_at_once, std::int64_t vector,
                  std::int64_t model_rows, bool is_along_rows) {
    Lanes all;
    // Where rows' first elements lie side by side, threads side by side take as many rows.
    const std::int64_t lanes = std::min(is_along_rows ? 2 : warp_, run.model / vector);
    all.vector = open_choice("vector_" + name, powers_up_to(most_at_once), vector);
    all.lanes = open_choice("lanes_" + name, powers_up_to(warp_), lanes);
    all.model_rows = std::min(model_rows, warp_ / lanes);
    all.rows = open_choice("rows_" + name, powers_up_to(warp_), all.model_rows);
    // A number of its own, so that it is known of all three what their product is.
    const std::int64_t times = run.model / (lanes * vector);
    all.times =
        run.now.is<IntImm>() ? Number(times) : d_.number("runs_" + name, powers_up_to(run.most), times);
    if (is_open_ && !is_along_rows)
      d_.keep_to(
          equals((value_of(all.times) - make_int(1)) * (value_of(all.lanes) - make_int(warp_)), make_int(0)),
          "runs for " + name, "a warp goes along a row once, or all its lanes do");
    return all;
  }

  /// By all threads of the block together.
  void copy_panel(const std::string& name, const BlockRef& copy, const Run& rows, const Run& run,
                  std::int64_t most_at_once, bool is_along_rows) {
    s_.apply(ComputeAt{copy, panel_loop_});
    pad_rows(name, copy, run.now, factors());
    const auto loops = s_.get_loops(copy);
    const std::int64_t warps = m_.model.warps * n_.model.warps;
    // Where there is little to copy, not all lanes have something to do.
    const Lanes shared = share_row(name, run, most_at_once, std::min(most_at_once, run.model),
                                   std::max<std::int64_t>(1, rows.model / warps), is_along_rows);
    d_.keep_to(value_of(shared.lanes) * value_of(shared.rows) <= make_int(warp_), "lanes for " + name,
               fmt::format("a warp has {} lanes", warp_));
    const Number times =
        d_.number("copies_" + name, powers_up_to(rows.most), rows.model / (warps * shared.model_rows));
    const auto down = s_.loops(Split{.loop = loops[loops.size() - 2],
                                     .factors = {times, m_.warps, n_.warps, shared.rows},
                                     .disable_predication = true});
    const auto across = s_.loops(Split{.loop = loops[loops.size() - 1],
                                       .factors = {shared.times, shared.lanes, shared.vector},
                                       .disable_predication = true});
    // Side by side goes what lies so in memory.
    const std::vector<LoopRef> lanes =
        is_along_rows ? std::vector{across[1], down[3]} : std::vector{down[3], across[1]};
    s_.apply(Reorder{{down[0], across[0], down[1], down[2], lanes[0], lanes[1], across[2]}});
    warp_rows_.push_back(down[1]), warp_columns_.push_back(down[2]);
    lanes_.push_back(s_.loops(Fuse{lanes})[0]);
    vectors_.push_back(across[2]);
  }

  /// Fragments lie one after the other, in memory and in what instructions work on.
  void load_and_multiply() {
    // The sums are what it reads first.
    load("m, k", fmt::format("m // {0}, k // {1}, m % {0}, k % {1}", unit_.rows, unit_.depth),
         factors_.left_read, unit_.scope_a, unit_.load_a, {m_.frags, unit_.rows}, {frags_k_, unit_.depth});
    const std::pair<Number, std::int64_t> columns{n_.frags, unit_.columns}, depth{frags_k_, unit_.depth};
    load(has_rows_of_n() ? "n, k" : "k, n",
         fmt::format("k // {0}, n // {1}, k % {0}, n % {1}", unit_.depth, unit_.columns), factors_.right_read,
         unit_.scope_b, unit_.load_b, has_rows_of_n() ? columns : depth, has_rows_of_n() ? depth : columns);
    const auto loops = s_.get_loops(sums_);
    s_.apply(Tensorize{loops[loops.size() - 3], unit_.product});
    s_.apply(Unroll{load_loop_});
  }

  void load(const std::string& axes, const std::string& places, std::int64_t read, const std::string& scope,
            const std::string& instruction, const std::pair<Number, std::int64_t>& rows,
            const std::pair<Number, std::int64_t>& columns) {
    const BlockRef fragments = s_.blocks(CacheRead{sums_, 1 + read, scope})[0];
    s_.apply(ComputeAt{fragments, load_loop_});
    s_.apply(TransformLayout{fragments, {"write", 0}, layout(axes, places)});
    const auto loops = s_.get_loops(fragments);
    const auto cut = [&](const LoopRef& loop, const std::pair<Number, std::int64_t>& parts) {
      return s_.loops(
          Split{.loop = loop, .factors = {parts.first, parts.second}, .disable_predication = true});
    };
    const auto down = cut(loops[loops.size() - 2], rows), across = cut(loops[loops.size() - 1], columns);
    s_.apply(Reorder{{down[0], across[0], down[1], across[1]}});
    s_.apply(Tensorize{down[1], instruction});
  }

  void place_results() {
    store_sums();
    const auto loops = s_.get_loops(result_);
    const LoopRef &row = loops[loops.size() - 2], &column = loops[loops.size() - 1];
    const DataType type = only_store(path_to(s_.program(), result_)->block())->buffer->type;
    const std::int64_t lanes = copied_lanes(factors_.result.run, type);
    // As wide as leaves all lanes something to do.
    std::int64_t vector = std::min(lanes, n_.model_of_warp());
    while (vector > 1 && n_.model_of_warp() / vector * m_.model_of_warp() < warp_) vector /= 2;
    const Lanes shared =
        share_row("c", {n_.tile(), n_.model_of_warp(), n_.size}, lanes, vector, warp_, false);
    d_.keep_to(equals(value_of(shared.lanes) * value_of(shared.rows), make_int(warp_)), "lanes for c",
               fmt::format("a warp has {} lanes", warp_));
    const Number times = d_.number("copies_c", powers_up_to(m_.size), m_.model_of_warp() / shared.model_rows);
    // Where a guard cuts them, more than there are would be allowed.
    const auto whole = [&](const Expr& product, const Axis& axis, const std::string& what) {
      if (!axis.is_padded) return;
      d_.keep_to(equals(product, axis.of_warp()), what, "a warp goes through its part of a tile once");
    };
    whole(value_of(times) * value_of(shared.rows), m_, "rows for c");
    whole(value_of(shared.times) * value_of(shared.lanes) * value_of(shared.vector), n_, "columns for c");
    const auto down = s_.loops(
        Split{.loop = row, .factors = {m_.warps, times, shared.rows}, .disable_predication = !m_.is_padded});
    const auto across = s_.loops(Split{.loop = column,
                                       .factors = {n_.warps, shared.times, shared.lanes, shared.vector},
                                       .disable_predication = !n_.is_padded});
    s_.apply(Reorder{{down[0], across[0], down[1], across[1], down[2], across[2], across[3]}});
    warp_rows_.push_back(down[0]), warp_columns_.push_back(across[0]);
    lanes_.push_back(s_.loops(Fuse{{down[2], across[2]}})[0]);
    vectors_.push_back(across[3]);
  }

  /// From fragments to shared memory.
  void store_sums() {
    const BlockRef& staged = staged_;
    pad_rows("c", staged, n_.tile(), sums_type());
    const auto loops = s_.get_loops(staged);
    const auto cut = [&](const LoopRef& loop, const Axis& axis) {
      return s_.loops(Split{.loop = loop,
                            .factors = {axis.warps, axis.between, axis.frags, axis.unit},
                            .disable_predication = true});
    };
    const auto m = cut(loops[loops.size() - 2], m_), n = cut(loops[loops.size() - 1], n_);
    s_.apply(Reorder{{m[0], n[0], m[1], n[1], m[2], n[2], m[3], n[3]}});
    s_.apply(Tensorize{m[3], unit_.store});
    warp_rows_.push_back(m[0]), warp_columns_.push_back(n[0]);
  }

  const std::vector<WmmaUnit> units_;
  WmmaUnit unit_;
  WmmaTiles model_;
  Axis m_, n_;
  Number between_k_, unrolled_k_, frags_k_;
  bool is_open_ = true, goes_around_copies_ = false;
  BlockRef staged_;
  LoopRef load_loop_;
};

}  // namespace

void take_wmma_product(Derivation& d, const OpenProduct& product) { WmmaSteps(d, product).run(); }

}  // namespace ardea::rules
