#include "ardea/rules/gpu/thread_product.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/gpu/block_product.h"
#include "ardea/rules/gpu/thread_tiles.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/iterate_by_loops.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/primitives/tensor/software_pipeline.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

class ThreadSteps : BlockProduct {
 public:
  ThreadSteps(Derivation& d, const OpenProduct& given)
      : BlockProduct(d, given),
        unit_(given_.product.left->type),
        work_(work()),
        model_(thread_tiles_for(work_, d.target())) {}

  void run() {
    choose();
    copy_factors();
    take_sums_from("local");
    if (pads_m_ || pads_n_) staged_ = s_.blocks(CacheWrite{sums_, 0, "local"})[0];
    registers_a_ = read_to_registers(factors_.left_read, false, unit_.lanes_m);
    registers_b_ = read_to_registers(factors_.right_read, !given_.product.transposed, unit_.lanes_n);
    tile();
    copy_panels();
    begin_sums();
    place_results();
    bind();
    pipeline();
    finish();
  }

 private:
  /// In shared memory a row is what a step needs: A's rows, and B's where they are as long as the sums, are
  /// turned.
  ThreadWork work() const {
    const MatrixProduct& product = given_.product;
    ThreadWork work{
        .sizes = sizes_, .batches = batch_count(), .factors = product.left->type, .sums = product.out->type};
    work.a = turned_rows(factors_.left_source);
    work.b = product.transposed ? turned_rows(factors_.right_source) : rows_of_columns(factors_.right_source);
    return work;
  }

  /// One by one, for they do not stay side by side: eight of a row, which are a sector of memory, lie in
  /// different banks.
  PanelCopy turned_rows(const MatrixSource& source) const {
    PanelCopy copy = copy_of_deep_rows(source, 1, warp_);
    copy.run = std::min(copy.run, round_steps);
    copy.turns = true;
    return copy;
  }

  /// A warp copies of no more rows than the shallowest panel has.
  PanelCopy rows_of_columns(const MatrixSource& source) const {
    PanelCopy copy = copy_of_columns(sizes_.n, copied_lanes(source.run, given_.product.right->type), warp_);
    while (copy.rows_of_warp(warp_) > round_steps) copy.lanes /= 2;
    return copy;
  }

  void choose() {
    ahead_ = choice("panels under way", thread_panels_ahead(d_.target()), model_.ahead);
    const ThreadTileSizes values = thread_tile_sizes(sizes_, unit_);
    warps_m_ = d_.number("warps_m", values.warps_m, model_.warps_m);
    warps_n_ = d_.number("warps_n", values.warps_n, model_.warps_n);
    squares_m_ = d_.number("squares_m", values.squares_m, model_.squares_m);
    squares_n_ = d_.number("squares_n", values.squares_n, model_.squares_n);
    rounds_ = d_.number("rounds", values.rounds, model_.rounds);
    depth_ = d_.follows(value_of(rounds_) * make_int(round_steps));
    rows_ = d_.follows(value_of(warps_m_) * value_of(squares_m_) * make_int(unit_.rows()));
    columns_ = d_.follows(value_of(warps_n_) * value_of(squares_n_) * make_int(unit_.columns()));
    std::vector<BlockTile> tiles;
    for (const ThreadTiles& one : all_thread_tiles(sizes_, unit_)) tiles.push_back(one.block(unit_));
    use_tiles(std::move(tiles), model_.block(unit_));
    no_idle_tiles(rows_, unit_.rows(), sizes_.m, "rows");
    no_idle_tiles(columns_, unit_.columns(), sizes_.n, "columns");
    const Expr side = make_int(unit_.side);
    spill_nothing(
        registers_of_sums<Expr>(value_of(squares_m_) * side, value_of(squares_n_) * side, work_.factors,
                                work_.sums, pads_m_ || pads_n_ || pads_k_ || is_implicit_),
        "a thread's sums, and what it reads of both factors,");
  }

  /// "m // 16, m // 4 % 4, m % 4": squares, threads, elements.
  std::string in_squares(const std::string& axis, std::int64_t lanes) const {
    return fmt::format("{0} // {1}, {0} // {2} % {3}, {0} % {2}", axis, lanes * unit_.side, unit_.side,
                       lanes);
  }

  /// Of a factor what a thread needs of one step, by whole accesses: counted by squares and threads, so that
  /// of these each has its own.
  BlockRef read_to_registers(std::int64_t read, bool is_by_depth, std::int64_t lanes) {
    const BlockRef copy = s_.blocks(CacheRead{sums_, read, "local", {sums_}})[0];
    s_.apply(TransformLayout{
        copy, {"write", 0}, layout(is_by_depth ? "k, x" : "x, k", "k, " + in_squares("x", lanes))});
    const auto loops = s_.get_loops(copy);
    const LoopRef &along = loops[batches() + (is_by_depth ? 1 : 0)],
                  &step = loops[batches() + (is_by_depth ? 0 : 1)];
    const auto parts = s_.loops(Split{along, {std::nullopt, lanes, unit_.side}});
    if (!is_by_depth) s_.apply(Reorder{{step, parts[0], parts[1], parts[2]}});
    s_.apply(IterateByLoops{copy});
    return copy;
  }

