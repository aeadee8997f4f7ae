#include <algorithm>

#include "ardea/search/mutators.h"
#include "ardea/search/proposer.h"
#include "ardea/search/ranking.h"
#include "ardea/search/roulette.h"
#include "ardea/search/table.h"

namespace ardea::search {

namespace {

using space::Choice;

/// MetaSchedule's evolutionary search: a population of measured and random points is mutated decision by
/// decision, by the model's predictions; the best that were seen are measured, with a few by chance.
class EvolutionSearch : public Proposer {
 public:
  explicit EvolutionSearch(const Setting& setting) : Proposer(setting) {
    for (std::size_t s = 0; s < ground_.sketches(); ++s)
      decisions_.push_back(decisions_of(ground_.solver(s)));
  }

 private:
  std::vector<Choice> propose(std::size_t count) override {
    const std::size_t planned = without_chance(count, option("epsilon"));
    if (has_model()) return evolve(planned);
    if (setting_.model) return {};  // until it has learned, all is left to chance
    return from_the_best(planned, [&](const Choice& from) { return std::optional(mutated(from)); });
  }

  std::vector<Choice> evolve(std::size_t count) {
    Ranking ranking(*setting_.model, option("optimism"));
    std::vector<Choice> population = beginning();
    for (std::size_t generation = 0; generation < count_of("generations") && !population.empty();
         ++generation) {
      const std::vector<double> weights = weights_of(ranking.of(population));
      std::vector<Choice> next;
      for (std::size_t i = 0; i < population.size(); ++i) {
        const Choice& from = population[roulette(weights, random_)];
        next.push_back(random_.chance(option("mutation")) ? mutated(from) : from);
      }
      population = std::move(next);
    }
    ranking.of(population);
    std::vector<Choice> found = ranking.seen();
    std::erase_if(found, [&](const Choice& choice) { return !ground_.is_new(choice); });
    return ranking.best(found, count);
  }

  std::vector<Choice> beginning() {
    const std::size_t size = count_of("population");
    std::vector<Choice> points =
        history_.best(static_cast<std::size_t>(option("measured") * static_cast<double>(size)));
    std::erase_if(points, [&](const Choice& choice) { return !ground_.contains(choice); });
    for (Choice& choice : ground_.draw(size - std::min(size, points.size()), random_, Ground::Shares::even))
      points.push_back(std::move(choice));
    return points;
  }

  /// The point itself where a few mutations lead nowhere.
  Choice mutated(const Choice& from) {
    constexpr int most_tried = 10;
    const Decisions& decisions = decisions_[from.sketch];
    for (int tried = 0; tried < most_tried; ++tried) {
      auto next = random_.chance(option("tile")) ? mutate_tile(ground_, decisions, from, random_)
                                                 : mutate_category(ground_, decisions, from, random_);
      if (next && !(*next == from)) return *std::move(next);
    }
    return from;
  }

  std::vector<Decisions> decisions_;  ///< by sketch
};

}  // namespace

Method evolution_method() {
  return {
      .name = "evolution",
      .summary = "MetaSchedule's evolution of decisions: factors move within splits, categories are redrawn",
      .uses_model = true,
      .options = {{"population", 512, 2, 100'000, "points of a generation"},
                  {"generations", 4, 0, 1'000, "of a question"},
                  {"measured", 0.2, 0, 1, "the share of the first population that was measured"},
                  {"mutation", 0.85, 0, 1, "the chance of a point to change from one generation to the next"},
                  {"tile", 0.9, 0, 1, "the chance that what changes is a tile, not a category"},
                  {"optimism", 0, 0, 10, "how many deviations of a prediction count as speed"},
                  {"epsilon", 0.05, 0, 1, "the share of points by chance"}},
      .make = [](const Setting& setting) { return std::make_unique<EvolutionSearch>(setting); }};
}

}  // namespace ardea::search
