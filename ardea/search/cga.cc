#include "ardea/search/cga.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ardea/search/moves.h"
#include "ardea/search/proposer.h"
#include "ardea/search/ranking.h"
#include "ardea/search/roulette.h"
#include "ardea/search/table.h"

namespace ardea::search {

using space::Choice;

std::vector<std::size_t> key_knobs(const std::vector<double>& importance, double share) {
  std::vector<std::size_t> order(importance.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return importance[a] > importance[b]; });
  // One is the mutation: with fewer than two, parents would give nothing.
  const auto keys = static_cast<std::size_t>(std::ceil(share * static_cast<double>(order.size())));
  order.resize(std::min(order.size(), std::max<std::size_t>(keys, 2)));
  return order;
}

namespace {

/// What a model that has foretold nothing yet is believed.
constexpr double unproven = 0.5;

/// Heron's constrained genetic algorithm, a round for each question. Every sketch is a niche: it has its
/// share of the population, its parents and its best points, so that none dies out because another is
/// predicted to be faster. What a sketch can do is only known once its own best points were tried.
class ConstrainedGeneticSearch : public Proposer {
 public:
  explicit ConstrainedGeneticSearch(const Setting& setting) : Proposer(setting) {}

 private:
  std::vector<Choice> propose(std::size_t count) override {
    return has_model() ? by_model(count) : without_model(count);
  }

  std::vector<Choice> by_model(std::size_t count) {
    Ranking ranking(*setting_.model, option("optimism"));
    keys_.clear();
    for (std::size_t s = 0; s < ground_.sketches(); ++s)
      keys_.push_back(key_knobs(setting_.model->importance(s), option("keys")));
    const std::size_t size = count_of("population"), elites = count_of("elites");
    std::vector<Choice> population = ranking.best(beginning(size), size, niche(size));
    for (std::size_t generation = 0; generation < count_of("generations"); ++generation) {
      std::vector<Choice> next = children_of(population, ranking.of(population), size);
      const std::vector<Choice> elite = ranking.best(population, elites, niche(elites));
      next.insert(next.end(), elite.begin(), elite.end());
      population = ranking.best(next, next.size());
    }
    previous_ = population;
    return pick(ranking, count);
  }

  /// What a sketch has of so many points.
  std::size_t niche(std::size_t size) const { return (size + ground_.sketches() - 1) / ground_.sketches(); }

  /// What a sketch is worth, by what was measured of it.
  std::vector<double> shares() const { return shares_by(history_, ground_.sketches(), option("patience")); }

  /// Points by chance, the best that were measured, and the population of the round before.
  std::vector<Choice> beginning(std::size_t size) {
    std::vector<Choice> points = ground_.draw(size, random_, Ground::Shares::even, shares());
    const std::size_t history = count_of("history");
    for (const Choice& choice : history_.best(history, niche(history))) points.push_back(choice);
    for (Choice& choice : previous_) points.push_back(std::move(choice));
    std::erase_if(points, [&](const Choice& choice) { return !ground_.contains(choice); });
    return points;
  }

  /// How likely each point of a population becomes a parent: sketches share by what was measured of them, the
  /// points of one by rank.
  std::vector<double> chances_of(const std::vector<Choice>& population, const std::vector<double>& ranks) {
    std::vector<std::vector<std::size_t>> places(ground_.sketches());
    for (std::size_t i = 0; i < population.size(); ++i) places[population[i].sketch].push_back(i);
    const std::vector<double> of_sketch = shares();
    std::vector<double> chances(population.size());
    for (std::size_t s = 0; s < places.size(); ++s) {
      std::vector<double> own;
      for (const std::size_t at : places[s]) own.push_back(ranks[at]);
      const std::vector<double> weights = weights_of(own, option("temperature"));
      const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (std::size_t i = 0; i < weights.size(); ++i)
        chances[places[s][i]] = of_sketch[s] * weights[i] / sum;
    }
    return chances;
  }

  std::vector<Choice> children_of(const std::vector<Choice>& population, const std::vector<double>& ranks,
                                  std::size_t count) {
    const std::vector<double> chances = chances_of(population, ranks);
    std::vector<Choice> parents;
    std::vector<std::vector<std::size_t>> of_sketch(ground_.sketches());
    for (std::size_t i = 0; i < count_of("parents") && !population.empty(); ++i) {
      parents.push_back(population[roulette(chances, random_)]);
      of_sketch[parents.back().sketch].push_back(i);
    }
    std::vector<Choice> children;
    for (std::size_t i = 0; i < count && !parents.empty(); ++i) {
      const Choice& a = random_.pick(parents);
      const Choice& b = parents[random_.pick(of_sketch[a.sketch])];
      if (auto child = crossover(ground_, a, b, keys_[a.sketch], random_))
        children.push_back(*std::move(child));
    }
    return children;
  }

