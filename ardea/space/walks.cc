#include "ardea/space/walks.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

namespace ardea::space {
namespace {

/// One pool serves so many samples: its points need memory.
constexpr std::size_t largest_batch = 20'000;
/// A few walks may all end in nothing where many do not.
constexpr std::uint64_t least_walks = 64, least_before_giving_up = 50'000;

struct PoolSlot {
  std::optional<GecodeModel::Walk> walk;
  bool done = false;
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

namespace {

/// Walks in rounds, and what they are worth.
class Pool {
 public:
  Pool(std::vector<GecodeModel>& roots, std::uint64_t seed, const Deadline& deadline)
      : roots_(roots), seed_(seed), deadline_(deadline) {}

  void walk(std::size_t count) {
    const std::size_t first = slots_.size();
    slots_.resize(first + count);
    for_each_slot(static_cast<int>(roots_.size()), count, [&](int thread, std::size_t i) {
      if (late_ || (deadline_ && std::chrono::steady_clock::now() > *deadline_)) {
        late_ = true;
        return;
      }
      Random random = slot_random(seed_, first + i);
      PoolSlot& slot = slots_[first + i];
      slot.walk = roots_[static_cast<std::size_t>(thread)].walk(random);
      slot.done = true;
    });
    weigh();
  }
  bool late() const { return late_; }
  double effective_size() const { return squares_ > 0 ? sum_ * sum_ / squares_ : 0; }
  std::uint64_t walks() const { return walks_; }

  WalkSamples samples(std::size_t count) const {
    WalkSamples result;
    result.walks = walks_;
    result.arrived = weights_.size();
    result.complete = !late_;
    if (weights_.empty()) return result;
    const auto walks = static_cast<double>(walks_);
    const double mean = sum_ / walks;
    result.effective_size = effective_size();
    result.count = std::ldexp(mean, unit_);
    result.count_error = std::ldexp(std::sqrt(std::max(0.0, squares_ / walks - mean * mean) / walks), unit_);
    Random random = slot_random(seed_, ~std::uint64_t{0} - 1);
    std::vector<std::size_t> chosen = systematic(weights_, count, random);
    for (std::size_t i = chosen.size(); i > 1; --i)
      std::swap(chosen[i - 1],
                chosen[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i) - 1))]);
    for (const std::size_t i : chosen) result.points.push_back(slots_[places_[i]].walk->point);
    return result;
  }

 private:
  void weigh() {
    unit_ = 0;
    for (const PoolSlot& slot : slots_)
      if (slot.walk) unit_ = std::max(unit_, slot.walk->weight.exponent);
    weights_.clear();
    places_.clear();
    walks_ = 0;
    sum_ = squares_ = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      walks_ += slots_[i].done ? 1 : 0;
      if (!slots_[i].walk) continue;
      const double w = slots_[i].walk->weight.in_units(unit_);
      weights_.push_back(w);
      places_.push_back(i);
      sum_ += w;
      squares_ += w * w;
    }
  }

  std::vector<GecodeModel>& roots_;
  std::uint64_t seed_;
  const Deadline& deadline_;
  std::vector<PoolSlot> slots_;
  std::atomic<bool> late_{false};
  std::vector<double> weights_;  ///< of the walks that arrived, in units of 2^unit
  std::vector<std::size_t> places_;
  int unit_ = 0;
  std::uint64_t walks_ = 0;
  double sum_ = 0, squares_ = 0;
};

WalkSamples one_batch(std::vector<GecodeModel>& roots, std::size_t samples, std::uint64_t seed,
                      const WalkOptions& options) {
  Pool pool(roots, seed, options.deadline);
  const std::uint64_t round =
      std::max(samples * static_cast<std::uint64_t>(std::max(options.pool, 1)), least_walks);
  const std::uint64_t most =
      std::max(samples * static_cast<std::uint64_t>(std::max(options.most, 1)), least_before_giving_up);
  pool.walk(round);
  const std::uint64_t more = std::max(round / 5, least_walks);
  while (!pool.late() && pool.effective_size() < static_cast<double>(samples) && pool.walks() + more <= most)
    pool.walk(more);
  return pool.samples(samples);
}

}  // namespace

WalkSamples sample_by_walks(const GecodeModel& root, std::size_t samples, std::uint64_t seed,
                            const WalkOptions& options) {
  WalkSamples all;
  if (root.failed() || samples == 0) return all;
  // Cloning a root changes it for a moment: one for each thread.
  std::vector<GecodeModel> roots;
  for (int thread = 0; thread < std::max(options.threads, 1); ++thread) roots.push_back(root.clone());
  double sum = 0, variance = 0;
  for (std::size_t done = 0; done < samples && all.complete;) {
    const std::size_t batch = std::min(largest_batch, samples - done);
    WalkSamples part = one_batch(roots, batch, slot_random(seed, done).next(), options);
    all.points.insert(all.points.end(), part.points.begin(), part.points.end());
    all.walks += part.walks;
    all.arrived += part.arrived;
    all.effective_size += part.effective_size;
    all.complete = part.complete;
    const auto walks = static_cast<double>(part.walks);
    sum += part.count * walks;
    variance += part.count_error * part.count_error * walks * walks;
    done += batch;
    if (part.arrived == 0) break;
  }
  if (all.walks > 0) {
    all.count = sum / static_cast<double>(all.walks);
    all.count_error = std::sqrt(variance) / static_cast<double>(all.walks);
  }
  return all;
}

}  // namespace ardea::space
