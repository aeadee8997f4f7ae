#pragma once

#include <cstdint>
#include <vector>

#include "ardea/target/target.h"

/// How many threads of a GPU take some work together.

namespace ardea::rules {

/// Threads that a block may have: whole warps, each twice the one before.
std::vector<std::int64_t> block_threads(const target::Target& target);

/// What a block has where nothing is shared between its threads: several blocks fill a core whatever its
/// limits are, and a core that is done with one takes the next.
std::int64_t usual_block_threads(const target::Target& target);

/// The smallest number of whole warps, each twice the one before, that has a thread for each of `count`
/// things; at most what a block may have.
std::int64_t threads_for(std::int64_t count, const target::Target& target);

/// Elements that one access of a thread moves at most.
std::int64_t access_lanes(int bits, const target::Target& target);

/// 1, 2, 4, … up to `most`.
std::vector<std::int64_t> powers_of_two(std::int64_t most);

}  // namespace ardea::rules
