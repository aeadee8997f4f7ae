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
/// A thread goes through its chunk several times, and through the totals of the chunks before once: both
/// grow alike where a chunk is half as long as the root of the longest prefix.
std::int64_t model_chunk_length(std::int64_t longest);

/// Threads that take a row: one for each chunk of the longest prefix, as far as a usual block goes. What lies
/// beyond it is the same number again and again, which these threads store, too.
std::int64_t model_chunk_threads(std::int64_t longest, std::int64_t chunk, const target::Target& target);

/// Rows that share a block, of so many: blocks of two warps, as more would only wait for each other at the
/// barriers.
std::int64_t model_rows_in_chunks(std::int64_t rows, std::int64_t threads, const target::Target& target);

}  // namespace ardea::rules
