#include "ardea/rules/gpu/block_product.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "ardea/ir/block_order.h"
#include "ardea/ir/ceil_div.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/set_scope.h"
#include "ardea/schedule/primitives/memory/storage_align.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/primitives/reduce/pad_einsum.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

std::optional<OpenProduct> open_product(const Derivation& d, const BlockRef& stage) {
  if (!d.target().gpu) return std::nullopt;
  OpenProduct open;
  const ImplicitProduct* left = d.left<ImplicitProduct>(stage);
  open.is_implicit = left != nullptr;
  if (open.is_implicit) {
    open.product = *left;
  } else {
    auto found = product_of_stage(d.steps().program(), stage);
    if (!found) return std::nullopt;
    const ProductSizes& sizes = found->product.sizes;
    open.product.left_source.run = sizes.k;
    open.product.right_source.run = found->product.transposed ? sizes.k : sizes.n;
    open.product.result.run = sizes.n;
    open.product.product = *std::move(found);
  }
  if (d.is_finished(open.product.product.sums)) return std::nullopt;
  const ProductSizes& sizes = open.product.product.product.sizes;
  if (!is_worth_tiles(sizes)) return std::nullopt;
  return open;
}

BlockProduct::BlockProduct(Derivation& d, const OpenProduct& given)
    : d_(d),
      s_(d.steps()),
      factors_(given.product),
      is_implicit_(given.is_implicit),
      given_(factors_.product),
      sizes_(given_.product.sizes),
      warp_(d.target().gpu->warp_threads),
      sums_(given_.sums) {}

std::int64_t BlockProduct::batch_count() const {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < batches(); ++i) count *= typical(given_.product.left->shape[i]);
  return count;
}

std::int64_t BlockProduct::choice(const std::string& question, const std::vector<std::int64_t>& values,
                                  std::int64_t model) {
  if (values.size() == 1) return values[0];
  std::vector<std::string> answers;
  for (const std::int64_t value : values) answers.push_back(std::to_string(value));
  // Beside other answers than the model's its number may be none of the values.
  const auto at = std::find(values.begin(), values.end(), model);
  const auto first = at == values.end() ? values.size() - 1 : static_cast<std::size_t>(at - values.begin());
  return values[d_.way(question, answers, first)];
}

void BlockProduct::use_tiles(std::vector<BlockTile> all, const BlockTile& model) {
  tiles_ = std::move(all);
  model_tile_ = model;
  for (const BlockTile& tile : tiles_) {
    pads_m_ = pads_m_ || sizes_.m % tile.rows != 0;
    pads_n_ = pads_n_ || sizes_.n % tile.columns != 0;
    pads_k_ = pads_k_ || sizes_.k % tile.depth != 0;
  }
}

void BlockProduct::no_idle_tiles(const Number& tile, std::int64_t least, std::int64_t size,
                                 const std::string& what) {
  d_.keep_to(value_of(tile) <= make_int(std::max(least, size)), what + " of a block",
             fmt::format("a block has no more than all {} {}", size, what));
}

void BlockProduct::copy_factors() {
  std::vector<BlockRef> copies;
  if (pads_m_ || pads_n_ || pads_k_) {
    std::vector<Number> padding(batches(), std::int64_t{1});
    padding.push_back(pads_m_ ? rows_ : std::int64_t{1});
    padding.push_back(pads_n_ ? columns_ : std::int64_t{1});
    padding.push_back(pads_k_ ? depth_ : std::int64_t{1});
    copies = s_.blocks(PadEinsum{sums_, padding});
  }
  // Padded ones in the order of the reads.
  std::size_t next = 0;
  const auto copy_of = [&](bool is_padded, std::int64_t read, const BlockRef& maker) {
    BlockRef copy = maker;
    if (is_padded)
      copy = copies[next++];
    else if (!is_implicit_)
      return s_.blocks(CacheRead{sums_, read, "shared"})[0];
    if (is_padded && is_implicit_) s_.apply(ComputeInline{maker});
    s_.apply(SetScope{copy, 0, "shared"});
    return copy;
  };
  const auto copy_a = [&] { a_ = copy_of(pads_m_ || pads_k_, factors_.left_read, factors_.left); };
  const auto copy_b = [&] { b_ = copy_of(pads_k_ || pads_n_, factors_.right_read, factors_.right); };
  if (factors_.left_read < factors_.right_read)
    copy_a(), copy_b();
  else
    copy_b(), copy_a();
  if (pads_m_ || pads_n_) unpad_ = copies[next];
}

