#pragma once

#include <optional>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/stmt.h"

namespace ardea::schedule {

/// Where an access goes in memory, as `start` + Σ steps[l] · (loop l counted from 0), in elements counted
/// from the one of all indices 0.
struct AffinePlace {
  Expr start;
  std::vector<Expr> steps;
};

/// That of the element at the indices; nothing where the loops do not reach it by constant steps.
std::optional<AffinePlace> affine_place(const Buffer& buffer, const std::vector<Expr>& indices,
                                        const std::vector<For>& loops, const arith::Analyzer& facts);

}  // namespace ardea::schedule
