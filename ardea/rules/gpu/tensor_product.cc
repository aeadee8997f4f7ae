#include "ardea/rules/gpu/tensor_product.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>

#include "ardea/ir/ceil_div.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/rules/cpu/padded_product.h"
#include "ardea/rules/gpu/implicit_product.h"
#include "ardea/rules/gpu/mma_unit.h"
#include "ardea/rules/gpu/tensor_tiles.h"
#include "ardea/schedule/primitives/find/find.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/loop_partition.h"
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
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/primitives/reduce/pad_einsum.h"
#include "ardea/schedule/primitives/tensor/software_pipeline.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Whether the stage stores what it reads, of whatever type.
bool only_converts(const Function& program, const BlockRef& stage) {
  const auto* store = path_to(program, stage)->block().body.as<Store>();
  if (store == nullptr) return false;
  const auto* cast = store->value.as<Cast>();
  return store->value.is<Load>() || (cast != nullptr && cast->value.is<Load>());
}

/// "lambda b0, b1, m, n: (b0, b1, m // 16, …)"
std::string layout_of(std::size_t batches, const std::string& axes, const std::string& places) {
  std::string before;
  for (std::size_t i = 0; i < batches; ++i) before += fmt::format("b{}, ", i);
  return fmt::format("lambda {0}{1}: ({0}{2})", before, axes, places);
}

class TensorSteps {
 public:
  TensorSteps(Derivation& d, const ImplicitProduct& given, bool is_implicit, const MmaUnit& unit)
      : d_(d),
        s_(d.steps()),
        factors_(given),
        is_implicit_(is_implicit),
        given_(given.product),
        sizes_(given_.product.sizes),
        unit_(unit),
        warp_(d.target().gpu->warp_threads),
        sums_(given_.sums),
        turns_b_(!given_.product.transposed && unit.load_b.empty()),
        work_(work()),
        model_(tensor_tiles_for(work_, unit, d.target())) {}

  void run() {
    choose();
    make_stages();
    tile();
    copy_panels();
    begin_sums();
    place_results();
    multiply();
    bind();
    pipeline();
    d_.finish(given_.sums);
    if (given_.converter) d_.finish(*given_.converter);
  }

 private:
  std::size_t batches() const { return given_.product.batches; }
  TensorWork work() const {
    const MatrixProduct& product = given_.product;
    TensorWork work{.sizes = sizes_, .factors = product.left->type, .has_rows_of_n = product.transposed};
    work.is_a_along_rows = factors_.left_source.along_rows;
    work.is_b_along_rows = factors_.right_source.along_rows;
    for (std::size_t i = 0; i < batches(); ++i) work.batches *= typical(product.left->shape[i]);
    work.lanes_a = lanes_of(factors_.left_source.run, work.factors);
    work.lanes_b = turns_b_ ? 1 : lanes_of(factors_.right_source.run, work.factors);
    work.run_b = run_of_columns(sizes_, work.lanes_b);
    return work;
  }

  void choose() {
    steps_ = choice("steps in a panel", tensor_steps(sizes_, unit_), model_.steps);
    ahead_ = choice("panels under way", {1, 2, 3, 4}, model_.ahead);
    const TensorTileSizes values = tensor_tile_sizes(sizes_, unit_);
    warps_m_ = d_.number("warps_m", values.warps_m, model_.warps_m);
    warps_n_ = d_.number("warps_n", values.warps_n, model_.warps_n);
    frags_m_ = d_.number("frags_m", values.frags_m, model_.frags_m);
    pairs_n_ = d_.number("pairs_n", values.pairs_n, model_.pairs_n);
    frags_n_ = d_.follows(value_of(pairs_n_) * 2);
    rows_ = d_.follows(value_of(warps_m_) * value_of(frags_m_) * make_int(unit_.rows));
    columns_ = d_.follows(value_of(warps_n_) * value_of(frags_n_) * make_int(unit_.columns));
    panel_ = steps_ * unit_.depth;
    for (const TensorTiles& tiles : all_tensor_tiles(sizes_, unit_)) {
      pads_m_ = pads_m_ || sizes_.m % tiles.rows() != 0;
      pads_n_ = pads_n_ || sizes_.n % tiles.columns() != 0;
    }
    pads_k_ = sizes_.k % panel_ != 0;
    no_idle_tiles(rows_, unit_.rows, sizes_.m, "rows");
    no_idle_tiles(columns_, unit_.columns_loaded, sizes_.n, "columns");
  }

