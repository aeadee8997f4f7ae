#include "ardea/rules/gpu/warp_product.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "ardea/ir/first_cache.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/rules/gpu/box_source.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/set_type.h"
#include "ardea/schedule/primitives/memory/storage_align.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

WarpProduct::WarpProduct(Derivation& d, const OpenProduct& given, const MmaUnit& unit)
    : BlockProduct(d, given),
      unit_(unit),
      turns_b_(!given_.product.transposed && unit.load_b.empty()),
      work_(work(given)) {}

TensorWork WarpProduct::work(const OpenProduct& given) const {
  TensorWork work{.sizes = sizes_, .batches = batch_count(), .factors = given_.product.left->type};
  work.a =
      copy_of_deep_rows(factors_.left_source, copied_lanes(factors_.left_source.run, work.factors), warp_);
  const std::int64_t lanes_b = turns_b_ ? 1 : copied_lanes(factors_.right_source.run, work.factors);
  work.b = given_.product.transposed ? copy_of_deep_rows(factors_.right_source, lanes_b, warp_)
                                     : copy_of_columns(sizes_.n, lanes_b, warp_);
  work.b.turns = turns_b_;
  work.a.of_unit = unit_source(d_, given, /*is_left=*/true);
  if (!turns_b_) work.b.of_unit = unit_source(d_, given, /*is_left=*/false);
  // Where its window begins, and whether it is a row at all.
  if (is_implicit_)
    work.a.kept_numbers =
        std::max<std::int64_t>(1, factors_.left_source.window_axes + (may_pad_rows() ? 1 : 0));
  work.has_windows = factors_.left_source.window_axes > 0;
  return work;
}

bool WarpProduct::may_pad_rows() const {
  const auto tiles = all_tensor_tiles(sizes_, unit_);
  return std::any_of(tiles.begin(), tiles.end(),
                     [&](const TensorTiles& one) { return sizes_.m % one.block(unit_).rows != 0; });
}

void WarpProduct::make_stages(bool may_be_direct) {
  const auto type = type_of_converted();
  is_direct_ = may_be_direct && type && !pads_m_ && !pads_n_ && !is_implicit_ &&
               leaves_fragments_in_pairs() && !d_.whether("results go through shared memory", true);
  copy_factors();
  take_sums_from(is_direct_ ? "mma.c" : "shared");
  store_ = unit_.store_as(type.value_or(unit_.sums));
  if (is_direct_) return;
  // By rows and columns, whatever the result's indices are.
  staged_ = s_.blocks(CacheWrite{sums_, 0, "mma.c"})[0];
  if (type && *type != unit_.sums) s_.apply(SetType{staged_, 0, to_string(*type)});
}

/// That sums have in the result, where nothing else is done with them and an instruction converts them on
/// their way out of fragments.
std::optional<DataType> WarpProduct::type_of_converted() const {
  if (computes_results()) return std::nullopt;
  const BlockRef& last = given_.converter ? *given_.converter : given_.sums;
  const auto* store = path_to(s_.program(), last)->block().body.as<Store>();
  if (store == nullptr) return std::nullopt;  // only some results are stored
  const DataType type = store->buffer->type;
  return unit_.store_as(type).empty() ? std::nullopt : std::optional(type);
}

/// Two elements at once, to the result itself.
bool WarpProduct::leaves_fragments_in_pairs() const {
  const Function& program = s_.program();
  const BlockRef& last = given_.converter ? *given_.converter : given_.sums;
  const Buffer out = path_to(program, last)->block().body.as<Store>()->buffer;
  return sizes_.n % 2 == 0 && memory_alignments(program).at(out->data) % (2 * out->type.bytes()) == 0;
}

void WarpProduct::keep_windows(bool model) {
  if (work_.has_windows && !d_.target().gpu->copy_engines.empty())
    s_.apply(Annotate{a_, first_cache_key, Convert<Number>::to(d_.number("kept_a", {0, 1}, model ? 1 : 0))});
}

