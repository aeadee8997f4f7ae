#include "ardea/schedule/primitives/sample/sample.h"

#include <cmath>
#include <map>
#include <numeric>

#include "ardea/ir/layout.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/program/both_hold.h"
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

std::string listed(const std::vector<Number>& numbers) {
  std::vector<std::string> parts;
  for (const Number& number : numbers) parts.push_back(print(value_of(number, int64)));
  return "[" + join(parts, ", ") + "]";
}

/// Whether the factors are one of the lists that could have been drawn, as a condition.
Expr is_tile(const std::vector<Number>& factors, const Expr& extent, const SamplePerfectTile& step) {
  if (std::ssize(factors) != step.n || factors.empty()) return make_bool(false);
  Expr product = make_int(1), holds = make_bool(true);
  for (const Number& number : factors) {
    const Expr factor = value_of(number, int64);
    holds = both_hold(holds, factor >= make_int(1));
    product = multiply_index(product, factor);
  }
  holds = both_hold(holds, value_of(factors.back(), int64) <= make_int(step.max_innermost_factor));
  return both_hold(holds, equals(product, extent));
}

/// The factors as variables of a template; nothing by hand.
std::optional<std::vector<Number>> open_tile(const SamplePerfectTile& step, std::int64_t extent,
                                             Context& context) {
  std::vector<Number> factors;
  for (std::int64_t i = 0; i < step.n; ++i) {
    std::vector<std::int64_t> values = divisors(extent);
    if (i + 1 == step.n) std::erase_if(values, [&](std::int64_t d) { return d > step.max_innermost_factor; });
    const auto var =
        context.variable(fmt::format("{}_{}", step.called.value_or(step.loop.var.name()), i), values);
    if (!var) return std::nullopt;
    factors.emplace_back(NumberRef::fresh(*var));
  }
  return factors;
}

/// A list that is drawn, or left open.
Result<std::vector<Number>> chosen_tile(const SamplePerfectTile& step, std::int64_t extent,
                                        Context& context) {
  // With more parts the number of ways could leave 64 bits.
  const bool sensible = step.n >= 1 && step.n <= 12 && step.max_innermost_factor >= 1 && extent >= 1;
  Factorisations all(sensible ? extent : 1, step.max_innermost_factor);
  const std::uint64_t count = sensible ? all.count(extent, step.n) : 0;
  if (count == 0)
    return Refusal{"no_tiles",
                   fmt::format("{} is no product of {} positive factors of which the last is at most {}",
                               extent, step.n, step.max_innermost_factor)};
  if (auto open = open_tile(step, extent, context)) return *std::move(open);
  const std::vector<std::int64_t> factors = all.at(extent, step.n, context.draw(count));
  return std::vector<Number>(factors.begin(), factors.end());
}

/// Those that may be drawn.
std::vector<std::int64_t> likely_candidates(const SampleCategorical& step) {
  std::vector<std::int64_t> likely;
  for (std::size_t i = 0; i < step.candidates.size(); ++i)
    if (step.probs[i] > 0) likely.push_back(step.candidates[i]);
  return likely;
}

}  // namespace

Outcome apply(const Function& f, const SamplePerfectTile& step, Context& context) {
  const FoundLoop found = ARDEA_TRY(refer_to_loop(f, step.loop));
  const Expr extent = found.facts.simplify(as_index(found.loop->extent));
  const auto number = constant_int(extent);
  if (!step.decision && !number)
    return Refusal{"extent_is_symbolic",
                   fmt::format("the extent of loop {} is {}, which has no factors before it is a number",
                               step.loop.var.name(), print(found.loop->extent)),
                   {},
                   [] { return std::string("split it by factors of your own, with one None"); }};
  std::vector<Number> factors;
  if (step.decision) {
    factors = *step.decision;
  } else {
    std::vector<Number> chosen = ARDEA_TRY(chosen_tile(step, *number, context));
    factors = std::move(chosen);
  }
  ARDEA_TRY(context.require(found.facts, is_tile(factors, extent, step), [&] {
    return Refusal{
        "decision_does_not_fit",
        fmt::format("the decision {} is not {} positive factors of {} of which the last is at most {}",
                    listed(factors), step.n, print(extent), step.max_innermost_factor)};
  }));
  Applied applied{f};
  for (const Number& factor : factors)
    applied.results.emplace_back(NumberRef::fresh(value_of(factor, int64)));
  applied.decision = Convert<std::vector<Number>>::to(factors);
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
  } else if (const auto open = context.variable(step.called.value_or("choice"), likely_candidates(step))) {
    return Applied{f, {NumberRef::fresh(*open)}};
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
