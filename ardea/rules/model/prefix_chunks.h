#pragma once

#include <cstdint>
#include <vector>

#include "ardea/target/target.h"

/// How threads of a GPU share the prefixes of a row.

namespace ardea::rules {

/// Totals of so many chunks a thread adds up itself: each takes a read of shared memory that all of a warp
/// share, and what a barrier and one more level cost is some ten of them.
constexpr std::int64_t most_totals = 32;

/// Chunks of chunks: a thread of a thousand adds up eight numbers of each of three levels.
constexpr std::int64_t chunks_together = 8;

/// Elements of a chunk that are worth trying: from four on, as a thread goes through half of a chunk for each
/// element.
std::vector<std::int64_t> chunk_lengths();
/// As many as one access moves of the elements that have `bits`: threads side by side then read, and mostly
/// write, what lies side by side.
std::int64_t model_chunk_length(int bits, const target::Target& target);

/// Threads that take the chunks of a row: one each, as far as a usual block goes.
std::int64_t model_chunk_threads(std::int64_t chunks, const target::Target& target);

}  // namespace ardea::rules
