#include "ardea/rules/model/prefix_chunks.h"

#include <algorithm>
#include <bit>

#include "ardea/rules/model/block_threads.h"

namespace ardea::rules {

std::vector<std::int64_t> chunk_lengths() { return {4, 8, 16}; }

std::int64_t model_chunk_length(int bits, const target::Target& target) {
  const std::vector<std::int64_t> lengths = chunk_lengths();
  return std::clamp(access_lanes(bits, target), lengths.front(), lengths.back());
}

std::int64_t model_chunk_threads(std::int64_t chunks, const target::Target& target) {
  const auto all = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(chunks)));
  return std::min(all, usual_block_threads(target));
}

}  // namespace ardea::rules
