#include "ardea/rules/gpu/transposition.h"

#include <algorithm>

#include "ardea/ir/substitute.h"
#include "ardea/rules/analysis/crossing_axis.h"
#include "ardea/rules/analysis/stage.h"
#include "ardea/rules/model/block_threads.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/storage_align.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Axes that are shorter are not worth tiles: what is read or written of them is a line or less.
constexpr std::int64_t shortest_axis = 16;
/// Bytes of the rows of a tile by the model: two lines of memory, so that a warp has whole ones on both
/// sides.
constexpr std::int64_t row_bytes = 256;

class TileThreads {
 public:
  TileThreads(Derivation& d, const Stage& stage, const CrossingAxis& crossing)
      : d_(d),
        s_(d.steps()),
        stage_(stage),
        axis_(crossing.axis),
        load_(stage.loads[crossing.load]),
        name_(path_to(s_.program(), stage.block)->block().name) {}

  void run() {
    const std::int64_t bytes = std::max<std::int64_t>(1, load_.buffer->type.bytes());
    const std::int64_t model = std::clamp<std::int64_t>(row_bytes / bytes, 32, 64);
    side_ = choose_side(model);
    const std::int64_t wide = model / std::min(lanes_of_tile(), lanes_of_result());
    const std::int64_t high = std::max<std::int64_t>(1, usual_block_threads(d_.target()) / wide);
    rows_ = d_.number(name_ + "_rows", {4, 8, 16, 32}, std::min(high, model));
    const LoopRef block = make_tiles();
    const BlockRef copy = copy_tile(block);
    const std::vector<LoopRef> loops = s_.get_loops(stage_.block);
    spread(loops[loops.size() - 2], loops.back(), lanes_of_result());
    d_.finish(stage_.block);
    d_.finish(copy);
  }

 private:
  /// What of a tile hangs over the array depends on how long it is: each length is a way of its own.
  std::int64_t choose_side(std::int64_t model) {
    const std::vector<std::int64_t> sides = {16, 32, 64};
    const auto at = std::find(sides.begin(), sides.end(), model) - sides.begin();
    return sides[d_.way(name_ + " in tiles of", {"16", "32", "64"}, static_cast<std::size_t>(at))];
  }

  /// Of one access along the axis, whose rows begin at whole ones.
  std::int64_t lanes_along(std::size_t axis, DataType type) const {
    std::int64_t lanes = access_lanes(type.bits, d_.target());
    while (!stage_.is_known(axis) ? lanes > 1 : stage_.extents[axis] % lanes != 0) lanes /= 2;
    return lanes;
  }

  std::int64_t lanes_of_tile() const { return lanes_along(axis_, load_.buffer->type); }
  std::int64_t lanes_of_result() const { return lanes_along(stage_.extents.size() - 1, stage_.out->type); }

  /// The loop over all tiles, bound to blocks.
  LoopRef make_tiles() {
    const std::vector<LoopRef> loops = s_.get_loops(stage_.block);
    const auto rows = s_.loops(Split{loops[axis_], {std::nullopt, side_}});
    const auto columns = s_.loops(Split{loops.back(), {std::nullopt, side_}});
    std::vector<LoopRef> order;
    for (std::size_t i = 0; i + 1 < loops.size(); ++i)
      if (i != axis_) order.push_back(loops[i]);
    order.insert(order.end(), {rows[0], columns[0]});
    const std::vector<LoopRef> outer = order;
    order.insert(order.end(), {rows[1], columns[1]});
    s_.apply(Reorder{order});
    const LoopRef block = s_.loops(Fuse{outer})[0];
    s_.apply(Bind{block, "blockIdx.x"});
    return block;
  }

