#pragma once

#include <map>
#include <string>

#include "ardea/intrin/instruction.h"
#include "ardea/schedule/primitives/tensor/affine_place.h"
#include "ardea/schedule/primitives/tensor/store_nest.h"
#include "ardea/schedule/primitives/tensor/unify.h"

namespace ardea::schedule {

/// What is known when each loop of an instruction's program has its loops of the nest.
struct MatchedLoops {
  std::vector<AffinePlace> formal_places;  ///< of the instruction's accesses, one a pair
  std::map<std::string, Expr> integers;    ///< its integer parameters that are strides, by name
};

/// Finds for each loop of the instruction the loops of the nest that together are it: they move every access
/// by the same steps. Refused as computes_something_else, layout_differs, extents_differ. `progress`: how
/// many loops of the instruction had found theirs: of several ways the best is the one to talk about.
Result<MatchedLoops> match_loops(const intrin::Instruction& instruction, const StoreNest& formal,
                                 const StoreNest& actual, const AccessPairs& pairs,
                                 const arith::Analyzer& facts, std::size_t& progress);

}  // namespace ardea::schedule
