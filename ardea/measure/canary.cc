#include "ardea/measure/canary.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "ardea/runtime/time_evaluator.h"

namespace ardea::measure {

namespace {

/// Keeps the compiler from leaving work out whose result nobody reads.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "m"(value) : "memory");
}

double arithmetic_s() {
  constexpr int additions = 20000;
  const double start = runtime::steady_seconds();
  double sum = 1, by = 1e-9;
  for (int i = 0; i < additions; ++i) {
    sum += by;
    by = -by;
  }
  keep(sum);
  return runtime::steady_seconds() - start;
}

double memory_s() {
  constexpr std::size_t words = std::size_t{1} << 19U;  // 4 MiB
  static const std::vector<std::uint64_t> memory(words, 1);
  const double start = runtime::steady_seconds();
  std::uint64_t sum = 0;
  for (const std::uint64_t word : memory) sum += word;
  keep(sum);
  return runtime::steady_seconds() - start;
}

double least_of(int turns, double (*turn)()) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < turns; ++i) least = std::min(least, turn());
  return least;
}

}  // namespace

CanaryReading read_canary() {
  constexpr int turns = 5;
  return {.arithmetic_s = least_of(turns, arithmetic_s), .memory_s = least_of(turns, memory_s)};
}

Canary::Verdict Canary::read(const CanaryReading& reading) {
  if (!begun_) {
    begun_ = true;
    level_ = reading;
    return Verdict::steady;
  }
  const bool slower = reading.arithmetic_s > options_.arithmetic * level_.arithmetic_s ||
                      reading.memory_s > options_.memory * level_.memory_s;
  const bool quicker = reading.arithmetic_s * options_.arithmetic < level_.arithmetic_s ||
                       (!slower && reading.memory_s * options_.memory < level_.memory_s);
  slow_ = slower ? slow_ + 1 : 0;
  quick_ = quicker && !slower ? quick_ + 1 : 0;
  if (slow_ > options_.most_discarded || quick_ > 1) {
    level_ = reading;
    slow_ = quick_ = 0;
    return Verdict::moved;
  }
  return slower ? Verdict::discard : Verdict::steady;
}

}  // namespace ardea::measure