Expr WarpProduct::kept(const Number& accesses, const PanelCopy& copy) {
  return make_select(value_of(accesses) < make_int(least_left_in_loop),
                     value_of(accesses) * make_int(copy.kept_numbers), make_int(0));
}

void WarpProduct::place_results(RowsOfWarps rows) {
  const auto loops = s_.get_loops(result_);
  const LoopRef &row = loops[loops.size() - 2], &column = loops[loops.size() - 1];
  const bool in_turn = rows == RowsOfWarps::in_turn;
  std::vector<std::optional<Number>> down = {warps_m_, frags_m_, unit_.rows};
  if (in_turn) std::swap(down[0], down[1]);
  auto m = s_.loops(Split{.loop = row, .factors = down, .disable_predication = !pads_m_});
  if (in_turn) std::swap(m[0], m[1]);
  if (is_direct_) {
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
  const std::string fragment = fmt::format("m // {}", unit_.rows);
  const std::string warp_first =
      in_turn ? fmt::format("{0} % c, {0} // c", fragment) : fmt::format("{0} // c, {0} % c", fragment);
  s_.apply(TransformLayout{staged_,
                           {"write", 0},
                           IndexText(layout("m, n", fmt::format("{}, m % {}, n", warp_first, unit_.rows)),
                                     {{"c", in_turn ? warps_m_ : frags_m_}})});
  s_.apply(StorageAlign{staged_, 0, -2, columns_, 8});
  const auto stored = s_.get_loops(staged_);
  const auto frags = s_.loops(Split{stored.back(), {frags_n_, unit_.columns}});
  s_.apply(Reorder{{frags[0], stored[stored.size() - 2], frags[1]}});
  s_.apply(Tensorize{stored[stored.size() - 2], store_});
  if (is_implicit_ && !factors_.result.has_even_rows)
    store_by_pairs(m[2], n[1]);
  else
    store_in_order(m[2], n[1]);
  warp_rows_.push_back(m[0]), warp_columns_.push_back(n[0]);
}

/// That a thread stores at once.
std::int64_t WarpProduct::stored_lanes() const {
  return copied_lanes(factors_.result.run, only_store(path_to(s_.program(), result_)->block())->buffer->type);
}

/// A warp's threads store neighbouring vectors of its rows, one row after the other.
void WarpProduct::store_in_order(const LoopRef& rows, const LoopRef& columns) {
  const std::int64_t lanes = stored_lanes(), chunks = unit_.columns_loaded / lanes;
  const Number vectors = d_.follows(value_of(pairs_n_) * make_int(chunks)),
               rounds = d_.follows(value_of(pairs_n_) * make_int(unit_.rows * chunks / warp_));
  const auto across = s_.loops(Split{columns, {vectors, lanes}});
  const LoopRef all = s_.loops(Fuse{{rows, across[0]}})[0];
  lanes_.push_back(s_.loops(Split{all, {rounds, warp_}})[1]);
  if (lanes > 1) vectors_.push_back(across[1]);
}

/// Of each row as much as two fragments have at a time, so that a thread's rows stay the same: where they
/// begin are quotients and remainders of several sizes.
void WarpProduct::store_by_pairs(const LoopRef& rows, const LoopRef& columns) {
  const std::int64_t lanes = stored_lanes(), chunks = unit_.columns_loaded / lanes, at_once = warp_ / chunks;
  const auto down = s_.loops(Split{rows, {unit_.rows / at_once, at_once}});
  const auto across = s_.loops(Split{columns, {pairs_n_, chunks, lanes}});
  s_.apply(Reorder{{across[0], down[0], down[1], across[1], across[2]}});
  lanes_.push_back(s_.loops(Fuse{{down[1], across[1]}})[0]);
  if (lanes > 1) vectors_.push_back(across[2]);
}

}  // namespace ardea::rules
