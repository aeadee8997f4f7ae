#include "ardea/rules/analysis/crossing_axis.h"

#include <algorithm>

#include "ardea/ir/substitute.h"

namespace ardea::rules {

std::optional<CrossingAxis> crossing_axis(const Stage& stage) {
  const Var last = stage.iterators.back();
  for (std::size_t i = 0; i < stage.loads.size(); ++i) {
    const Load& load = stage.loads[i];
    if (load.indices.size() < 2 || !load.indices.back().is<VarNode>()) continue;
    const auto along = std::find(stage.iterators.begin(), stage.iterators.end(), Var(load.indices.back()));
    const bool crosses = std::any_of(load.indices.begin(), load.indices.end() - 1,
                                     [&](const Expr& index) { return uses(index, last); });
    if (along != stage.iterators.end() && *along != last && crosses)
      return CrossingAxis{static_cast<std::size_t>(along - stage.iterators.begin()), i};
  }
  return std::nullopt;
}

}  // namespace ardea::rules
