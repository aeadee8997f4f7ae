#include "ardea/rules/cpu/streamed_product.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/analysis/matrix_product.h"
#include "ardea/rules/analysis/stage.h"
#include "ardea/rules/cpu/lane_sums.h"
#include "ardea/rules/model/candidates.h"
#include "ardea/rules/model/threads.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Rows of the right operand that are added at once: so many streams out of memory, and so rarely sums are
/// loaded and stored.
constexpr std::int64_t rows_added_at_once = 8;
/// Beyond, packed panels are worth their time; sooner where they are made ahead (8,2048,1000 by panels 0.48
/// ms on a Sapphire Rapids, 1.1 ms streamed; 4,2048,1000 0.48 and 0.38).
constexpr std::int64_t few_rows = 8, few_rows_ahead = 4;

std::int64_t lanes_of_sums(const MatrixProduct& product, const target::Target& target) {
  return target.vector_bits / product.out->type.bits;
}

/// A product whose sums are what it gives: those of narrow numbers that are stored narrow again are for
/// instructions that multiply them.
std::optional<MatrixProduct> product_to_stream(const Derivation& d, const BlockRef& stage) {
  const target::Target& target = d.target();
  if (target.kind != target::Kind::cpu || target.vector_bits < 128 || target.cache(1) == nullptr)
    return std::nullopt;
  auto product = matrix_product(d.steps().program(), stage);
  if (!product || product->batches > 0 || !is_summed(product->out->type)) return std::nullopt;
  const bool is_narrow = product->left->type != product->out->type;
  if (is_narrow && !is_parameter(d.steps().program(), product->out)) return std::nullopt;
  return product;
}

bool is_dot_products(const Derivation& d, const BlockRef& stage) {
  if (d.wishes().weights_ahead) return false;  // its operands stay as they lie
  const auto product = product_to_stream(d, stage);
  return product && (product->sizes.n == 1 || (product->transposed && product->sizes.m <= few_rows));
}

bool is_streamed(const Derivation& d, const BlockRef& stage) {
  const auto product = product_to_stream(d, stage);
  if (!product) return false;
  const bool is_ahead = d.wishes().weights_ahead;
  if (is_ahead && product->right->type != product->out->type)
    return false;  // instructions have panels for it
  // A copy that is made ahead has its rows the other way.
  return (is_ahead || !product->transposed) && product->sizes.m <= (is_ahead ? few_rows_ahead : few_rows) &&
         product->sizes.n >= lanes_of_sums(*product, d.target());
}

class StreamSteps {
 public:
  StreamSteps(Derivation& d, const BlockRef& block, const MatrixProduct& product)
      : d_(d),
        s_(d.steps()),
        product_(product),
        block_(block),
        name_(path_to(s_.program(), block)->block().name),
        lanes_(lanes_of_sums(product, d.target())),
        uses_threads_(worth_threads(bytes_around(s_.program(), {block}), d.target())) {}

  void stream() {
    const auto& [m, n, k] = product_.sizes;
    const Number vectors =
        d_.number(name_ + "_vectors", group_sizes(ceil_div(n, lanes_)), columns_at_once() / lanes_);
    const Number added = d_.number(name_ + "_steps", {1, 2, 4, 8, 16}, rows_added_at_once);
    if (d_.packs_weights_ahead()) pack_ahead(vectors);
    const auto loops = s_.get_loops(block_);
    const auto j = s_.loops(Split{loops[1], {std::nullopt, vectors, lanes_}});
    const auto kk = s_.loops(Split{loops[2], {std::nullopt, added}});
    s_.apply(Reorder{{j[0], kk[0], j[1], loops[0], kk[1], j[2]}});
    s_.apply(Unroll{loops[0]});
    s_.apply(Unroll{kk[1]});
    s_.apply(Vectorize{j[2]});
    s_.apply(DecomposeReduction{block_, kk[0]});
    if (uses_threads_) s_.apply(Parallel{j[0]});
    d_.finish(block_);
  }

  void dots() {
    const auto& [m, n, k] = product_.sizes;
    // The rows that are many come one tile after the other, and meet all of the others.
    const bool many_rows = n == 1;
    const Rows rows{.rows = many_rows ? m : n, .others = many_rows ? n : m, .extent = k};
    const int bits = product_.out->type.bits;
    const LaneSum model = lane_sum_for(rows, bits, d_.target());
    const LaneSum sum = choose_lane_sum(d_, name_, rows, model, bits);
    const Number at_once =
        d_.number(name_ + "_rows", tile_sizes(rows.rows, d_.target().vector_registers), sum.rows);
    const auto loops = s_.get_loops(block_);
    const auto tiles = s_.loops(Split{loops[many_rows ? 0 : 1], {std::nullopt, at_once}});
    s_.apply(Reorder{{tiles[0], loops[many_rows ? 1 : 0], tiles[1]}});
    reduce_in_lanes(s_, block_, 1, sum);
    if (uses_threads_) s_.apply(Parallel{tiles[0]});
    d_.finish(block_);
  }

 private:
  /// Rows of so many columns, one behind the other as they are added: several streams still, where one panel
  /// of a tile's width would be a single one (1×4096×4096 took 1.5 times as long by that on a Sapphire
  /// Rapids).
  void pack_ahead(const Number& vectors) {
    const IndexText in_vectors{
        fmt::format("lambda {0}: (j // {1}, k, j % {1})", product_.transposed ? "j, k" : "k, j", lanes_), {}};
    const BlockRef copy = s_.blocks(TransformLayout{block_, product_.right->name, in_vectors, 0.0})[0];
    const std::string& packed = path_to(s_.program(), copy)->block().writes->at(0).buffer->name;
    s_.apply(TransformLayout{block_, packed,
                             IndexText("lambda j, k, l: (j // v, k, j % v, l)", {{"v", vectors}})});
    const std::vector<LoopRef> loops = s_.get_loops(copy);
    s_.apply(Vectorize{loops.back()});
    if (uses_threads_) s_.apply(Parallel{loops[0]});
  }

  /// Columns of sums of which all rows stay in the nearest cache, beside what streams through it.
  std::int64_t columns_at_once() const {
    const target::Target& target = d_.target();
    std::int64_t columns = product_.sizes.n;
    if (uses_threads_) columns = ceil_div(columns, target.cores);
    const std::int64_t row_bytes = product_.sizes.m * product_.out->type.bytes();
    const std::int64_t fitting = target.cache(1)->bytes / 2 / row_bytes / lanes_ * lanes_;
    return std::max(lanes_, std::min(fitting, round_up(columns, lanes_)));
  }

  Derivation& d_;
  Schedule& s_;
  const MatrixProduct& product_;
  BlockRef block_;
  std::string name_;
  std::int64_t lanes_;
  bool uses_threads_;
};

}  // namespace

Rule dot_products() {
  return {.name = "dot products",
          .doc = "few rows along k: dot products in vectors of partial results",
          .applies = is_dot_products,
          .apply = [](Derivation& d, const BlockRef& stage) {
            const MatrixProduct product = *matrix_product(d.steps().program(), stage);
            StreamSteps(d, stage, product).dots();
          }};
}

Rule streamed_product() {
  return {.name = "streamed product",
          .doc = "few rows: the rows of B as they come out of memory, added to C in the nearest cache",
          .applies = is_streamed,
          .apply = [](Derivation& d, const BlockRef& stage) {
            const MatrixProduct product = *matrix_product(d.steps().program(), stage);
            StreamSteps(d, stage, product).stream();
          }};
}

}  // namespace ardea::rules
