#include "ardea/rules/exact_cut.h"
#include "ardea/rules/scratchpad/plan.h"
#include "ardea/rules/scratchpad/rules.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// The largest parts that fit, grown in turn: rows, columns and depth are used as often as the others are
/// long.
TileCounts parts_by_model(const ScratchpadPlan& plan, const ThreadPlan& threads,
                          const target::Target& target) {
  const UnitProduct& product = plan.product;
  TileCounts counts(product.stage.iterators.size(), 1);
  for (const std::size_t tap : product.taps()) counts[tap] = product.stage.extents[tap];
  std::vector<std::size_t> axes = {product.column, product.depth};
  for (const std::size_t row : product.rows()) axes.push_back(row);
  for (bool grows = true; grows;) {
    grows = false;
    for (const std::size_t axis : axes) {
      std::int64_t tiles = tiles_of(product, plan.unit, axis);
      if (threads.sharing != Sharing::none && axis == threads.iterator) tiles /= 2;
      for (const std::int64_t more : divisors_of(std::max<std::int64_t>(tiles, 1))) {
        if (more <= counts[axis]) continue;
        TileCounts larger = counts;
        larger[axis] = more;
        if (fits(product, plan.unit, larger, target)) {
          counts = larger;
          grows = true;
        }
        break;
      }
    }
  }
  return counts;
}

class TilingSteps {
 public:
  TilingSteps(Derivation& d, const ScratchpadPlan& plan, const ThreadPlan& threads)
      : d_(d), s_(d.steps()), plan_(plan), product_(plan.product), threads_(threads) {}

  TiledLoops run() {
    const TileCounts model = parts_by_model(plan_, threads_, d_.target());
    const std::vector<LoopRef> loops = s_.get_loops(product_.sums);
    std::vector<LoopRef> outer, inner;
    TiledLoops tiled;
    tiled.sharing = threads_.sharing;
    for (const std::size_t row : product_.rows()) {
      const Parts parts = cut(loops[row], row, model[row]);
      outer.push_back(parts.outer);
      tiled.last_row = parts.outer;
      inner.push_back(parts.inner);
    }
    const Parts columns = cut(loops[product_.column], product_.column, model[product_.column]);
    outer.push_back(columns.outer);
    inner.push_back(columns.inner);
    for (const std::size_t tap : product_.taps()) inner.push_back(loops[tap]);
    const Parts depth = cut(loops[product_.depth], product_.depth, model[product_.depth]);
    outer.push_back(depth.outer);
    inner.push_back(depth.inner);
    if (thread_) outer.push_back(*thread_);
    std::vector<LoopRef> order = outer;
    order.insert(order.end(), inner.begin(), inner.end());
    order.insert(order.end(), tile_.begin(), tile_.end());
    s_.apply(Reorder{order});
    if (thread_) s_.apply(Bind{*thread_, "vthread"});
    tiled.columns = columns.outer;
    tiled.depth = depth.outer;
    tiled.thread = thread_;
    tiled.tile = tile_;
    tiled.column_tiles = tiles_of(product_, plan_.unit, product_.column);
    tiled.depth_tiles = tiles_of(product_, plan_.unit, product_.depth);
    return tiled;
  }

 private:
  struct Parts {
    LoopRef outer, inner;
  };

  /// A loop over parts, one over the tiles of a part, and what the unit takes; where threads share it, one
  /// over these between.
  Parts cut(LoopRef loop, std::size_t iterator, std::int64_t model) {
    const std::int64_t tiles = tiles_of(product_, plan_.unit, iterator);
    const std::string name = loop.var.name() + "_tiles";
    if (const std::int64_t taken = product_.taken(plan_.unit, iterator); taken > 1) {
      const auto in_unit = s_.loops(Split{loop, {std::nullopt, taken}});
      loop = in_unit[0];
      tile_.push_back(in_unit[1]);
    }
    if (threads_.sharing == Sharing::none || iterator != threads_.iterator) {
      const auto parts = d_.tile(name, loop, tiles, {tiles / model, model});
      const auto cut = s_.loops(Split{loop, {parts[0], parts[1]}});
      return {cut[0], cut[1]};
    }
    std::int64_t threads = 2;
    while (tiles % threads != 0) ++threads;
    model = largest_divisor(tiles / threads, model);
    const auto parts = d_.tile(name, loop, tiles, {tiles / threads / model, threads, model});
    d_.keep_to(value_of(parts[1]) >= make_int(2), "threads",
               "one virtual thread is a program of the sketch without them");
    const auto cut = s_.loops(Split{loop, {parts[0], parts[1], parts[2]}});
    thread_ = cut[1];
    return {cut[0], cut[2]};
  }

  Derivation& d_;
  Schedule& s_;
  const ScratchpadPlan& plan_;
  const UnitProduct& product_;
  const ThreadPlan& threads_;
  std::optional<LoopRef> thread_;
  std::vector<LoopRef> tile_;
};

}  // namespace

Rule multi_level_tiling() {
  return {
      .name = "multi-level tiling",
      .doc = "loops over parts that the memories hold, over tiles of a part, and inside what the unit takes",
      .applies = [](const Derivation& d,
                    const BlockRef& stage) { return d.left<ThreadPlan>(stage) != nullptr; },
      .apply =
          [](Derivation& d, const BlockRef& stage) {
            const ScratchpadPlan plan = *d.left<ScratchpadPlan>(stage);
            const ThreadPlan threads = *d.left<ThreadPlan>(stage);
            d.leave(stage, TilingSteps(d, plan, threads).run());
          }};
}

}  // namespace ardea::rules
