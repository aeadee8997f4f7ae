#include "ardea/rules/model/prefix_chunks.h"

#include <algorithm>
#include <bit>

#include "ardea/rules/model/block_threads.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

std::vector<std::int64_t> chunk_lengths() { return {4, 8, 16}; }

std::int64_t model_chunk_length(std::int64_t longest) {
  const std::vector<std::int64_t> lengths = chunk_lengths();
  const auto enough = std::find_if(lengths.begin(), lengths.end(),
                                   [&](std::int64_t length) { return 4 * length * length >= longest; });
  return enough == lengths.end() ? lengths.back() : *enough;
}

std::int64_t model_chunk_threads(std::int64_t longest, std::int64_t chunk, const target::Target& target) {
  const auto all =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(ceil_div(longest, chunk))));
  return std::min(all, usual_block_threads(target));
}

std::int64_t model_rows_in_chunks(std::int64_t rows, std::int64_t threads, const target::Target& target) {
  const std::int64_t warp = target.gpu->warp_threads;
  const auto all = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rows)));
  const std::int64_t together = std::clamp<std::int64_t>(2 * warp / threads, 1, all);
  return rows < together * target.cores && together * threads > warp ? together / 2 : together;
}

}  // namespace ardea::rules
