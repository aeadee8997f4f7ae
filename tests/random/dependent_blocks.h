#pragma once

#include "tests/random/nest_state.h"

/// The kinds of blocks that stand in dependent loops. Each function writes one, or two that belong together,
/// inside so many of the loops under way.

namespace ardea::random_programs {

// dependent_maps.cc
/// A store in every iteration: of something new, of what was there and something new, of what was elsewhere.
void map_block(NestState& state, std::size_t depth);
/// One block writes what the next one reads, in each iteration.
void passed_on(NestState& state, std::size_t depth);

/// A block that leaves loops around it out of its bindings, all of them at times: how often it runs, if at
/// all, is in what it leaves behind. Mostly its iterators and tensors have room for more than the loops
/// reach, so that no bound but the loops' own says which iterations there are.
void counting_block(NestState& state, std::size_t depth);

/// A sum over some of the loops; a reduce or a spatial iterator may be a number of two of them. A loop of at
/// most one iteration may be left out. Nothing, and false, where what was drawn is no sum.
bool dependent_reduction(NestState& state, std::size_t depth);

}  // namespace ardea::random_programs
