#include "ardea/rules/gpu/tensor_product.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "ardea/ir/first_cache.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/rules/gpu/block_product.h"
#include "ardea/rules/gpu/mma_unit.h"
#include "ardea/rules/gpu/tensor_tiles.h"
#include "ardea/rules/gpu/wmma_product.h"
#include "ardea/rules/gpu/wmma_unit.h"
#include "ardea/schedule/primitives/find/find.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/loop_partition.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/reindex.h"
#include "ardea/schedule/primitives/memory/set_scope.h"
#include "ardea/schedule/primitives/memory/storage_align.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/tensor/software_pipeline.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

class TensorSteps : BlockProduct {
 public:
  TensorSteps(Derivation& d, const OpenProduct& given, const MmaUnit& unit)
      : BlockProduct(d, given),
        unit_(unit),
        turns_b_(!given_.product.transposed && unit.load_b.empty()),
        work_(work()),
        model_(tensor_tiles_for(work_, unit, d.target())) {}

  void run() {
    choose();
    make_stages();
    tile();
    copy_panels();
    begin_fragments(unit_.rows, unit_.columns, unit_.zero, /*loops_in_warp=*/4);
    place_results();
    multiply();
    bind();
    pipeline();
    finish();
  }

 private:
  TensorWork work() const {
    TensorWork work{.sizes = sizes_, .batches = batch_count(), .factors = given_.product.left->type};
    work.a =
        copy_of_deep_rows(factors_.left_source, copied_lanes(factors_.left_source.run, work.factors), warp_);
    const std::int64_t lanes_b = turns_b_ ? 1 : copied_lanes(factors_.right_source.run, work.factors);
    work.b = given_.product.transposed ? copy_of_deep_rows(factors_.right_source, lanes_b, warp_)
                                       : copy_of_columns(sizes_.n, lanes_b, warp_);
    work.b.turns = turns_b_;
    // Where its window begins, and whether it is a row at all.
    if (is_implicit_)
      work.a.kept_numbers =
          std::max<std::int64_t>(1, factors_.left_source.window_axes + (may_pad_rows() ? 1 : 0));
    work.has_windows = factors_.left_source.window_axes > 0;
    return work;
  }

  bool may_pad_rows() const {
    const auto tiles = all_tensor_tiles(sizes_, unit_);
    return std::any_of(tiles.begin(), tiles.end(),
                       [&](const TensorTiles& one) { return sizes_.m % one.block(unit_).rows != 0; });
  }

