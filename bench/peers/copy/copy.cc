#include <algorithm>
#include <cstring>

#include "bench/peers/plugin.h"

/// The bytes of the operator, moved and nothing else: every input is read once, the output is written once.

namespace peer {

const char* const name = "copy";
const ArdeaPeerKind kind = ARDEA_PEER_YARDSTICK;

namespace {

volatile std::uint64_t sink;  ///< keeps the compiler from leaving reads out

/// Several sums side by side: one alone waits for itself, eight bytes a cycle, which is slower than memory.
void read(const char* from, std::int64_t bytes) {
  constexpr std::int64_t sums_at_once = 16;
  std::uint64_t sums[sums_at_once] = {};
  const std::int64_t step = sums_at_once * 8, whole = bytes / step * step;
  for (std::int64_t at = 0; at < whole; at += step)
    for (std::int64_t i = 0; i < sums_at_once; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, from + at + 8 * i, sizeof word);
      sums[i] ^= word;
    }
  std::uint64_t sum = 0;
  for (const std::uint64_t one : sums) sum ^= one;
  for (std::int64_t i = whole; i < bytes; ++i) sum ^= static_cast<unsigned char>(from[i]);
  sink = sum;
}

void copy_by_library(char* to, const char* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

/// Stores that stay in the caches: memcpy goes around them where there is much to write.
void copy_by_loop(char* __restrict to, const char* __restrict from, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; ++i) to[i] = from[i];
}

/// What is read is copied while there is room for it in the output.
Prepared moving(const std::vector<Array>& arrays, const std::string& label,
                void (*copy)(char*, const char*, std::int64_t)) {
  return {label, [=](void* const* p) {
            const std::size_t output = arrays.size() - 1;
            const std::int64_t room = arrays[output].bytes();
            auto* const to = static_cast<char*>(p[output]);
            std::int64_t written = 0;
            for (std::size_t i = 0; i < output; ++i) {
              const std::int64_t bytes = arrays[i].bytes(), copied = std::min(bytes, room - written);
              const auto* const from = static_cast<const char*>(p[i]);
              copy(to + written, from, copied);
              read(from + copied, bytes - copied);
              written += copied;
            }
            std::memset(to + written, 0, static_cast<std::size_t>(room - written));
          }};
}

}  // namespace

std::string description() { return "the bytes that the operator reads and writes, each once"; }

Variants variants(const Workload& w, int threads) {
  if (threads > 1) throw Refusal{"it moves bytes on one thread only"};
  const std::vector<Array> arrays = w.arrays;
  return {[=] { return moving(arrays, "memcpy", copy_by_library); },
          [=] { return moving(arrays, "a vector loop", copy_by_loop); }};
}

}  // namespace peer