  std::vector<LoopRef> tiles_of(const LoopRef& loop, bool is_padded, std::int64_t size, const Number& warps,
                                const Number& squares, std::int64_t lanes) {
    const Number count =
        tile_count(is_padded, size, value_of(warps) * value_of(squares) * make_int(lanes * unit_.side));
    return s_.loops(Split{
        .loop = loop, .factors = {count, warps, squares, lanes, unit_.side}, .disable_predication = true});
  }

  void tile() {
    const auto loops = s_.get_loops(sums_);
    const std::size_t first = batches();
    const auto m = tiles_of(loops[first], pads_m_, sizes_.m, warps_m_, squares_m_, unit_.lanes_m);
    const auto n = tiles_of(loops[first + 1], pads_n_, sizes_.n, warps_n_, squares_n_, unit_.lanes_n);
    const Number panels = tile_count(pads_k_, sizes_.k, value_of(depth_));
    const auto k = s_.loops(Split{
        .loop = loops[first + 2], .factors = {panels, rounds_, round_steps}, .disable_predication = true});
    s_.apply(Reorder{{m[0], n[0], k[0], m[1], n[1], m[3], n[3], k[1], k[2], m[2], m[4], n[2], n[4]}});
    block_ = n[0], panel_loop_ = k[0], step_loop_ = k[2];
    if (staged_) s_.apply(ReverseComputeAt{*staged_, block_});
    s_.apply(ReverseComputeAt{result_, block_});
    for (const BlockRef& registers : {registers_a_, registers_b_}) {
      s_.apply(ComputeAt{registers, step_loop_});
      vectors_.push_back(s_.get_loops(registers).back());
    }
    lanes_.push_back(s_.loops(Fuse{{m[3], n[3]}})[0]);
    warp_rows_.push_back(m[1]), warp_columns_.push_back(n[1]);
    blocks_of(m[0], n[0]);
  }

  void copy_panels() {
    const auto copy = [&](const std::string& name, const BlockRef& factor, const PanelCopy& how) {
      copy_panel(name, factor, how, how.turns ? unit_.side : 0);
      turn_panel(factor, how);
    };
    copy("a", a_, work_.a);
    copy("b", b_, work_.b);
  }

  void begin_sums() {
    s_.apply(TransformLayout{
        sums_,
        {"write", 0},
        layout("m, n", in_squares("m", unit_.lanes_m) + ", " + in_squares("n", unit_.lanes_n))});
    const BlockRef zero = s_.blocks(DecomposeReduction{sums_, panel_loop_})[0];
    const auto loops = s_.get_loops(zero);
    const std::size_t first = loops.size() - 7;
    warp_rows_.push_back(loops[first]), warp_columns_.push_back(loops[first + 1]);
    lanes_.push_back(loops[first + 2]);
  }

  void place_results() {
    const auto loops = s_.get_loops(result_);
    const LoopRef &row = loops[loops.size() - 2], &column = loops[loops.size() - 1];
    const auto m = s_.loops(Split{.loop = row,
                                  .factors = {warps_m_, squares_m_, unit_.lanes_m, unit_.side},
                                  .disable_predication = !pads_m_});
    const Buffer out = only_store(path_to(s_.program(), result_)->block())->buffer;
    const std::int64_t lanes = std::min(unit_.side, copied_lanes(factors_.result.run, out->type));
    const auto n = s_.loops(Split{.loop = column,
                                  .factors = {warps_n_, squares_n_, unit_.lanes_n, unit_.side / lanes, lanes},
                                  .disable_predication = !pads_n_});
    s_.apply(Reorder{{m[0], n[0], m[2], n[2], m[1], m[3], n[1], n[3], n[4]}});
    if (staged_) s_.apply(ComputeAt{*staged_, n[1]});
    warp_rows_.push_back(m[0]), warp_columns_.push_back(n[0]);
    lanes_.push_back(s_.loops(Fuse{{m[2], n[2]}})[0]);
    if (lanes > 1) vectors_.push_back(n[4]);
  }

  /// Copies of the panels to come are begun before one is multiplied, which is long enough for the next to
  /// arrive. One barrier a panel is left.
  void pipeline() {
    // The compiler of CUDA C++ writes the steps of a round out, and reads for one while it multiplies
    // another.
    s_.apply(Annotate{step_loop_, "pragma_unroll_explicit", std::int64_t{0}});
    s_.apply(Unroll{step_loop_});
    s_.apply(SoftwarePipeline{panel_loop_, {0, 0, ahead_}, {0, 1, 2}});
  }

  const ThreadUnit unit_;
  const ThreadWork work_;
  const ThreadTiles model_;
  BlockRef registers_a_, registers_b_;
  /// What tiles have beyond the result is left out where sums are stored: a few of them are first taken to
  /// where they lie as the result does, so that nobody asks of squares which elements are beyond.
  std::optional<BlockRef> staged_;
  std::int64_t ahead_ = 1;
  Number squares_m_, squares_n_, rounds_;
  LoopRef step_loop_;
};

}  // namespace

void take_thread_product(Derivation& d, const BlockRef& stage) {
  const OpenProduct found = *open_product(d, stage);
  ThreadSteps(d, found).run();
}

Rule thread_product() {
  return {.name = "product by threads",
          .doc = "a product of matrices by a GPU's threads: panels in shared memory, squares in registers",
          .applies = [](const Derivation& d,
                        const BlockRef& stage) { return open_product(d, stage).has_value(); },
          .apply = take_thread_product};
}

}  // namespace ardea::rules
