#pragma once

#include <cstdint>
#include <vector>

#include "ardea/target/target.h"

/// How threads of a GPU share rows that each is taken for itself.

namespace ardea::rules {

/// Rows as threads see them.
struct ThreadRows {
  std::int64_t rows = 1;     ///< all of them
  std::int64_t longest = 1;  ///< elements of the longest
  std::int64_t lanes = 1;    ///< of one access
  /// Something is read along all rows alike: those of one block find it in the nearest cache.
  bool has_common_operand = false;
};

/// Threads that take one row together, some less and more than the model's; no more than there are vectors.
std::vector<std::int64_t> row_thread_counts(const ThreadRows& rows, const target::Target& target);
/// A warp at least, where there is something for all of it; as many as leave each some vectors, so that what
/// they wait for comes together. With a common operand a warp, where so few of many rows fill the machine.
/// One, where a row is hardly longer than what it loads at once.
std::int64_t model_row_threads(const ThreadRows& rows, const target::Target& target);

/// Vectors of a row that each of so many threads takes.
std::int64_t vectors_of_thread(const ThreadRows& rows, std::int64_t threads);

/// Rows that one block takes: as many as make a usual block, or so few that there is a block for each core,
/// but whole warps.
std::int64_t model_rows_of_block(const ThreadRows& rows, std::int64_t threads, const target::Target& target);

}  // namespace ardea::rules