void BlockProduct::take_sums_from(const std::string& scope) {
  if (!given_.converter && !unpad_) {
    result_ = s_.blocks(CacheWrite{sums_, 0, scope})[0];
    return;
  }
  if (given_.converter && unpad_) s_.apply(ComputeInline{*unpad_});
  result_ = given_.converter ? *given_.converter : *unpad_;
  s_.apply(SetScope{sums_, 0, scope});
}

bool BlockProduct::computes_results() const {
  if (!given_.converter) return false;
  const auto* store = only_store(path_to(s_.program(), *given_.converter)->block());
  if (store == nullptr) return true;
  const auto* cast = store->value.as<Cast>();
  return !store->value.is<Load>() && (cast == nullptr || !cast->value.is<Load>());
}

Number BlockProduct::tile_count(bool is_padded, std::int64_t size, const Expr& tile) const {
  return d_.follows(is_padded ? ceil_div(make_int(size), tile) : floor_div(make_int(size), tile));
}

bool BlockProduct::exceeds_second_cache() const {
  const target::Cache* cache = d_.target().cache(2);
  const std::int64_t elements = (sizes_.m + sizes_.n) * sizes_.k;
  return cache != nullptr && elements * given_.product.left->type.bytes() > cache->bytes;
}

/// Blocks that run at the same time share rows and columns. Row by row of tiles they need all columns; in
/// groups of some rows of tiles they need fewer of both together.
void BlockProduct::group_blocks() {
  constexpr std::int64_t most_together = 16;
  const auto needed = [&](std::int64_t together) {
    return together * model_tile_.rows + ceil_div(d_.target().cores, together) * model_tile_.columns;
  };
  std::int64_t fewest_rows = sizes_.m, model = 1;
  for (const BlockTile& tile : tiles_) fewest_rows = std::min(fewest_rows, tile.rows);
  std::vector<std::int64_t> values;
  for (const std::int64_t together : doublings(sizes_.m, fewest_rows, most_together)) {
    values.push_back(together);
    if (together * model_tile_.rows <= sizes_.m && needed(together) < needed(model)) model = together;
  }
  s_.apply(Annotate{blocks_[1].first, rows_together_key,
                    Convert<Number>::to(d_.number(rows_together_key, values, model))});
}

void BlockProduct::blocks_of(const LoopRef& rows, const LoopRef& columns) {
  blocks_ = {{columns, "blockIdx.x"}, {rows, "blockIdx.y"}};
  if (batches() == 0) return;
  const auto loops = s_.get_loops(sums_);
  const std::vector<LoopRef> outer(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(batches()));
  blocks_.emplace_back(outer.size() == 1 ? outer[0] : s_.loops(Fuse{outer})[0], "blockIdx.z");
}

/// How often a part is in the whole: a number of its own, so that it is known of both what their product is.
Number BlockProduct::parts_of(const std::string& name, const Extent& whole, const Extent& part) {
  std::set<std::int64_t> counts;
  for (const BlockTile& tile : tiles_)
    if (whole.at(tile) % part.at(tile) == 0) counts.insert(whole.at(tile) / part.at(tile));
  const std::int64_t model = whole.at(model_tile_) / part.at(model_tile_);
  if (counts.size() == 1) return model;
  return d_.number(name, {counts.begin(), counts.end()}, model);
}

