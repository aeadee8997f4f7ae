#pragma once

#include <cstdint>
#include <vector>

#include "ardea/space/gecode_model.h"
#include "ardea/space/search.h"

namespace ardea::space {

struct WalkOptions {
  int pool = 10;   ///< walks for each sample, and more while they are worth fewer samples than asked for,
  int most = 200;  ///< up to so many
  int threads = 1;
  Deadline deadline = std::nullopt;
};

/// Near-uniform samples of a space that is too large to enumerate.
struct WalkSamples {
  std::vector<Point> points;  ///< in random order; a heavy solution may come more than once
  std::uint64_t walks = 0;
  std::uint64_t arrived = 0;  ///< the walks that did not end in nothing
  double effective_size = 0;  ///< (Σ w)² / Σ w²: so many uniform samples are as good as the pools
  double count = 0;           ///< estimated number of solutions, without bias
  double count_error = 0;     ///< its standard error, as far as the pools can tell
  bool complete = true;       ///< false where the deadline came first
};

/// Fills a pool with walks from the root, each weighing the inverse of its probability, then draws from it by
/// weight (systematic resampling). Many samples come from several pools. The samples depend on the seed
/// alone: not on the number of threads, nor on the machine.
WalkSamples sample_by_walks(const GecodeModel& root, std::size_t samples, std::uint64_t seed,
                            const WalkOptions& options);

/// Calls `body(thread, i)` for every i < count on that many threads.
void for_each_slot(int threads, std::size_t count, const std::function<void(int, std::size_t)>& body);

/// The generator of one slot: independent of the others, whoever runs it.
Random slot_random(std::uint64_t seed, std::uint64_t slot);

}  // namespace ardea::space
