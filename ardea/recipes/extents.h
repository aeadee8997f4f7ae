#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ardea/schedule/schedule.h"

/// What a recipe asks of the program that it transforms.

namespace ardea::recipes {

/// The extent of a loop, which the sizes of a workload make a number.
std::int64_t extent_of(const schedule::Schedule& s, const schedule::LoopRef& loop);

/// Whether an iterator of the block reduces.
bool reduces(const schedule::Schedule& s, const schedule::BlockRef& block);

/// The names of the blocks, in program order.
std::vector<std::string> block_names(const schedule::Schedule& s);

}  // namespace ardea::recipes
