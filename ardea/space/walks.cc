#include "ardea/space/walks.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

namespace ardea::space {
namespace {

struct PoolSlot {
  Point point;
  Weight weight;
  std::uint64_t walks = 0;
  bool done = false, arrived = false;
};

/// One draw from each of `samples` equal parts of the weights laid end to end: a solution of weight w comes
/// ⌊w·n/Σ⌋ or one more times.
std::vector<std::size_t> systematic(const std::vector<double>& weights, std::size_t samples, Random& random) {
  double total = 0;
  for (const double w : weights) total += w;
  std::vector<std::size_t> chosen;
  if (!(total > 0)) return chosen;
  const double step = total / static_cast<double>(samples);
  const double start = random.real();
  double reached = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const double mark = (static_cast<double>(i) + start) * step;
    while (at + 1 < weights.size() && reached + weights[at] <= mark) reached += weights[at++];
    chosen.push_back(at);
  }
  return chosen;
}

}  // namespace

Random slot_random(std::uint64_t seed, std::uint64_t slot) {
  return Random(Random(seed).next() ^ Random(~slot).next());
}

void for_each_slot(int threads, std::size_t count, const std::function<void(int, std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto run = [&](int thread) {
    try {
      for (std::size_t i = next++; i < count; i = next++) body(thread, i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
  run(0);
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

WalkSamples sample_by_walks(const GecodeModel& root, std::size_t samples, std::uint64_t seed,
                            const WalkOptions& options) {
  WalkSamples result;
  if (root.failed() || samples == 0) return result;
  std::vector<PoolSlot> pool(samples * static_cast<std::size_t>(std::max(options.pool, 1)));
  const int threads = std::max(1, std::min<int>(options.threads, static_cast<int>(pool.size())));
  // Cloning a root changes it for a moment: one for each thread.
  std::vector<GecodeModel> roots;
  for (int thread = 0; thread < threads; ++thread) roots.push_back(root.clone());
  std::atomic<bool> late{false};
  // Nothing can be reached: after so many walks without one arriving, the other places are not tried either.
  // Decided on the first places alone, so that it does not depend on who was faster.
  const std::size_t first = std::min<std::size_t>(pool.size(), 8);
  const auto fill = [&](int thread, std::size_t i) {
    PoolSlot& slot = pool[i];
    Random random = slot_random(seed, i);
    while (!slot.arrived && slot.walks < static_cast<std::uint64_t>(options.tries)) {
      if (late || (options.deadline && std::chrono::steady_clock::now() > *options.deadline)) {
        late = true;
        return;
      }
      ++slot.walks;
      if (auto walk = roots[static_cast<std::size_t>(thread)].walk(random)) {
        slot.point = std::move(walk->point);
        slot.weight = walk->weight;
        slot.arrived = true;
      }
    }
    slot.done = true;
  };
  for_each_slot(threads, first, fill);
  if (std::any_of(pool.begin(), pool.begin() + static_cast<std::ptrdiff_t>(first),
                  [](const PoolSlot& slot) { return slot.arrived; }))
    for_each_slot(threads, pool.size() - first, [&](int thread, std::size_t i) { fill(thread, first + i); });

  result.complete = !late;
  int unit = 0;
  for (const PoolSlot& slot : pool)
    if (slot.arrived) unit = std::max(unit, slot.weight.exponent);
  std::vector<double> weights;
  std::vector<std::size_t> places;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    if (!pool[i].done) continue;
    result.walks += pool[i].walks;
    if (!pool[i].arrived) continue;
    const double w = pool[i].weight.in_units(unit);
    weights.push_back(w);
    places.push_back(i);
    sum += w;
    squares += w * w;
  }
  result.arrived = places.size();
  if (places.empty()) return result;
  const auto walks = static_cast<double>(result.walks);
  const double mean = sum / walks;
  result.effective_size = sum * sum / squares;
  result.count = std::ldexp(mean, unit);
  result.count_error = std::ldexp(std::sqrt(std::max(0.0, squares / walks - mean * mean) / walks), unit);
  Random random = slot_random(seed, ~std::uint64_t{0} - 1);
  std::vector<std::size_t> chosen = systematic(weights, samples, random);
  for (std::size_t i = chosen.size(); i > 1; --i)
    std::swap(chosen[i - 1],
              chosen[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i) - 1))]);
  for (const std::size_t i : chosen) result.points.push_back(pool[places[i]].point);
  return result;
}

}  // namespace ardea::space