Number BlockProduct::copy_panel(const std::string& name, const BlockRef& copy, const PanelCopy& how,
                                std::int64_t apart) {
  const Extent depth{depth_, [](const BlockTile& t) { return t.depth; }},
      width = copy == a_ ? Extent{rows_, [](const BlockTile& t) { return t.rows; }}
                         : Extent{columns_, [](const BlockTile& t) { return t.columns; }};
  const Extent &rows = how.is_deep ? width : depth, &columns = how.is_deep ? depth : width;
  s_.apply(ComputeAt{copy, panel_loop_});
  if (apart > 0) s_.apply(StorageAlign{copy, 0, -2, how.turns ? rows.now : columns.now, apart});
  const auto loops = s_.get_loops(copy);
  const std::int64_t rows_of_warp = how.rows_of_warp(warp_), run = how.run;
  const Extent at_once{d_.follows(value_of(warps_m_) * value_of(warps_n_) * make_int(rows_of_warp)),
                       [=](const BlockTile& t) { return t.warps * rows_of_warp; }};
  const Number copies = parts_of("copies_" + name, rows, at_once);
  const auto down = s_.loops(Split{.loop = loops[loops.size() - 2],
                                   .factors = {copies, warps_m_, warps_n_, rows_of_warp},
                                   .disable_predication = true});
  const Number runs = parts_of("runs_" + name, columns, {run, [=](const BlockTile&) { return run; }});
  const auto across = s_.loops(Split{.loop = loops[loops.size() - 1],
                                     .factors = {runs, how.threads_of_row(), how.lanes},
                                     .disable_predication = true});
  // Side by side goes what lies so in memory.
  const std::vector<LoopRef> threads =
      how.is_along_rows ? std::vector{across[1], down[3]} : std::vector{down[3], across[1]};
  s_.apply(Reorder{{down[0], across[0], down[1], down[2], threads[0], threads[1], across[2]}});
  warp_rows_.push_back(down[1]), warp_columns_.push_back(down[2]);
  lanes_.push_back(s_.loops(Fuse{threads})[0]);
  if (how.lanes > 1) vectors_.push_back(across[2]);
  return d_.follows(value_of(copies) * value_of(runs));
}

Number BlockProduct::boxes_of(const std::string& name, const BlockRef& copy) {
  constexpr std::int64_t wide = 64;
  const Extent width = copy == a_ ? Extent{rows_, [](const BlockTile& t) { return t.rows; }}
                                  : Extent{columns_, [](const BlockTile& t) { return t.columns; }};
  return parts_of("boxes_" + name, width, {wide, [](const BlockTile&) { return wide; }});
}

void BlockProduct::turn_panel(const BlockRef& copy, const PanelCopy& how) {
  if (how.turns) s_.apply(TransformLayout{copy, {"write", 0}, layout("row, column", "column, row")});
}

void BlockProduct::spill_nothing(const Expr& registers, const std::string& what) {
  const target::Gpu& gpu = *d_.target().gpu;
  const std::string reason = what + " are in registers: none spills";
  d_.keep_to(registers <= make_int(gpu.registers_per_thread), "registers that suffice", reason);
  d_.keep_to(registers * value_of(warps_m_) * value_of(warps_n_) * make_int(warp_) <=
                 make_int(gpu.registers_per_block),
             "registers of a block that suffice", reason);
}

void BlockProduct::begin_fragments(const Fragments& how) {
  const std::string row = how.are_warps_in_turn ? fmt::format("m // {0} % w, m // {0} // w", how.rows)
                                                : fmt::format("m // {}", how.rows);
  const std::string places = fmt::format("{2}, n // {1}, m % {0}, n % {1}", how.rows, how.columns, row);
  s_.apply(TransformLayout{sums_,
                           {"write", 0},
                           how.are_warps_in_turn ? IndexText(layout("m, n", places), {{"w", warps_m_}})
                                                 : IndexText(layout("m, n", places))});
  const auto loops = s_.get_loops(s_.blocks(DecomposeReduction{sums_, panel_loop_})[0]);
  const std::size_t first = loops.size() - how.loops_in_warp;
  if (how.are_warps_in_turn) {
    warp_rows_.push_back(loops[first - 1]);
  } else {
    warp_rows_.push_back(loops[first - 2]);
    warp_columns_.push_back(loops[first - 1]);
  }
  s_.apply(Tensorize{loops[loops.size() - 2], how.zero});
}

void BlockProduct::bind() {
  for (const LoopRef& loop : vectors_) s_.apply(Vectorize{loop});
  for (const LoopRef& loop : lanes_) s_.apply(Bind{loop, "threadIdx.x"});
  for (const LoopRef& loop : warp_columns_) s_.apply(Bind{loop, "threadIdx.y"});
  for (const LoopRef& loop : warp_rows_) s_.apply(Bind{loop, "threadIdx.z"});
  for (const auto& [loop, axis] : blocks_) s_.apply(Bind{loop, axis});
  if (exceeds_second_cache()) group_blocks();
}

void BlockProduct::finish() {
  d_.finish(given_.sums);
  d_.finish(result_);
  if (given_.converter) d_.finish(*given_.converter);
}

std::string BlockProduct::layout(const std::string& axes, const std::string& places) const {
  std::string before;
  for (std::size_t i = 0; i < batches(); ++i) before += fmt::format("b{}, ", i);
  return fmt::format("lambda {0}{1}: ({0}{2})", before, axes, places);
}

}  // namespace ardea::rules
