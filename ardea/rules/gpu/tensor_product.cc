#include "ardea/rules/gpu/tensor_product.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "ardea/rules/gpu/group_product.h"
#include "ardea/rules/gpu/warp_product.h"
#include "ardea/rules/gpu/wmma_product.h"
#include "ardea/rules/gpu/wmma_unit.h"
#include "ardea/schedule/primitives/find/find.h"
#include "ardea/schedule/primitives/loops/loop_partition.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/tensor/software_pipeline.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

class TensorSteps : WarpProduct {
 public:
  TensorSteps(Derivation& d, const OpenProduct& given, const MmaUnit& unit)
      : WarpProduct(d, given, unit), chosen_(tensor_tiles_for(work_, unit, d.target())) {}

  /// What the model takes it to need.
  double cycles() const { return chosen_.cycles; }

  void run() {
    choose();
    make_stages(/*may_be_direct=*/true);
    tile();
    copy_panels();
    begin_fragments({.rows = unit_.rows, .columns = unit_.columns, .zero = unit_.zero, .loops_in_warp = 4});
    place_results(RowsOfWarps::one_after_the_other);
    multiply();
    bind();
    pipeline();
    finish();
  }

 private:
  void choose() {
    steps_ = choice("steps in a panel", tensor_steps(sizes_, unit_), model_.steps);
    ahead_ = choice("panels under way", panels_under_way(sizes_, steps_ * unit_.depth), model_.ahead);
    const TensorTileSizes values = tensor_tile_sizes(sizes_, unit_);
    warps_m_ = d_.number("warps_m", values.warps_m, model_.warps_m);
    warps_n_ = d_.number("warps_n", values.warps_n, model_.warps_n);
    frags_m_ = d_.number("frags_m", values.frags_m, model_.frags_m);
    pairs_n_ = d_.number("pairs_n", values.pairs_n, model_.pairs_n);
    frags_n_ = d_.follows(value_of(pairs_n_) * 2);
    rows_ = d_.follows(value_of(warps_m_) * value_of(frags_m_) * make_int(unit_.rows));
    columns_ = d_.follows(value_of(warps_n_) * value_of(frags_n_) * make_int(unit_.columns));
    depth_ = steps_ * unit_.depth;
    const auto block_of = [&](TensorTiles tiles) {
      tiles.steps = steps_;
      return tiles.block(unit_);
    };
    std::vector<BlockTile> tiles;
    for (const TensorTiles& one : all_tensor_tiles(sizes_, unit_)) tiles.push_back(block_of(one));
    use_tiles(std::move(tiles), block_of(model_));
    no_idle_tiles(rows_, unit_.rows, sizes_.m, "rows");
    no_idle_tiles(columns_, unit_.columns_loaded, sizes_.n, "columns");
  }

  std::vector<LoopRef> tiles_of(const LoopRef& loop, bool is_padded, std::int64_t size, const Number& warps,
                                const Number& frags, std::int64_t unit) {
    const Number count = tile_count(is_padded, size, value_of(warps) * value_of(frags) * make_int(unit));
    return s_.loops(Split{.loop = loop, .factors = {count, warps, frags, unit}, .disable_predication = true});
  }

  void tile() {
    const auto loops = s_.get_loops(sums_);
    const std::size_t first = batches();
    const auto m = tiles_of(loops[first], pads_m_, sizes_.m, warps_m_, frags_m_, unit_.rows);
    const auto n = tiles_of(loops[first + 1], pads_n_, sizes_.n, warps_n_, frags_n_, unit_.columns);
    const auto k = s_.loops(Split{loops[first + 2], {std::nullopt, steps_, unit_.depth}});
    s_.apply(Reorder{{m[0], n[0], k[0], k[1], m[1], n[1], m[2], n[2], m[3], n[3], k[2]}});
    block_ = n[0], panel_loop_ = k[0], step_loop_ = k[1];
    if (!is_direct_) s_.apply(ReverseComputeAt{staged_, block_});
    s_.apply(ReverseComputeAt{result_, block_});
    blocks_of(m[0], n[0]);
  }

  /// In shared memory eight rows lie in different banks.
  void copy_panels() {
    const std::int64_t panel = steps_ * unit_.depth;
    const std::int64_t apart = unit_.row_bytes / given_.product.left->type.bytes();
    const Number accesses_a = copy_panel("a", a_, work_.a.of_depth(panel), apart);
    // Of thirteen convolutions that were timed both ways on an H200 ten took less where the first cache keeps
    // what windows share, up to 26 %, and none more than 1 % longer.
    keep_windows(true);
    const Number accesses_b = copy_panel("b", b_, work_.b.of_depth(panel), apart);
    turn_panel(b_, work_.b);
    const Expr frags_m = value_of(frags_m_), pairs_n = value_of(pairs_n_);
    const Expr known = kept(accesses_a, work_.a) + kept(accesses_b, work_.b);
    spill_nothing(
        registers_of_thread<Expr>(frags_m, pairs_n, known + floor_div(known, make_int(known_for_another))),
        "a thread's sums, fragments, and what it knows of the rows that it copies");
    if (steps_ > 2)
      spill_nothing(registers_of_long_panels(frags_m, pairs_n),
                    "a thread's sums and fragments of three steps");
  }

