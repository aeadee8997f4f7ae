#include "ardea/rules/cpu/lane_sums.h"

#include <algorithm>

#include "ardea/schedule/primitives/loops/loop_partition.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/set_scope.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/primitives/reduce/rfactor.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/error.h"

namespace ardea::rules {

using namespace schedule;

namespace {

std::int64_t extent_of(const Schedule& s, const LoopRef& loop) {
  const auto path = path_to(s.program(), loop);
  const auto extent = path ? constant_int(path->loop().extent) : std::nullopt;
  ensure(extent.has_value(), "what is summed in lanes is a loop of a known length");
  return *extent;
}

/// The loop over elements side by side: lanes of vectors that are written out.
void vectorize_slots(Schedule& s, const LoopRef& loop, std::int64_t extent, std::int64_t lanes) {
  if (extent <= lanes) {
    s.apply(Vectorize{loop});
    return;
  }
  const auto parts = s.loops(Split{loop, {std::nullopt, lanes}});
  s.apply(Unroll{parts[0]});
  s.apply(Vectorize{parts[1]});
}

/// The innermost loop's iterations as partial results in registers.
BlockRef factor_innermost(Schedule& s, const BlockRef& block) {
  const BlockRef partial = s.blocks(RFactor{s.get_loops(block).back(), -1})[0];
  s.apply(SetScope{partial, 0, "register"});
  return partial;
}

/// What is left to do of width() partial results.
void halve(Schedule& s, const BlockRef& block, std::size_t outer, const LaneSum& sum) {
  for (std::int64_t half = sum.width() / 2; half > 1; half /= 2) {
    s.apply(Split{s.get_loops(block).back(), {2, half}});
    const BlockRef partial = factor_innermost(s, block);
    const auto loops = s.get_loops(partial);
    for (std::size_t i = outer; i + 1 < loops.size(); ++i) s.apply(Unroll{loops[i]});
    vectorize_slots(s, loops.back(), half, sum.lanes);
  }
  const auto loops = s.get_loops(block);
  for (std::size_t i = outer; i < loops.size(); ++i) s.apply(Unroll{loops[i]});
}

}  // namespace

LaneSum choose_lane_sum(Derivation& d, const std::string& name, const Rows& rows, const LaneSum& model,
                        int bits) {
  const std::vector<std::int64_t> widths = widths_for(rows, bits, d.target(), model.width());
  std::vector<std::string> answers;
  for (const std::int64_t width : widths) answers.push_back(std::to_string(width));
  const auto by_model = std::find(widths.begin(), widths.end(), model.width()) - widths.begin();
  const std::size_t taken = d.way(name + " partial results", answers, static_cast<std::size_t>(by_model));
  if (widths[taken] == model.width()) return model;
  return lane_sum_of(widths[taken], rows, model.rows, bits, d.target());
}

std::optional<LoopRef> reduce_in_lanes(Schedule& s, const BlockRef& block, std::size_t outer,
                                       const LaneSum& sum, std::size_t reduced) {
  if (sum.width() == 1) return {};
  const auto around = s.get_loops(block);
  const auto rows = around.begin() + static_cast<std::ptrdiff_t>(outer);
  const auto first_reduced = around.end() - static_cast<std::ptrdiff_t>(reduced);
  const std::int64_t extent = extent_of(s, around.back()), whole = extent / sum.width();
  const auto parts = s.loops(Split{around.back(), {std::nullopt, sum.width()}});
  std::vector<LoopRef> order(first_reduced, around.end() - 1);
  order.push_back(parts[0]);
  order.insert(order.end(), rows, first_reduced);
  if (order.size() > 1) s.apply(Reorder{order});
  const BlockRef partial = factor_innermost(s, block);
  if (outer > 0 && s.get_loops(block)[outer - 1] != around[outer - 1])
    s.apply(ReverseComputeAt{block, around[outer - 1]});
  const auto loops = s.get_loops(partial);
  for (std::size_t i = outer + reduced; i + 1 < loops.size(); ++i) s.apply(Unroll{loops[i]});
  vectorize_slots(s, loops.back(), sum.width(), sum.lanes);
  std::optional<LoopRef> rounds;
  if (extent > sum.width() || reduced > 1) {
    s.apply(DecomposeReduction{partial, loops[outer]});
    rounds = parts[0];
    if (whole * sum.width() < extent) rounds = s.loops(LoopPartition{*rounds, {whole}})[0];
  }
  halve(s, block, outer, sum);
  return rounds;
}

}  // namespace ardea::rules
