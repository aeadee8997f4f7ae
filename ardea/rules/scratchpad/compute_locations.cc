#include <fmt/core.h>

#include "ardea/rules/scratchpad/plan.h"
#include "ardea/rules/scratchpad/rules.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

struct Place {
  LoopRef loop;
  std::string name;
};

/// Where an operand can be brought, outermost first; loops of one round make no place of their own.
std::vector<Place> places_for(const TiledLoops& loops, bool is_shared_by_threads) {
  std::vector<Place> places;
  if (loops.last_row && loops.column_tiles > 1) places.push_back({*loops.last_row, "rows"});
  if (loops.depth_tiles > 1) places.push_back({loops.columns, "columns"});
  if (loops.thread && !is_shared_by_threads)
    places.push_back({*loops.thread, "threads"});
  else
    places.push_back({loops.depth, "depth"});
  return places;
}

/// From the unit outwards, no copy inside of the next: each is a way of its own. The model brings them for
/// each step along the depth.
void place_copies(Derivation& d, const std::vector<TileCopy>& copies, std::vector<Place> places) {
  for (std::size_t level = copies.size(); level-- > 0;) {
    std::vector<std::string> answers;
    for (const Place& place : places) answers.push_back(place.name);
    const std::size_t taken = places.size() == 1 ? 0
                                                 : d.way(fmt::format("{} filled in", copies[level].scope),
                                                         answers, places.size() - 1);
    d.steps().apply(ComputeAt{copies[level].block, places[taken].loop, true});
    places.resize(taken + 1);
  }
}

}  // namespace

Rule compute_locations() {
  return {
      .name = "compute locations",
      .doc = "in which loop the copies to scratchpads are made",
      .applies = [](const Derivation& d,
                    const BlockRef& stage) { return d.left<TiledLoops>(stage) != nullptr; },
      .apply =
          [](Derivation& d, const BlockRef& stage) {
            const ScratchpadPlan& plan = *d.left<ScratchpadPlan>(stage);
            const TiledLoops& loops = *d.left<TiledLoops>(stage);
            d.steps().apply(ReverseComputeAt{d.left<StoredSums>(stage)->store.block, loops.columns, true});
            // Windows of neighbouring rows share elements: no thread can have them for itself.
            const Var row = plan.product.stage.iterators[d.left<ThreadPlan>(stage)->iterator];
            const bool has_own_rows =
                loops.sharing == Sharing::rows && plain_dimension(plan.product.left.indices, row).has_value();
            place_copies(d, plan.left, places_for(loops, !has_own_rows));
            place_copies(d, plan.right, places_for(loops, loops.sharing == Sharing::rows));
          }};
}

}  // namespace ardea::rules
