#include "ardea/search/ranking.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ardea::search {

using space::Choice;

namespace {

double rank_of(const cost::Prediction& predicted, double optimism) {
  constexpr double least_feasible = 1e-4, lowest = -1e6;
  const double hoped = predicted.score + optimism * predicted.deviation;
  if (!std::isfinite(hoped)) return lowest;
  return hoped + std::log(std::clamp(predicted.feasible, least_feasible, 1.0));
}

}  // namespace

std::vector<double> Ranking::of(const std::vector<Choice>& choices) {
  std::vector<Choice> open;
  for (const Choice& choice : choices)
    if (ranks_.emplace(choice, 0).second) open.push_back(choice);
  if (!open.empty()) {
    const std::vector<cost::Prediction> predicted = model_->predict(open);
    for (std::size_t i = 0; i < open.size(); ++i) ranks_[open[i]] = rank_of(predicted[i], optimism_);
    seen_.insert(seen_.end(), open.begin(), open.end());
  }
  std::vector<double> ranks;
  ranks.reserve(choices.size());
  for (const Choice& choice : choices) ranks.push_back(ranks_.at(choice));
  return ranks;
}

std::vector<Choice> Ranking::best(const std::vector<Choice>& choices, std::size_t count,
                                  std::size_t of_sketch) {
  const std::vector<double> ranks = of(choices);
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return ranks[a] > ranks[b]; });
  std::vector<Choice> list;
  Choices taken;
  std::unordered_map<std::size_t, std::size_t> taken_of;
  for (const std::size_t i : order) {
    if (list.size() >= count) break;
    std::size_t& of_this = taken_of[choices[i].sketch];
    if (of_this >= of_sketch || !taken.insert(choices[i]).second) continue;
    list.push_back(choices[i]);
    ++of_this;
  }
  return list;
}

}  // namespace ardea::search
