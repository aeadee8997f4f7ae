#include "ardea/rules/gpu/results.h"

#include <algorithm>

#include "ardea/rules/analysis/producers.h"
#include "ardea/rules/gpu/reduction.h"
#include "ardea/rules/model/block_threads.h"
#include "ardea/schedule/primitives/loops/add_unit_loop.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/set_scope.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/reduce/rfactor.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// A result of fewer is soon made by one thread.
constexpr std::int64_t least_shared_steps = 64;

/// Parts that very long reductions have for each core, and what each takes at least: a launch more costs as
/// much as some thousand steps.
constexpr std::int64_t parts_for_each_core = 2;
constexpr std::int64_t least_steps_of_part = 256;

class ResultThreads {
 public:
  ResultThreads(Derivation& d, const Reduction& found)
      : d_(d), s_(d.steps()), found_(found), name_(path_to(s_.program(), found.sum.block)->block().name) {}

  void run() {
    place_sources();
    if (sums_parts()) {
      sum_parts();
    } else if (shares_reduction()) {
      share_reduction();
      return;
    }
    const BlockRef last =
        found_.last ? found_.last->block : s_.blocks(CacheWrite{found_.sum.block, 0, "local"})[0];
    if (found_.last) s_.apply(SetScope{found_.sum.block, 0, "local"});
    const LoopRef thread = use_threads(last);
    s_.apply(ComputeAt{found_.sum.block, thread, /*preserve_unit_loops=*/true});
    d_.finish(found_.sum.block);
    d_.finish(last);
  }

 private:
  /// What makes operands element by element is computed where it is read, or before; by the model where that
  /// is not computed again and again.
  void place_sources() {
    for (const Load& load : found_.sum.loads) {
      const auto maker = elementwise_producer(s_.program(), found_.sum.block, load.buffer);
      if (!maker || d_.is_finished(*maker)) continue;
      if (d_.whether(load.buffer->name + " made where it is read", !computes_functions(s_.program(), *maker)))
        s_.apply(ComputeInline{*maker});
    }
  }

  bool knows_steps() const {
    const Stage& sum = found_.sum;
    for (std::size_t i = sum.spatial; i < sum.extents.size(); ++i)
      if (!sum.is_known(i)) return false;
    return true;
  }

  // --- results of very many steps ---

  /// Parts of all steps that are summed apart, where there are fewer groups of results than cores: as many as
  /// divide them.
  std::int64_t parts_of_steps() const {
    const std::int64_t groups = ceil_div(found_.sum.elements(), d_.target().gpu->warp_threads);
    const std::int64_t steps = found_.sum.steps();
    std::int64_t parts =
        std::min(ceil_div(parts_for_each_core * d_.target().cores, groups), steps / least_steps_of_part);
    while (parts > 1 && steps % parts != 0) --parts;
    return parts;
  }

  bool sums_parts() {
    return knows_steps() && parts_of_steps() > 1 && d_.whether(name_ + " summed in parts", true);
  }

  /// for i, r: S[i] op= t   ⇒   for part, i, r_1: P[part, i] op= t, in a launch of its own;  for i, part:
  /// S[i] op= P
  void sum_parts() {
    const BlockRef sum = found_.sum.block;
    std::vector<LoopRef> results = s_.get_loops(sum);
    const LoopRef steps =
        s_.loops(Fuse{take_last(results, found_.sum.extents.size() - found_.sum.spatial)})[0];
    const auto parts = s_.loops(Split{steps, {parts_of_steps(), std::nullopt}});
    const BlockRef partial = s_.blocks(RFactor{parts[0], 0})[0];
    results.insert(results.begin(), parts[0]);
    if (results.size() > 1) s_.apply(Reorder{results});
    // Alone, a result's steps lie side by side; else results do.
    const std::int64_t warp = d_.target().gpu->warp_threads;
    const std::int64_t across = found_.sum.spatial == 0 ? 1 : warp;
    bind_results(results, across);
    bind_steps(partial, 1, usual_block_threads(d_.target()) / across);
    d_.finish(partial);
  }

  // --- results of many steps ---

