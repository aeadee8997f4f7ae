#include "ardea/schedule/primitives/sample/sample.h"

#include <cmath>
#include <map>
#include <numeric>

#include "ardea/ir/print.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> low, high;
  for (std::int64_t d = 1; d * d <= number; ++d) {
    if (number % d != 0) continue;
    low.push_back(d);
    if (d * d != number) high.push_back(number / d);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

/// Counts and lists the ways to write a number and its divisors as ordered products. The last factor has a
/// limit.
class Factorisations {
 public:
  Factorisations(std::int64_t number, std::int64_t largest_last)
      : divisors_(divisors(number)), largest_last_(largest_last) {}

  /// How many ways there are with `parts` factors.
  std::uint64_t count(std::int64_t number, std::int64_t parts) {
    if (parts == 1) return number <= largest_last_ ? 1 : 0;
    const auto [at, is_new] = counts_.try_emplace({number, parts}, 0);
    if (!is_new) return at->second;
    std::uint64_t total = 0;
    for (const std::int64_t d : divisors_)
      if (number % d == 0) total += count(number / d, parts - 1);
    return counts_[{number, parts}] = total;
  }

  /// The one of that position, outermost factor first.
  std::vector<std::int64_t> at(std::int64_t number, std::int64_t parts, std::uint64_t position) {
    if (parts == 1) return {number};
    for (const std::int64_t d : divisors_) {
      if (number % d != 0) continue;
      const std::uint64_t ways = count(number / d, parts - 1);
      if (position >= ways) {
        position -= ways;
        continue;
      }
      std::vector<std::int64_t> factors = at(number / d, parts - 1, position);
      factors.insert(factors.begin(), d);
      return factors;
    }
    throw InternalError("the position lies beyond the count of factorisations");
  }

 private:
  std::vector<std::int64_t> divisors_;
  std::int64_t largest_last_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> counts_;
};

std::string listed(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> parts;
  for (const std::int64_t number : numbers) parts.push_back(std::to_string(number));
  return "[" + join(parts, ", ") + "]";
}

/// Whether the factors are one of the lists that could have been drawn.
bool is_tile(const std::vector<std::int64_t>& factors, std::int64_t extent, const SamplePerfectTile& step) {
  if (static_cast<std::int64_t>(factors.size()) != step.n || factors.back() > step.max_innermost_factor)
    return false;
  for (const std::int64_t factor : factors) {
    if (factor < 1 || extent % factor != 0) return false;
    extent /= factor;
  }
  return extent == 1;
}

}  // namespace

Outcome apply(const Function& f, const SamplePerfectTile& step, Context& context) {
  const FoundLoop found = ARDEA_TRY(refer_to_loop(f, step.loop));
  const auto extent = constant_int(found.facts.simplify(found.loop->extent));
  if (!extent)
    return Refusal{"extent_is_symbolic",
                   fmt::format("the extent of loop {} is {}, which has no factors before it is a number",
                               step.loop.var.name(), print(found.loop->extent)),
                   {},
                   [] { return std::string("split it by factors of your own, with one None"); }};
  // With more parts the number of ways could leave 64 bits.
  const bool sensible = step.n >= 1 && step.n <= 12 && step.max_innermost_factor >= 1 && *extent >= 1;
  Factorisations all(sensible ? *extent : 1, step.max_innermost_factor);
  const std::uint64_t count = sensible ? all.count(*extent, step.n) : 0;
  if (count == 0)
    return Refusal{"no_tiles",
                   fmt::format("{} is no product of {} positive factors of which the last is at most {}",
                               *extent, step.n, step.max_innermost_factor)};
  if (step.decision && !is_tile(*step.decision, *extent, step))
    return Refusal{
        "decision_does_not_fit",
        fmt::format("the decision {} is not {} positive factors of {} of which the last is at most {}",
                    listed(*step.decision), step.n, *extent, step.max_innermost_factor)};
  const std::vector<std::int64_t> factors =
      step.decision ? *step.decision : all.at(*extent, step.n, context.draw(count));
  Applied applied{f};
  for (const std::int64_t factor : factors) applied.results.emplace_back(NumberRef::fresh(make_int(factor)));
  applied.decision = Convert<std::vector<std::int64_t>>::to(factors);
  return applied;
}

Outcome apply(const Function& f, const SampleCategorical& step, Context& context) {
  if (step.candidates.empty()) return Refusal{"no_candidates", "there are no candidates; give at least one"};
  const double total = std::accumulate(step.probs.begin(), step.probs.end(), 0.0);
  bool fit = step.probs.size() == step.candidates.size() && std::isfinite(total) && total > 0;
  for (const double p : step.probs) fit = fit && p >= 0;
  if (!fit)
    return Refusal{
        "probabilities_do_not_fit",
        fmt::format("the {} candidates need as many probabilities that are finite and not negative, and "
                    "not all 0; there are {} with the sum {}",
                    step.candidates.size(), step.probs.size(), total)};
  const auto count = static_cast<std::int64_t>(step.candidates.size());
  if (step.decision && (*step.decision < 0 || *step.decision >= count))
    return Refusal{"decision_does_not_fit",
                   fmt::format("the decision {} is not a place in the list of {} candidates, counted from 0",
                               *step.decision, count)};
  std::int64_t chosen = 0;
  if (step.decision) {
    chosen = *step.decision;
  } else {
    constexpr std::uint64_t steps = std::uint64_t{1} << 53;  // as fine as the numbers between 0 and 1 are
    double left = static_cast<double>(context.draw(steps)) / static_cast<double>(steps) * total;
    while (chosen + 1 < count && left >= step.probs[static_cast<std::size_t>(chosen)])
      left -= step.probs[static_cast<std::size_t>(chosen++)];
  }
  const NumberRef number = NumberRef::fresh(make_int(step.candidates[static_cast<std::size_t>(chosen)]));
  return Applied{f, {number}, {}, Argument{chosen}};
}

}  // namespace ardea::schedule
