#include "ardea/rules/gpu/group_product.h"

#include <fmt/core.h>

#include "ardea/ir/box_copy.h"
#include "ardea/ir/row_swizzle.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/tensor/software_pipeline.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"

namespace ardea::rules {

using namespace schedule;

GroupSteps::GroupSteps(Derivation& d, const OpenProduct& given, const MmaUnit& sums, const GroupUnit& unit)
    : WarpProduct(d, given, sums), group_(unit), chosen_(group_tiles_for(work_, d.target())) {}

void GroupSteps::run() {
  choose();
  // Of 21 programs that were timed both ways those without shared memory took up to twice as long.
  make_stages(/*may_be_direct=*/false);
  tile();
  copy_panels();
  begin_fragments({.rows = unit_.rows,
                   .columns = unit_.columns,
                   .zero = unit_.zero,
                   .loops_in_warp = 5,
                   .are_warps_in_turn = true});
  place_results(RowsOfWarps::in_turn);
  multiply();
  bind();
  // Copies first: while another block multiplies, this one's come.
  s_.apply(SoftwarePipeline{panel_loop_, {0, 0, ahead_}, {0, 1, 2}});
  finish();
}

void GroupSteps::choose() {
  tile_columns_ = choice("columns multiplied at once", columns_of_groups(sizes_), chosen_->tiles.columns);
  ahead_ = choice("panels under way", panels_under_way(sizes_, group_.depth), chosen_->tiles.ahead);
  by_unit_ =
      may_copy_boxes(work_) && d_.whether("a unit copies boxes of the factors", chosen_->tiles.by_unit);
  // Beside other answers than the model's its numbers may not fit.
  const auto own = group_tiles_for(work_, tile_columns_, ahead_, by_unit_, d_.target());
  const GroupTiles model =
      own ? own->tiles : GroupTiles{.columns = tile_columns_, .ahead = ahead_, .by_unit = by_unit_};
  std::vector<std::int64_t> warps;
  for (const std::int64_t groups : group_counts(sizes_)) warps.push_back(groups * group_.warps);
  warps_m_ = d_.number("warps_m", warps, model.groups * group_.warps);
  warps_n_ = 1;
  frags_m_ = d_.number("frags_m", frags_of_groups(sizes_), model.frags_m);
  pairs_n_ = tile_columns_ / unit_.columns_loaded;
  frags_n_ = tile_columns_ / unit_.columns;
  rows_ = d_.follows(value_of(warps_m_) * value_of(frags_m_) * make_int(unit_.rows));
  columns_ = tile_columns_;
  depth_ = group_.depth;
  std::vector<BlockTile> tiles;
  for (const std::int64_t groups : group_counts(sizes_))
    for (const std::int64_t frags : frags_of_groups(sizes_)) {
      const GroupTiles one{.groups = groups, .frags_m = frags, .columns = tile_columns_, .ahead = ahead_};
      if (one.block().rows <= sizes_.m) tiles.push_back(one.block());
    }
  use_tiles(std::move(tiles), model.block());
  no_idle_tiles(rows_, group_.rows, sizes_.m, "rows");
}

void GroupSteps::tile() {
  const auto loops = s_.get_loops(sums_);
  const std::size_t first = batches();
  const Number tiles_m = tile_count(pads_m_, sizes_.m, value_of(rows_)),
               tiles_n = tile_count(pads_n_, sizes_.n, make_int(tile_columns_));
  const std::int64_t in_block = group_.row_block / unit_.columns;
  const auto m = s_.loops(Split{.loop = loops[first],
                                .factors = {tiles_m, frags_m_, warps_m_, unit_.rows},
                                .disable_predication = true});
  const auto n =
      s_.loops(Split{.loop = loops[first + 1],
                     .factors = {tiles_n, tile_columns_ / group_.row_block, in_block, unit_.columns},
                     .disable_predication = true});
  const auto k = s_.loops(Split{loops[first + 2], {std::nullopt, group_.depth}});
  s_.apply(Reorder{{m[0], n[0], k[0], m[2], m[1], n[1], n[2], m[3], n[3], k[1]}});
  block_ = n[0], panel_loop_ = k[0];
  if (!is_direct_) s_.apply(ReverseComputeAt{staged_, block_});
  s_.apply(ReverseComputeAt{result_, block_});
  blocks_of(m[0], n[0]);
}

/// Rows of 128 bytes, whose units of 16 change places.
void GroupSteps::swizzle(const BlockRef& copy, const std::string& before, const std::string& row,
                         const std::string& column) {
  const RowSwizzle how = swizzle_of_tensor_units(work_.factors);
  const std::string axes = before.empty() ? row : before + ", " + row;
  s_.apply(
      TransformLayout{copy,
                      {"write", 0},
                      layout(fmt::format("{}, {}", axes, column),
                             fmt::format("{}, {} ^ ({} % {} * {})", axes, column, row, how.rows, how.unit))});
}

Number GroupSteps::copy(const std::string& name, const BlockRef& copy, const PanelCopy& how) {
  if (!by_unit_) return copy_panel(name, copy, how.of_depth(group_.depth), /*apart=*/0);
  copy_boxes(name, copy, how);
  return 0;
}

/// Of as many rows as have blocks of columns of their own, so that any tile is some of them.
void GroupSteps::copy_boxes(const std::string& name, const BlockRef& copy, const PanelCopy& how) {
  s_.apply(ComputeAt{copy, panel_loop_});
  const auto loops = s_.get_loops(copy);
  const LoopRef &rows = loops[loops.size() - 2], &columns = loops.back();
  const Number boxes = boxes_of(name, copy);
  LoopRef marked = rows;
  if (how.is_deep) {
    marked =
        s_.loops(Split{.loop = rows, .factors = {boxes, group_.row_block}, .disable_predication = true})[1];
  } else {
    const auto across =
        s_.loops(Split{.loop = columns, .factors = {boxes, group_.row_block}, .disable_predication = true});
    s_.apply(Reorder{{across[0], rows, across[1]}});
  }
  s_.apply(Annotate{marked, box_copy_key, std::int64_t{1}});
}

void GroupSteps::copy_panels() {
  const Number accesses_a = copy("a", a_, work_.a);
  // Panels leave the first cache little room: on an H200 one convolution took 11 % less without it, four
  // others about as long.
  if (!by_unit_) keep_windows(false);
  const Number accesses_b = copy("b", b_, work_.b);
  swizzle(a_, "", "m", "k");
  if (has_rows_of_n()) {
    swizzle(b_, "", "n", "k");
  } else {
    s_.apply(TransformLayout{
        b_, {"write", 0}, layout("k, n", fmt::format("n // {0}, k, n % {0}", group_.row_block))});
    swizzle(b_, "block", "k", "n");
  }
  spill_nothing(registers_in_group<Expr>(value_of(frags_m_), tile_columns_,
                                         kept(accesses_a, work_.a) + kept(accesses_b, work_.b)),
                "a thread's sums, and what it knows of the rows that it copies");
}

void GroupSteps::multiply() {
  const auto loops = s_.get_loops(sums_);
  warp_rows_.push_back(loops[loops.size() - 7]);
  s_.apply(Tensorize{loops[loops.size() - 5], group_.product(tile_columns_, has_rows_of_n())});
}

}  // namespace ardea::rules