  /// The tile as it lies in memory, its rows one bank further apart than they are long: so that a column of
  /// it is in other banks.
  BlockRef copy_tile(const LoopRef& block) {
    const auto& reads = *path_to(s_.program(), stage_.block)->block().reads;
    const auto place = std::find_if(reads.begin(), reads.end(), [&](const BufferRegion& region) {
      return region.buffer == load_.buffer;
    });
    const BlockRef copy =
        s_.blocks(CacheRead{stage_.block, place - reads.begin(), "shared", {stage_.block}})[0];
    s_.apply(ComputeAt{copy, block, /*preserve_unit_loops=*/true});
    const auto crossed = std::find_if(load_.indices.begin(), load_.indices.end(), [&](const Expr& index) {
      return uses(index, stage_.iterators.back());
    });
    const auto dimension = crossed - load_.indices.begin();
    const target::Gpu& gpu = *d_.target().gpu;
    const std::int64_t bytes = std::max<std::int64_t>(1, load_.buffer->type.bytes());
    const std::int64_t bank = std::max<std::int64_t>(1, gpu.shared_bank_bytes / bytes);
    s_.apply(StorageAlign{copy, 0, dimension, gpu.shared_banks * bank, bank});
    const std::vector<LoopRef> loops = s_.get_loops(copy);
    const std::size_t first = loops.size() - load_.indices.size();
    spread(loops[first + static_cast<std::size_t>(dimension)], loops.back(), lanes_of_tile());
    return copy;
  }

  /// Threads along the rows and columns of a tile, vectors along its rows.
  void spread(const LoopRef& down, const LoopRef& along, std::int64_t lanes) {
    const auto rows = s_.loops(Split{down, {std::nullopt, rows_}});
    const auto vectors = s_.loops(Split{along, {std::nullopt, lanes}});
    s_.apply(Reorder{{rows[1], vectors[0], rows[0], vectors[1]}});
    s_.apply(Bind{rows[1], "threadIdx.y"});
    s_.apply(Bind{vectors[0], "threadIdx.x"});
    s_.apply(Unroll{rows[0]});
    s_.apply(Vectorize{vectors[1]});
  }

  Derivation& d_;
  Schedule& s_;
  const Stage& stage_;
  std::size_t axis_;
  const Load& load_;
  std::string name_;
  std::int64_t side_ = 1;
  Number rows_;
};

struct CrossingStage {
  Stage stage;
  CrossingAxis crossing;
};

/// A stage whose rows and those of what it reads are long enough, and which reads one element of that.
std::optional<CrossingStage> crossing_stage_for_threads(const Derivation& d, const BlockRef& block) {
  if (!d.target().gpu) return std::nullopt;
  const auto stage = plain_stage(d.steps().program(), block, Lengths::any);
  if (!stage || stage->reduces() || !are_plain(stage->indices, stage->iterators)) return std::nullopt;
  const auto crossing = crossing_axis(*stage);
  if (!crossing || std::min(stage->extents.back(), stage->extents[crossing->axis]) < shortest_axis)
    return std::nullopt;
  const Load& load = stage->loads[crossing->load];
  const auto is_it = [&](const Load& other) { return other.buffer == load.buffer; };
  const auto crosses = [&](const Expr& index) { return uses(index, stage->iterators.back()); };
  const bool is_one = std::count_if(stage->loads.begin(), stage->loads.end(), is_it) == 1 &&
                      std::count_if(load.indices.begin(), load.indices.end(), crosses) == 1 &&
                      std::find_if(load.indices.begin(), load.indices.end(), crosses)->is<VarNode>();
  return is_one ? std::optional(CrossingStage{*stage, *crossing}) : std::nullopt;
}

}  // namespace

Rule transposition_by_threads() {
  return {.name = "transposition by threads",
          .doc = "read along one axis and written along another: in tiles of both through shared memory",
          .applies = [](const Derivation& d,
                        const BlockRef& block) { return crossing_stage_for_threads(d, block).has_value(); },
          .apply =
              [](Derivation& d, const BlockRef& block) {
                const CrossingStage found = *crossing_stage_for_threads(d, block);
                TileThreads(d, found.stage, found.crossing).run();
              }};
}

}  // namespace ardea::rules