  /// Few results: several threads make one, where threads can combine their parts.
  bool shares_reduction() {
    const Stage& sum = found_.sum;
    if (!knows_steps() || sum.spatial == 0 || sum.steps() < least_shared_steps) return false;
    const bool are_few = sum.elements() < std::int64_t{d_.target().cores} * usual_block_threads(d_.target());
    return d_.whether(name_ + " results by several threads", are_few);
  }

  /// for i, r: S[i] op= t   ⇒   neighbouring results along threadIdx.x, the steps of one along threadIdx.y
  void share_reduction() {
    const BlockRef sum = found_.sum.block, last = found_.last ? found_.last->block : sum;
    const std::int64_t warp = d_.target().gpu->warp_threads;
    const Number across = d_.number(name_ + "_results", {warp / 4, warp / 2, warp}, warp);
    const Number together =
        d_.number(name_ + "_threads", {4, 8, 16, 32}, usual_block_threads(d_.target()) / warp);
    std::vector<LoopRef> loops = s_.get_loops(last);
    loops.resize(found_.sum.spatial);
    const LoopRef thread = bind_results(loops, across);
    if (found_.last) {
      s_.apply(Bind{s_.loops(AddUnitLoop{last})[0], "threadIdx.y"});
      s_.apply(ComputeAt{sum, thread, /*preserve_unit_loops=*/true});
      s_.apply(SetScope{sum, 0, "shared"});
    }
    bind_steps(sum, found_.sum.extents.size() - found_.sum.spatial, together);
    d_.finish(sum);
    d_.finish(last);
  }

  /// The loop over the results of a block.
  LoopRef bind_results(const std::vector<LoopRef>& loops, const Number& across) {
    const auto parts = s_.loops(Split{s_.loops(Fuse{loops})[0], {std::nullopt, across}});
    s_.apply(Bind{parts[0], "blockIdx.x"});
    s_.apply(Bind{parts[1], "threadIdx.x"});
    return parts[1];
  }

  /// The innermost loops of the block are the steps of a result.
  void bind_steps(const BlockRef& block, std::size_t count, const Number& together) {
    std::vector<LoopRef> loops = s_.get_loops(block);
    const auto rounds = s_.loops(Split{s_.loops(Fuse{take_last(loops, count)})[0], {std::nullopt, together}});
    s_.apply(Reorder{{rounds[1], rounds[0]}});
    s_.apply(Bind{rounds[1], "threadIdx.y"});
  }

  static std::vector<LoopRef> take_last(std::vector<LoopRef>& loops, std::size_t count) {
    const auto first = loops.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<LoopRef> taken(first, loops.end());
    loops.erase(first, loops.end());
    return taken;
  }

  /// Results one after the other, one a thread: the loop over the threads of a block.
  LoopRef use_threads(const BlockRef& last) {
    std::vector<LoopRef> loops = s_.get_loops(last);
    if (loops.empty()) loops.push_back(s_.loops(AddUnitLoop{last})[0]);
    const LoopRef all = s_.loops(Fuse{loops})[0];
    const std::int64_t model = std::min(usual_block_threads(d_.target()),
                                        threads_for(found_.sum.elements() / d_.target().cores, d_.target()));
    const Number threads = d_.number(name_ + "_threads", block_threads(d_.target()), model);
    const auto parts = s_.loops(Split{all, {std::nullopt, threads}});
    s_.apply(Bind{parts[0], "blockIdx.x"});
    s_.apply(Bind{parts[1], "threadIdx.x"});
    return parts[1];
  }

  Derivation& d_;
  Schedule& s_;
  const Reduction& found_;
  std::string name_;
};

}  // namespace

Rule results_by_threads() {
  return {.name = "results by threads",
          .doc = "each result of a reduction by one thread",
          .applies = [](const Derivation& d,
                        const BlockRef& block) { return reduction_to(d, block).has_value(); },
          .apply =
              [](Derivation& d, const BlockRef& block) {
                const Reduction found = *reduction_to(d, block);
                ResultThreads(d, found).run();
              }};
}

}  // namespace ardea::rules
