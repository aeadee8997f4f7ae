#include "ardea/search/history.h"

#include <algorithm>
#include <cmath>

namespace ardea::search {

using space::Choice;

void History::add(const Ground& ground, const cost::Known& result) {
  if (!ground.is_point(result.choice)) return;
  std::optional<double> score;
  if (result.outcome == TrialOutcome::timed && std::isfinite(result.seconds) && result.seconds > 0)
    score = -std::log(result.seconds);
  const auto [at, is_first] = scores_.insert_or_assign(result.choice, score);
  if (is_first) order_.push_back(result.choice);
}

std::size_t History::told_of(std::size_t sketch) const {
  return static_cast<std::size_t>(
      std::count_if(order_.begin(), order_.end(), [&](const Choice& c) { return c.sketch == sketch; }));
}

std::vector<Choice> History::best(std::size_t count, std::size_t of_sketch) const {
  std::vector<std::pair<double, const Choice*>> timed;
  for (const Choice& choice : order_)
    if (const auto known = scores_.at(choice)) timed.emplace_back(*known, &choice);
  std::stable_sort(timed.begin(), timed.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Choice> list;
  std::unordered_map<std::size_t, std::size_t> taken_of;
  for (const auto& [score, choice] : timed)
    if (list.size() < count && taken_of[choice->sketch] < of_sketch) {
      list.push_back(*choice);
      ++taken_of[choice->sketch];
    }
  return list;
}

std::optional<double> History::score(const Choice& choice) const {
  const auto at = scores_.find(choice);
  return at == scores_.end() ? std::nullopt : at->second;
}

std::optional<double> History::best_score() const {
  std::optional<double> best;
  for (const Choice& choice : order_) best = std::max(best, scores_.at(choice));
  return best;
}

std::optional<double> History::best_score(std::size_t sketch) const {
  std::optional<double> best;
  for (const Choice& choice : order_)
    if (choice.sketch == sketch) best = std::max(best, scores_.at(choice));
  return best;
}

std::vector<double> shares_by(const History& history, std::size_t sketches, double patience) {
  constexpr double least = 0.02;
  std::vector<double> shares(sketches, 1);
  const std::optional<double> best = history.best_score();
  if (!best) return shares;
  for (std::size_t s = 0; s < sketches; ++s) {
    const auto told = static_cast<double>(history.told_of(s));
    if (told == 0) continue;
    // Nothing of it was timed: as if it were a quarter as fast.
    const double behind = *best - history.best_score(s).value_or(*best - std::log(4.0));
    shares[s] = std::max(least, std::exp(-behind * told / patience));
  }
  return shares;
}

}  // namespace ardea::search