  /// Structure, so a way and no number.
  std::int64_t choice(const std::string& question, const std::vector<std::int64_t>& values,
                      std::int64_t model) {
    if (values.size() == 1) return values[0];
    std::vector<std::string> answers;
    for (const std::int64_t value : values) answers.push_back(std::to_string(value));
    const auto at = std::find(values.begin(), values.end(), model) - values.begin();
    return values[d_.way(question, answers, static_cast<std::size_t>(at))];
  }

  /// A block that had more than there is would be idle in part.
  void no_idle_tiles(const Number& tile, std::int64_t least, std::int64_t size, const std::string& what) {
    d_.keep_to(value_of(tile) <= make_int(std::max(least, size)), what + " of a block",
               fmt::format("a block has no more than all {} {}", size, what));
  }

  bool is_direct() const { return is_direct_; }

  /// The copies of both factors in shared memory; the sums in fragments; what takes them to the result, by
  /// way of shared memory where elements are more than stored.
  void make_stages() {
    const std::string store = stores_directly();
    is_direct_ = !store.empty() && !d_.whether("results go through shared memory", false);
    std::vector<BlockRef> copies;
    if (pads_m_ || pads_n_ || pads_k_) {
      std::vector<Number> padding(batches(), std::int64_t{1});
      padding.push_back(pads_m_ ? rows_ : std::int64_t{1});
      padding.push_back(pads_n_ ? columns_ : std::int64_t{1});
      padding.emplace_back(pads_k_ ? panel_ : std::int64_t{1});
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
    const bool unpads = pads_m_ || pads_n_;
    if (given_.converter) {
      if (unpads) s_.apply(ComputeInline{copies[next]});
      result_ = *given_.converter;
    } else if (unpads) {
      result_ = copies[next];
    } else {
      result_ = s_.blocks(CacheWrite{sums_, 0, is_direct() ? "mma.c" : "shared"})[0];
    }
    if (!is_direct()) {
      staged_ = s_.blocks(CacheWrite{sums_, 0, "mma.c"})[0];
      if (given_.converter || unpads) s_.apply(SetScope{staged_, 0, "shared"});
    } else if (given_.converter) {
      s_.apply(SetScope{sums_, 0, "mma.c"});
    }
    store_ = is_direct() ? store : unit_.store_as(unit_.sums);
  }

  /// The instruction that takes sums straight to the result; empty where more is done with them.
  std::string stores_directly() const {
    if (pads_m_ || pads_n_) return "";
    const Function& program = s_.program();
    if (is_implicit_ || (given_.converter && !only_converts(program, *given_.converter))) return "";
    const BlockRef& last = given_.converter ? *given_.converter : given_.sums;
    const Buffer out = path_to(program, last)->block().body.as<Store>()->buffer;
    // Two elements are stored at once.
    const bool is_aligned = memory_alignments(program).at(out->data) % (2 * out->type.bytes()) == 0;
    return sizes_.n % 2 == 0 && is_aligned ? unit_.store_as(out->type) : "";
  }

  std::vector<LoopRef> tiles_of(const LoopRef& loop, bool is_padded, std::int64_t size, const Number& warps,
                                const Number& frags, std::int64_t unit) {
    const Expr tile = value_of(warps) * value_of(frags) * make_int(unit);
    const Expr count = is_padded ? ceil_div(make_int(size), tile) : floor_div(make_int(size), tile);
    return s_.loops(
        Split{.loop = loop, .factors = {d_.follows(count), warps, frags, unit}, .disable_predication = true});
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
    blocks_ = {{n[0], "blockIdx.x"}, {m[0], "blockIdx.y"}};
    if (batches() == 0) return;
    const std::vector<LoopRef> outer(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(batches()));
    blocks_.emplace_back(outer.size() == 1 ? outer[0] : s_.loops(Fuse{outer})[0], "blockIdx.z");
  }

  /// Rows of B lie in shared memory by k, or by n.
  bool has_rows_of_n() const { return given_.product.transposed || turns_b_; }

  void copy_panels() {
    const Extent rows{rows_, [](const TensorTiles& t) { return t.rows(); }},
        columns{columns_, [](const TensorTiles& t) { return t.columns(); }},
        depth{panel_, [this](const TensorTiles&) { return panel_; }};
    const auto copy_deep_rows = [&](const std::string& name, const BlockRef& copy, const Extent& all,
                                    std::int64_t lanes, bool is_along_rows) {
      copy_panel(name, copy, all, depth, lanes, work_.run_of_depth(panel_, lanes, is_along_rows),
                 is_along_rows);
    };
    copy_deep_rows("a", a_, rows, work_.lanes_a, work_.is_a_along_rows);
    if (given_.product.transposed)
      copy_deep_rows("b", b_, columns, work_.lanes_b, work_.is_b_along_rows);
    else
      copy_panel("b", b_, depth, columns, work_.lanes_b, work_.run_b, false);
    if (turns_b_) s_.apply(TransformLayout{b_, {"write", 0}, layout_of(batches(), "k, n", "n, k")});
  }

  /// So many elements are moved at once: rows of memory are multiples of them.
  static std::int64_t lanes_of(std::int64_t row, DataType type) {
    std::int64_t lanes = MmaUnit::row_bytes / type.bytes();
    while (row % lanes != 0) lanes /= 2;
    return lanes;
  }

  /// A number that follows from the tiles.
  struct Extent {
    Number now;
    std::function<std::int64_t(const TensorTiles&)> at;
  };

  /// How often a part is in the whole: a number of its own, so that it is known of both what their product
  /// is.
  Number parts_of(const std::string& name, const Extent& whole, const Extent& part) {
    std::set<std::int64_t> counts;
    for (const TensorTiles& tiles : all_tensor_tiles(sizes_, unit_))
      if (whole.at(tiles) % part.at(tiles) == 0) counts.insert(whole.at(tiles) / part.at(tiles));
    const std::int64_t model = whole.at(model_) / part.at(model_);
    if (counts.size() == 1) return model;
    return d_.number(name, {counts.begin(), counts.end()}, model);
  }

  /// By all threads of the block together, each warp runs of some rows; in shared memory eight rows lie in
  /// different banks.
  void copy_panel(const std::string& name, const BlockRef& copy, const Extent& rows, const Extent& columns,
                  std::int64_t lanes, std::int64_t run, bool is_along_rows) {
    s_.apply(ComputeAt{copy, panel_loop_});
    const bool turns = turns_b_ && copy == b_;
    s_.apply(StorageAlign{copy, 0, -2, turns ? Number(panel_) : columns.now,
                          unit_.row_bytes / given_.product.left->type.bytes()});
    const auto loops = s_.get_loops(copy);
    const std::int64_t chunks = run / lanes, rows_of_warp = warp_ / chunks;
    const Extent at_once{d_.follows(value_of(warps_m_) * value_of(warps_n_) * make_int(rows_of_warp)),
                         [=](const TensorTiles& t) { return t.warps() * rows_of_warp; }};
    const auto down = s_.loops(
        Split{.loop = loops[loops.size() - 2],
              .factors = {parts_of("copies_" + name, rows, at_once), warps_m_, warps_n_, rows_of_warp},
              .disable_predication = true});
    const auto across = s_.loops(
        Split{.loop = loops[loops.size() - 1],
              .factors = {parts_of("runs_" + name, columns, {run, [=](const TensorTiles&) { return run; }}),
                          chunks, lanes},
              .disable_predication = true});
    // Side by side goes what lies so in memory.
    const std::vector<LoopRef> threads =
        is_along_rows ? std::vector{across[1], down[3]} : std::vector{down[3], across[1]};
    s_.apply(Reorder{{down[0], across[0], down[1], down[2], threads[0], threads[1], across[2]}});
    warp_rows_.push_back(down[1]), warp_columns_.push_back(down[2]);
    lanes_.push_back(s_.loops(Fuse{threads})[0]);
    if (lanes > 1) vectors_.push_back(across[2]);
  }

  /// Fragments lie one after the other, in memory and in what instructions work on.
  void begin_sums() {
    s_.apply(TransformLayout{
        sums_,
        {"write", 0},
        layout_of(batches(), "m, n",
                  fmt::format("m // {0}, n // {1}, m % {0}, n % {1}", unit_.rows, unit_.columns))});
    const BlockRef zero = s_.blocks(DecomposeReduction{sums_, panel_loop_})[0];
    const auto loops = s_.get_loops(zero);
    warp_rows_.push_back(loops[loops.size() - 6]);
    warp_columns_.push_back(loops[loops.size() - 5]);
    s_.apply(Tensorize{loops[loops.size() - 2], unit_.zero});
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
        IndexText(
            layout_of(batches(), "m, n", fmt::format("m // {0} // f, m // {0} % f, m % {0}, n", unit_.rows)),
            {{"f", frags_m_}})});
    s_.apply(StorageAlign{staged_, 0, -2, columns_, 8});
    const auto stored = s_.get_loops(staged_);
    const auto frags = s_.loops(Split{stored.back(), {frags_n_, unit_.columns}});
    s_.apply(Reorder{{frags[0], stored[stored.size() - 2], frags[1]}});
    s_.apply(Tensorize{stored[stored.size() - 2], store_});
    const std::int64_t lanes =
        lanes_of(factors_.result.run, path_to(s_.program(), result_)->block().body.as<Store>()->buffer->type);
    // Of each row as much as two fragments have.
    const std::int64_t chunks = unit_.columns_loaded / lanes, at_once = warp_ / chunks;
    const auto down = s_.loops(Split{m[2], {unit_.rows / at_once, at_once}});
    const auto across = s_.loops(Split{n[1], {pairs_n_, chunks, lanes}});
    s_.apply(Reorder{{across[0], down[0], down[1], across[1], across[2]}});
    lanes_.push_back(s_.loops(Fuse{{down[1], across[1]}})[0]);
    if (lanes > 1) vectors_.push_back(across[2]);
    warp_rows_.push_back(m[0]), warp_columns_.push_back(n[0]);
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
        layout_of(batches(), "m, k",
                  fmt::format("m // {0}, k // {1}, m % {0}, k % {1}", unit_.rows, unit_.depth))});
    s_.apply(TransformLayout{
        b,
        {"write", 0},
        layout_of(batches(), has_rows_of_n() ? "n, k" : "k, n",
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

  /// When all stands where it shall, from the inside out: each step after a loop is bound asks anew whether
  /// its iterations still have what is their own.
  void bind() {
    for (const LoopRef& loop : vectors_) s_.apply(Vectorize{loop});
    for (const LoopRef& loop : lanes_) s_.apply(Bind{loop, "threadIdx.x"});
    for (const LoopRef& loop : warp_columns_) s_.apply(Bind{loop, "threadIdx.y"});
    for (const LoopRef& loop : warp_rows_) s_.apply(Bind{loop, "threadIdx.z"});
    for (const auto& [loop, axis] : blocks_) s_.apply(Bind{loop, axis});
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

  Derivation& d_;
  Schedule& s_;
  const ImplicitProduct& factors_;  ///< plain matrices, too, of which nothing makes a copy yet
  const bool is_implicit_;
  const ConvertedProduct& given_;
  const ProductSizes& sizes_;
  const MmaUnit& unit_;
  const std::int64_t warp_;
  BlockRef sums_, a_, b_, staged_, result_;
  const bool turns_b_;  ///< its rows of k become rows of n on their way to shared memory
  const TensorWork work_;
  const TensorTiles model_;
  std::int64_t steps_ = 2, ahead_ = 2, panel_ = 32;
  Number warps_m_, warps_n_, frags_m_, pairs_n_, frags_n_, rows_, columns_;
  bool pads_m_ = false, pads_n_ = false, pads_k_ = false, is_direct_ = false;
  std::string store_;
  LoopRef block_, panel_loop_, step_loop_;
  std::vector<LoopRef> warp_rows_, warp_columns_, lanes_, vectors_;  ///< what becomes threads and their lanes
  std::vector<std::pair<LoopRef, std::string>> blocks_;
};

struct OnUnit {
  ImplicitProduct product;
  bool is_implicit = false;
  MmaUnit unit;
};

std::optional<OnUnit> tensor_product_of(const Derivation& d, const BlockRef& stage) {
  ImplicitProduct product;
  const ImplicitProduct* left = d.left<ImplicitProduct>(stage);
  if (left != nullptr) {
    product = *left;
  } else {
    auto found = product_of_stage(d.steps().program(), stage);
    if (!found) return std::nullopt;
    product.product = *std::move(found);
    const ProductSizes& sizes = product.product.product.sizes;
    product.left_source.run = sizes.k;
    product.right_source.run = product.product.product.transposed ? sizes.k : sizes.n;
    product.result.run = sizes.n;
  }
  if (d.is_finished(product.product.sums)) return std::nullopt;
  // A tile of which more is padding than not is quicker elsewhere.
  const ProductSizes& sizes = product.product.product.sizes;
  if (sizes.m < MmaUnit::rows || sizes.n < MmaUnit::columns_loaded) return std::nullopt;
  const auto unit = mma_unit(product.product.product, d.target());
  if (!unit) return std::nullopt;
  return OnUnit{std::move(product), left != nullptr, *unit};
}

}  // namespace

void take_tensor_product(Derivation& d, const BlockRef& stage) {
  const OnUnit found = *tensor_product_of(d, stage);
  TensorSteps(d, found.product, found.is_implicit, found.unit).run();
}

Rule tensor_product() {
  return {
      .name = "tensor cores",
      .doc = "a product of matrices on a GPU's tensor instructions: tiles of warps, panels in shared memory",
      .applies = [](const Derivation& d,
                    const BlockRef& stage) { return tensor_product_of(d, stage).has_value(); },
      .apply = take_tensor_product};
}

}  // namespace ardea::rules
