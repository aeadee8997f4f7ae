#include "ardea/recipes/rows.h"

#include <algorithm>
#include <array>

#include "ardea/recipes/extents.h"
#include "ardea/recipes/threads.h"
#include "ardea/rules/cpu/lane_sums.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/reduce/rfactor.h"

namespace ardea::recipes {

using namespace schedule;

namespace {

constexpr std::array row_operators = {"mean",    "var",       "reduce_sum", "reduce_max",
                                      "softmax", "layernorm", "gemv"};

/// The sizes of what is reduced along: rows, and numbers in each.
Rows rows_of(const ops::Workload& workload) {
  return {.rows = ops::size(workload, "m"), .extent = ops::size(workload, workload.op == "gemv" ? "k" : "n")};
}

/// Where there are fewer rows than cores, the parts of a row that are summed apart: as many as divide it.
std::int64_t parts_of_row(const ops::Workload& workload, const target::Target& target) {
  const Rows rows = rows_of(workload);
  if (!worth_threads(workload, target)) return 1;
  std::int64_t parts = std::max<std::int64_t>(1, target.cores / rows.rows);
  while (rows.extent % parts != 0) --parts;
  return parts;
}

/// Stages that go through a row wait for each other's end: of short rows several go side by side. What is
/// longer than a page has enough to do, and leaves the nearest cache to what comes next.
std::int64_t rows_at_once(const ops::Workload& workload, const target::Target& target) {
  const std::int64_t row_bytes = rows_of(workload).extent * workload.acc.bytes();
  return std::max<std::int64_t>(1, target.core.page_bytes / row_bytes);
}

std::vector<BlockRef> stages_of(Schedule& s) {
  std::vector<BlockRef> stages;
  for (const std::string& name : block_names(s)) stages.push_back(s.get_block(name));
  return stages;
}

/// for i, r: S[i] op= t   ⇒   for each part of a row, in parallel: P[i, part] op= t;  for i, part: S[i] op= P
void sum_parts(Schedule& s, const BlockRef& block, std::int64_t parts, const ops::Workload& workload,
               const target::Target& target) {
  const auto part = s.loops(Split{s.get_loops(block)[1], {parts, std::nullopt}})[0];
  const BlockRef partial = s.blocks(RFactor{part, -1})[0];
  const auto loops = s.get_loops(partial);
  const LoopRef row = s.loops(Fuse{{loops[0], loops[1]}})[0];
  const Rows rows = rows_of(workload);
  reduce_in_lanes(s, partial, 1, lane_sum_for({.extent = rows.extent / parts}, workload.acc.bits, target));
  s.apply(Parallel{row});
}

/// Where rows come out of memory, the loop that goes through a row for the second time, which finds it in the
/// nearest cache, asks for what comes next: the input a row ahead and, `with_output`, the output of this row,
/// which is written last. Otherwise memory would wait while numbers are computed, and the other way round.
void ask_ahead(Schedule& s, const LoopRef& second_pass, bool with_output, const ops::Workload& workload,
               const target::Target& target) {
  const target::Cache* second = target.cache(2);
  const std::int64_t columns = rows_of(workload).extent, element_bytes = workload.in[0].bytes();
  const bool rows_fit = 4 * columns * element_bytes <= target.cache(1)->bytes;
  if (!rows_fit || second == nullptr || ops::bytes(workload) <= second->bytes) return;
  const std::int64_t ahead = std::max(columns, target.core.page_bytes / element_bytes);
  const auto& parameters = s.program().parameters;
  std::vector<Argument> wishes = {{parameters.front().buffer->name}, {ahead}};
  if (with_output) wishes.insert(wishes.end(), {{parameters.back().buffer->name}, {std::int64_t{0}}});
  s.apply(Pragma{second_pass, "prefetch", {wishes}});
}

}  // namespace

bool serves_rows(const ops::Workload& workload, const target::Target& target) {
  return std::find(row_operators.begin(), row_operators.end(), workload.op) != row_operators.end() &&
         target.kind == target::Kind::cpu && target.vector_bits >= 128 && target.cache(1) != nullptr &&
         is_summed(workload.acc);
}

void schedule_rows(Schedule& s, const ops::Workload& workload, const target::Target& target) {
  const std::vector<BlockRef> stages = stages_of(s);
  const auto is_sum = [&](const BlockRef& b) { return reduces(s, b); };
  const bool one_sum = std::count_if(stages.begin(), stages.end(), is_sum) == 1;
  if (const std::int64_t parts = parts_of_row(workload, target); one_sum && parts > 1)
    return sum_parts(s, *std::find_if(stages.begin(), stages.end(), is_sum), parts, workload, target);
  Rows rows = rows_of(workload);
  if (!one_sum) rows.rows = std::min(rows.rows, rows_at_once(workload, target));
  LaneSum sum = lane_sum_for(rows, workload.acc.bits, target);
  // LLVM finds lanes across rows that are shorter than a vector.
  const bool short_rows = one_sum && rows.extent < target.vector_bits / workload.acc.bits;
  if (short_rows) sum = {.rows = std::min(rows.rows, rows_at_once(workload, target))};
  LoopRef row = s.get_loops(stages.back())[0];
  if (sum.rows > 1) row = s.loops(Split{row, {std::nullopt, sum.rows}})[0];
  for (std::size_t i = stages.size() - 1; i-- > 0;) s.apply(ComputeAt{stages[i], row});
  int passes = 0;
  for (const BlockRef& stage : stages) {
    std::optional<LoopRef> pass;
    const auto loops = s.get_loops(stage);
    if (is_sum(stage)) {
      pass = reduce_in_lanes(s, stage, 1, sum);
    } else if (loops.size() > 1 && !short_rows) {
      pass = loops.back();
      s.apply(Vectorize{*pass});
    }
    // Only a pass that computes much, such as exponentials, has time for two streams.
    if (pass && ++passes == 2 && !one_sum) ask_ahead(s, *pass, !is_sum(stage), workload, target);
  }
  if (worth_threads(workload, target)) s.apply(Parallel{row});
}

}  // namespace ardea::recipes
