#include "ardea/rules/model/block_threads.h"

#include <algorithm>

namespace ardea::rules {

std::vector<std::int64_t> block_threads(const target::Target& target) {
  std::vector<std::int64_t> counts;
  for (std::int64_t threads = target.gpu->warp_threads; threads <= target.gpu->threads_per_block;
       threads *= 2)
    counts.push_back(threads);
  return counts;
}

std::int64_t usual_block_threads(const target::Target& target) {
  constexpr std::int64_t blocks = 8;
  return threads_for(target.gpu->threads_per_core / blocks, target);
}

std::int64_t threads_for(std::int64_t count, const target::Target& target) {
  const std::vector<std::int64_t> counts = block_threads(target);
  const auto enough = std::find_if(counts.begin(), counts.end(), [&](std::int64_t c) { return c >= count; });
  return enough == counts.end() ? counts.back() : *enough;
}

std::int64_t access_lanes(int bits, const target::Target& target) {
  return std::max<std::int64_t>(1, target.vector_bits / std::max(8, bits));
}

std::vector<std::int64_t> powers_of_two(std::int64_t most) {
  std::vector<std::int64_t> powers;
  for (std::int64_t power = 1; power <= most; power *= 2) powers.push_back(power);
  return powers;
}

}  // namespace ardea::rules