  void choose() {
    steps_ = choice("steps in a panel", tensor_steps(sizes_, unit_), model_.steps);
    ahead_ = choice("panels under way", panels_under_way(sizes_.k, steps_ * unit_.depth), model_.ahead);
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

  bool is_direct() const { return is_direct_; }

  /// The copies of both factors in shared memory; the sums in fragments; what takes them to the result, by
  /// way of shared memory where elements are more than stored. What is only converted is so before it gets
  /// there, where it takes fewer bytes then.
  void make_stages() {
    const std::string store = stores_as_result();
    is_direct_ = !store.empty() && !is_implicit_ && !d_.whether("results go through shared memory", true);
    copy_factors();
    if (store.empty()) {
      take_sums_from("shared");
      staged_ = s_.blocks(CacheWrite{sums_, 0, "mma.c"})[0];
    } else {
      take_sums_from("mma.c");
      if (!is_direct()) {
        // By rows and columns, whatever the result's indices are.
        staged_ = std::exchange(result_, s_.blocks(Reindex{result_, {"write", 0}})[0]);
        s_.apply(SetScope{staged_, 0, "shared"});
      }
    }
    store_ = store.empty() ? unit_.store_as(unit_.sums) : store;
  }

  /// The instruction that takes sums to what the result is made of; empty where more is done with them.
  std::string stores_as_result() const {
    if (pads_m_ || pads_n_) return "";
    const Function& program = s_.program();
    if (computes_results()) return "";
    const BlockRef& last = given_.converter ? *given_.converter : given_.sums;
    const auto* store = path_to(program, last)->block().body.as<Store>();
    if (store == nullptr) return "";  // only some results are stored
    const Buffer out = store->buffer;
    // Two elements are stored at once.
    const bool is_aligned = memory_alignments(program).at(out->data) % (2 * out->type.bytes()) == 0;
    return sizes_.n % 2 == 0 && is_aligned ? unit_.store_as(out->type) : "";
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
    if (!is_direct()) s_.apply(ReverseComputeAt{staged_, block_});
    s_.apply(ReverseComputeAt{result_, block_});
    blocks_of(m[0], n[0]);
  }

  /// Rows of B lie in shared memory by k, or by n.
  bool has_rows_of_n() const { return given_.product.transposed || turns_b_; }

  /// In shared memory eight rows lie in different banks.
  void copy_panels() {
    const std::int64_t panel = steps_ * unit_.depth;
    const std::int64_t apart = unit_.row_bytes / given_.product.left->type.bytes();
    const Number accesses_a = copy_panel("a", a_, work_.a.of_depth(panel), apart);
    // Of thirteen convolutions that were timed both ways on an H200 ten took less where the first cache keeps
    // what windows share, up to 26 %, and none more than 1 % longer.
    if (work_.has_windows && !d_.target().gpu->copy_engines.empty())
      s_.apply(Annotate{a_, first_cache_key, Convert<Number>::to(d_.number("kept_a", {0, 1}, 1))});
    const Number accesses_b = copy_panel("b", b_, work_.b.of_depth(panel), apart);
    turn_panel(b_, work_.b);
    spill_nothing(accesses_a, accesses_b);
  }

  void spill_nothing(const Number& accesses_a, const Number& accesses_b) {
    const target::Gpu& gpu = *d_.target().gpu;
    const auto kept = [](const Number& accesses, const PanelCopy& copy) {
      return make_select(value_of(accesses) < make_int(least_left_in_loop),
                         value_of(accesses) * make_int(copy.kept_numbers), make_int(0));
    };
    const Expr registers = registers_of_thread<Expr>(value_of(frags_m_), value_of(pairs_n_),
                                                     kept(accesses_a, work_.a) + kept(accesses_b, work_.b));
    const std::string reason =
        "a thread's sums, fragments, and what it knows of the rows that it copies are in registers: none "
        "spills";
    d_.keep_to(registers <= make_int(gpu.registers_per_thread), "registers that suffice", reason);
    d_.keep_to(registers * value_of(warps_m_) * value_of(warps_n_) * make_int(warp_) <=
                   make_int(gpu.registers_per_block),
               "registers of a block that suffice", reason);
  }

  void place_results() {
    const auto loops = s_.get_loops(result_);
    const LoopRef &row = loops[loops.size() - 2], &column = loops[loops.size() - 1];
    const auto m = s_.loops(
        Split{.loop = row, .factors = {warps_m_, frags_m_, unit_.rows}, .disable_predication = !pads_m_});
    if (is_direct()) {
      const auto n = s_.loops(Split{column, {warps_n_, frags_n_, unit_.columns}});
      s_.apply(Reorder{{m[0], n[0], m[1], n[1], m[2], n[2]}});
      s_.apply(Tensorize{m[2], store_});
      warp_rows_.push_back(m[0]), warp_columns_.push_back(n[0]);
      return;
    }
    const Number width = d_.follows(value_of(frags_n_) * make_int(unit_.columns));
    const auto n = s_.loops(Split{column, {warps_n_, width}});
    // Sixteen rows of each warp at a time, which lie together in shared memory.
    s_.apply(Reorder{{m[1], m[0], n[0], m[2], n[1]}});
    s_.apply(ComputeAt{staged_, n[0]});
    s_.apply(TransformLayout{
        staged_,
        {"write", 0},
        IndexText(layout("m, n", fmt::format("m // {0} // f, m // {0} % f, m % {0}, n", unit_.rows)),
                  {{"f", frags_m_}})});
    s_.apply(StorageAlign{staged_, 0, -2, columns_, 8});
    const auto stored = s_.get_loops(staged_);
    const auto frags = s_.loops(Split{stored.back(), {frags_n_, unit_.columns}});
    s_.apply(Reorder{{frags[0], stored[stored.size() - 2], frags[1]}});
    s_.apply(Tensorize{stored[stored.size() - 2], store_});
    if (is_implicit_)
      store_by_pairs(m[2], n[1]);
    else
      store_in_order(m[2], n[1]);
    warp_rows_.push_back(m[0]), warp_columns_.push_back(n[0]);
  }

  /// That a thread stores at once.
  std::int64_t stored_lanes() const {
    return copied_lanes(factors_.result.run,
                        only_store(path_to(s_.program(), result_)->block())->buffer->type);
  }

  /// A warp's threads store neighbouring vectors of its rows, one row after the other.
  void store_in_order(const LoopRef& rows, const LoopRef& columns) {
    const std::int64_t lanes = stored_lanes(), chunks = unit_.columns_loaded / lanes;
    const Number vectors = d_.follows(value_of(pairs_n_) * make_int(chunks)),
                 rounds = d_.follows(value_of(pairs_n_) * make_int(unit_.rows * chunks / warp_));
    const auto across = s_.loops(Split{columns, {vectors, lanes}});
    const LoopRef all = s_.loops(Fuse{{rows, across[0]}})[0];
    lanes_.push_back(s_.loops(Split{all, {rounds, warp_}})[1]);
    if (lanes > 1) vectors_.push_back(across[1]);
  }

  /// Of each row as much as two fragments have at a time, so that a thread's rows stay the same: an implicit
  /// product's are quotients and remainders of several sizes.
  void store_by_pairs(const LoopRef& rows, const LoopRef& columns) {
    const std::int64_t lanes = stored_lanes(), chunks = unit_.columns_loaded / lanes,
                       at_once = warp_ / chunks;
    const auto down = s_.loops(Split{rows, {unit_.rows / at_once, at_once}});
    const auto across = s_.loops(Split{columns, {pairs_n_, chunks, lanes}});
    s_.apply(Reorder{{across[0], down[0], down[1], across[1], across[2]}});
    lanes_.push_back(s_.loops(Fuse{{down[1], across[1]}})[0]);
    if (lanes > 1) vectors_.push_back(across[2]);
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

  const MmaUnit& unit_;
  BlockRef staged_;
  const bool turns_b_;  ///< its rows of k become rows of n on their way to shared memory
  const TensorWork work_;
  const TensorTiles model_;
  std::int64_t steps_ = 2, ahead_ = 2;
  Number frags_m_, pairs_n_, frags_n_;
  bool is_direct_ = false;
  std::string store_;
  LoopRef step_loop_;
};

}  // namespace

void take_tensor_product(Derivation& d, const BlockRef& stage) {
  const OpenProduct product = *open_product(d, stage);
  const auto unit = mma_unit(product.product.product.product, d.target());
  if (!unit) return take_wmma_product(d, product);
  TensorSteps(d, product, *unit).run();
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
