#include "ardea/recipes/rows.h"

#include <algorithm>
#include <array>

#include "ardea/recipes/extents.h"
#include "ardea/recipes/lane_sums.h"
#include "ardea/schedule/compute_at.h"
#include "ardea/schedule/mark.h"
#include "ardea/schedule/split.h"

namespace ardea::recipes {

using namespace schedule;

namespace {

constexpr std::array row_operators = {"mean",    "var",       "reduce_sum", "reduce_max",
                                      "softmax", "layernorm", "gemv"};

/// Whether numbers of this type are summed in registers as they are.
bool is_summed(DataType type) { return type == float32 || type == float64 || type == int32 || type == int64; }

}  // namespace

bool serves_rows(const ops::Workload& workload, const target::Target& target) {
  return std::find(row_operators.begin(), row_operators.end(), workload.op) != row_operators.end() &&
         target.kind == target::Kind::cpu && target.vector_bits >= 128 && is_summed(workload.acc);
}

void schedule_rows(Schedule& s, const ops::Workload& workload, const target::Target& target) {
  std::vector<BlockRef> stages;
  for (const std::string& name : block_names(s)) stages.push_back(s.get_block(name));
  const auto sums =
      std::count_if(stages.begin(), stages.end(), [&](const BlockRef& b) { return reduces(s, b); });
  LoopRef row = s.get_loops(stages.back())[0];
  // A row that several stages go through stays in the nearest cache between them; other rows have no place
  // there.
  const std::int64_t rows = sums == 1 ? ops::size(workload, "m") : 1;
  const std::int64_t columns = ops::size(workload, workload.op == "gemv" ? "k" : "n");
  const LaneSum sum = lane_sum_for(rows, columns, workload.acc.bits, target);
  if (sum.rows > 1) row = s.loops(Split{row, {std::nullopt, sum.rows}})[0];
  for (std::size_t i = stages.size() - 1; i-- > 0;) s.apply(ComputeAt{stages[i], row});
  for (const BlockRef& stage : stages) {
    const auto loops = s.get_loops(stage);
    if (reduces(s, stage))
      reduce_in_lanes(s, stage, 1, sum);
    else if (loops.size() > 1)
      s.apply(Vectorize{loops.back()});
  }
  if (target.cores > 1) s.apply(Parallel{row});
}

}  // namespace ardea::recipes
