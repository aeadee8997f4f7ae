#pragma once

#include <optional>

#include "ardea/rules/analysis/stage.h"
#include "ardea/rules/derivation.h"

namespace ardea::rules {

/// A reduction that no rule has scheduled, and the stage that alone is made of its results, one by one, where
/// there is one.
struct Reduction {
  Stage sum;
  std::optional<Stage> last;
};

/// The reduction whose last stage is the block, on a GPU.
std::optional<Reduction> reduction_to(const Derivation& d, const BlockRef& block);

}  // namespace ardea::rules
