#pragma once

#include <optional>

#include "ardea/rules/analysis/stage.h"

namespace ardea::rules {

/// What a stage reads one element after the other along an axis that is not the one it writes along.
struct CrossingAxis {
  std::size_t axis = 0;  ///< of the stage: its iterator is the last index of the load
  std::size_t load = 0;  ///< in Stage::loads; some other index of it follows the stage's last iterator
};

/// The first of them; nothing where the stage reads as it writes.
std::optional<CrossingAxis> crossing_axis(const Stage& stage);

}  // namespace ardea::rules
