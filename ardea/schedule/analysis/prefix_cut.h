#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ardea/schedule/analysis/reducer.h"

namespace ardea::schedule {

/// A reduction whose domain grows with an element that it makes: of its elements r, those before end + shift.
struct PrefixCut {
  std::size_t end = 0;   ///< among the iterators of the block: the spatial one that prefixes end by
  std::size_t step = 0;  ///< the reduce iterator that is cut
  std::int64_t shift = 0;
  std::vector<Expr> terms = {};  ///< of the reducer's elements, without the cut
};

/// The cut of a block's reduction. It is one of `conditions`, over the block's iterators, or what all terms
/// are chosen by, select(r < j, t, neutral). Nothing where there is none, or where the terms, and what else
/// chooses them, are others for each prefix.
std::optional<PrefixCut> prefix_cut(const Block& block, const Reducer& reducer,
                                    const std::vector<Expr>& conditions = {});

}  // namespace ardea::schedule
