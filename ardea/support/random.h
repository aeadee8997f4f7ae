#pragma once

#include <cstdint>
#include <vector>

namespace ardea {

/// A small, fast, splittable generator (SplitMix64) whose sequence is the same on every machine and with
/// every standard library: a printed seed replays everywhere, which std::uniform_int_distribution does not
/// promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// Uniform in [low, high], both included.
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t draw =
        span == 0 ? next() : next() % span;  // the bias of % is below 2^-32 for our spans
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + draw);
  }

  /// Uniform in [0, 1).
  double real() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  bool chance(double probability) { return real() < probability; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(integer(0, static_cast<std::int64_t>(from.size()) - 1))];
  }

  /// An independent generator: children of one parent do not repeat each other.
  Random split() { return Random(next()); }

 private:
  std::uint64_t state_;
};

}  // namespace ardea