  /// Each step is a statement of the panel's loop, and so are the loads of its fragments.
  void multiply() {
    const BlockRef root = s_.get_block(path_to(s_.program(), sums_)->block_around().block().name);
    const std::vector<BlockRef> known = s_.blocks(GetChildBlocks{root});
    std::vector<Number> points;
    for (std::int64_t step = 1; step < steps_; ++step) points.emplace_back(step);
    if (steps_ > 1) s_.apply(LoopPartition{step_loop_, points});
    std::vector<BlockRef> steps = {sums_};
    for (const BlockRef& block : s_.blocks(GetChildBlocks{root}))
      if (std::find(known.begin(), known.end(), block) == known.end()) steps.push_back(block);
    for (const BlockRef& step : steps) multiply_step(step);
  }

  void multiply_step(const BlockRef& step) {
    // The sums are what it reads first.
    const BlockRef a = s_.blocks(CacheRead{step, 1 + factors_.left_read, "mma.a", {step}})[0];
    const BlockRef b = s_.blocks(CacheRead{step, 1 + factors_.right_read, "mma.b", {step}})[0];
    s_.apply(TransformLayout{
        a,
        {"write", 0},
        layout("m, k", fmt::format("m // {0}, k // {1}, m % {0}, k % {1}", unit_.rows, unit_.depth))});
    s_.apply(TransformLayout{
        b,
        {"write", 0},
        layout(has_rows_of_n() ? "n, k" : "k, n",
               fmt::format("k // {0}, n // {1}, k % {0}, n % {1}", unit_.depth, unit_.columns))});
    const auto of_a = s_.get_loops(a);
    const auto rows = s_.loops(Split{of_a[of_a.size() - 2], {warps_m_, frags_m_, unit_.rows}});
    s_.apply(Tensorize{rows[2], unit_.load_a});
    warp_rows_.push_back(rows[0]);
    const auto of_b = s_.get_loops(b);
    const bool by_n = has_rows_of_n();
    const LoopRef &n = of_b[of_b.size() - (by_n ? 2 : 1)], &k = of_b[of_b.size() - (by_n ? 1 : 2)];
    const auto columns = s_.loops(Split{n, {warps_n_, pairs_n_, 2, unit_.columns}});
    if (by_n)
      s_.apply(Reorder{{columns[0], columns[1], columns[2], columns[3], k}});
    else
      s_.apply(Reorder{{columns[0], columns[1], columns[2], k, columns[3]}});
    s_.apply(Tensorize{columns[2], by_n ? unit_.load_b_by_columns : unit_.load_b});
    warp_columns_.push_back(columns[0]);
    const auto loops = s_.get_loops(step);
    warp_rows_.push_back(loops[loops.size() - 7]);
    warp_columns_.push_back(loops[loops.size() - 6]);
    s_.apply(Tensorize{loops[loops.size() - 3], unit_.product});
  }

  /// Before each product the loads of the step behind it, before the last one those of the next panel's first
  /// step; copies behind the first loads. One barrier a panel is left, behind all of it.
  void pipeline() {
    const std::int64_t n = steps_;
    std::vector<std::int64_t> stage = {0, 0, ahead_, ahead_, ahead_ + 1};
    std::vector<std::int64_t> order = {2, 3, 3 * n - 1, 3 * n, 4, 0, 1, 7};
    for (std::int64_t step = 1; step < n; ++step) stage.insert(stage.end(), 3, ahead_ + 1);
    for (std::int64_t step = 2; step < n; ++step)
      for (const std::int64_t place : {3 * step - 1, 3 * step, 3 * step + 4}) order.push_back(place);
    s_.apply(SoftwarePipeline{panel_loop_, stage, order});
  }

  const ChosenTensorTiles chosen_;
  const TensorTiles& model_ = chosen_.tiles;
  std::int64_t steps_ = 2, ahead_ = 2;
  LoopRef step_loop_;
};

}  // namespace

void take_tensor_product(Derivation& d, const BlockRef& stage) {
  const OpenProduct product = *open_product(d, stage);
  const auto unit = mma_unit(product.product.product.product, d.target());
  if (!unit) return take_wmma_product(d, product);
  TensorSteps by_warps(d, product, *unit);
  const auto group = group_unit(product.product.product.product, d.target());
  if (group) {
    GroupSteps by_groups(d, product, *unit, *group);
    if (by_groups.is_possible() &&
        d.whether("warps multiply in groups, out of shared memory", by_groups.cycles() < by_warps.cycles()))
      return by_groups.run();
  }
  by_warps.run();
}

Rule tensor_product() {
  return {
      .name = "tensor cores",
      .doc = "a product of matrices on a GPU's tensor instructions: tiles of warps, panels in shared memory",
      .applies =
          [](const Derivation& d, const BlockRef& stage) {
            const auto product = open_product(d, stage);
            return product && has_tensor_unit(product->product.product.product, d.target());
          },
      .apply = take_tensor_product};
}

}  // namespace ardea::rules