  /// A share of the best that were seen. The rest by roulette: first of the sketches, by what was measured of
  /// them, then of the points that were seen of one, by what is predicted. So a sketch that the model thinks
  /// little of is tried again until measurements agree.
  std::vector<Choice> pick(Ranking& ranking, std::size_t count) {
    std::vector<Choice> seen = ranking.seen();
    std::erase_if(seen, [&](const Choice& choice) { return !ground_.is_new(choice); });
    // A model is believed as far as it has foretold what was held out from it. Before anything was told, by
    // half, and chance has the rest: what lies where it believes would only teach it what it knows.
    const bool is_unproven = history_.size() == 0;
    const double foretold = setting_.model->held_out_correlation().value_or(is_unproven ? unproven : 1);
    const double trust = std::clamp(foretold, 0.0, 1.0);
    const auto greedy =
        static_cast<std::size_t>(std::ceil(option("greedy") * trust * static_cast<double>(count)));
    std::vector<Choice> picked = ranking.best(seen, greedy, most_of_a_sketch(greedy));
    if (is_unproven) {
      for (Choice& choice : ground_.draw(count - picked.size(), random_, Ground::Shares::even))
        picked.push_back(std::move(choice));
      return picked;
    }
    const Choices taken(picked.begin(), picked.end());
    std::vector<std::vector<Choice>> left(ground_.sketches());
    for (const Choice& choice : seen)
      if (!taken.contains(choice)) left[choice.sketch].push_back(choice);
    std::vector<std::vector<double>> weights;
    for (const std::vector<Choice>& points : left)
      weights.push_back(weights_of(ranking.of(points), option("temperature")));
    std::vector<double> of_sketch = shares();
    while (picked.size() < count) {
      for (std::size_t s = 0; s < left.size(); ++s)
        if (left[s].empty()) of_sketch[s] = 0;
      if (std::all_of(of_sketch.begin(), of_sketch.end(), [](double share) { return share == 0; })) break;
      const std::size_t sketch = roulette(of_sketch, random_), at = roulette(weights[sketch], random_);
      picked.push_back(left[sketch][at]);
      left[sketch].erase(left[sketch].begin() + static_cast<std::ptrdiff_t>(at));
      weights[sketch].erase(weights[sketch].begin() + static_cast<std::ptrdiff_t>(at));
    }
    return picked;
  }

  /// Of so many greedy picks. The best predicted are mostly neighbours of each other, and the model errs
  /// about all of them alike. Of two sketches each is picked often enough by roulette.
  std::size_t most_of_a_sketch(std::size_t greedy) const {
    const double share = std::max(option("crowd"), 2.0 / static_cast<double>(ground_.sketches()));
    return static_cast<std::size_t>(std::ceil(share * static_cast<double>(greedy)));
  }

  /// The first questions are left to chance, spread over the sketches. Where there is no model at all, the
  /// best that were measured are parents, and keys are drawn.
  std::vector<Choice> without_model(std::size_t count) {
    std::vector<Choice> parents = history_.best(count_of("history"));
    std::erase_if(parents, [&](const Choice& choice) { return !ground_.contains(choice); });
    std::vector<Choice> points;
    if (!setting_.model && parents.size() > 1) {
      keys_.clear();
      for (std::size_t s = 0; s < ground_.sketches(); ++s) {
        std::vector<double> importance(ground_.system(s).knobs().size());
        for (double& each : importance) each = random_.real();
        keys_.push_back(key_knobs(importance, option("keys")));
      }
      std::vector<double> scores;
      for (const Choice& parent : parents) scores.push_back(*history_.score(parent));
      const auto greedy = static_cast<std::size_t>(std::ceil(option("greedy") * static_cast<double>(count)));
      Choices taken;
      for (Choice& child : children_of(parents, scores, 2 * greedy))
        if (points.size() < greedy && ground_.is_new(child) && taken.insert(child).second)
          points.push_back(std::move(child));
    }
    for (Choice& choice : ground_.draw(count - points.size(), random_, Ground::Shares::even, shares()))
      points.push_back(std::move(choice));
    return points;
  }

  std::vector<std::vector<std::size_t>> keys_;  ///< by sketch
  std::vector<Choice> previous_;
};

}  // namespace

Method cga_method() {
  return {
      .name = "cga",
      .summary = "Heron's constrained genetic algorithm: crossover by constraints on the knobs that matter",
      .uses_model = true,
      .options = {{"population", 200, 2, 100'000, "points of a generation"},
                  {"generations", 5, 0, 1'000, "of a question"},
                  {"parents", 100, 1, 100'000, "selected by roulette from a population"},
                  {"keys", 0.5, 0, 1, "the share of knobs, the most important ones, that children inherit"},
                  {"elites", 20, 0, 100'000, "the best of a population, kept in the next"},
                  {"history", 32, 0, 100'000, "the best measured points, in every first population"},
                  {"greedy", 0.6, 0, 1,
                   "the share of points that are the best predicted; others by roulette"},
                  {"crowd", 0.5, 0, 1, "the most of the best predicted that are of one sketch"},
                  {"temperature", 0.6, 0.01, 100, "of roulettes: smaller prefers the fast ones more"},
                  {"optimism", 0.5, 0, 10, "how many deviations of a prediction count as speed"},
                  {"patience", 8, 0.1, 10'000,
                   "trials at half the best speed that halve a sketch's share of new points"}},
      .make = [](const Setting& setting) { return std::make_unique<ConstrainedGeneticSearch>(setting); }};
}

}  // namespace ardea::search
