#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "ardea/search/moves.h"
#include "ardea/search/proposer.h"
#include "ardea/search/ranking.h"
#include "ardea/search/table.h"

namespace ardea::search {

namespace {

using space::Choice;

/// AutoTVM's: many chains walk over the predictions, cooling down, and the best points that any of them saw
/// are measured, with a few by chance. Chains go on from question to question. AutoTVM takes 500 steps of
/// each chain for every 64 points; here a question takes fewer, since the model is a new one each time.
class AnnealingSearch : public Proposer {
 public:
  explicit AnnealingSearch(const Setting& setting) : Proposer(setting) {}

 private:
  std::vector<Choice> propose(std::size_t count) override {
    const std::size_t planned = without_chance(count, option("epsilon"));
    if (has_model()) return walk(planned);
    if (setting_.model) return {};  // until it has learned, all is left to chance
    return from_the_best(planned, [&](const Choice& from) { return step(ground_, from, random_); });
  }

  std::vector<Choice> walk(std::size_t count) {
    Ranking ranking(*setting_.model, option("optimism"));
    begin();
    std::vector<double> ranks = ranking.of(chains_);
    Best best(count);
    const auto see = [&](std::size_t from) {
      bool is_better = false;
      for (std::size_t i = from; i < ranking.seen().size(); ++i)
        if (ground_.is_new(ranking.seen()[i])) is_better |= best.add(ranking.of({ranking.seen()[i]})[0]);
      return is_better;
    };
    see(0);
    const auto steps = count_of("steps"), patience = count_of("patience");
    std::size_t idle = 0;
    for (std::size_t t = 0; t < steps && idle < patience; ++t) {
      const double temperature =
          option("temperature") * (1 - static_cast<double>(t) / static_cast<double>(steps));
      std::vector<Choice> moved = chains_;
      for (Choice& choice : moved)
        if (auto next = step(ground_, choice, random_)) choice = *std::move(next);
      const std::size_t before = ranking.seen().size();
      const std::vector<double> reached = ranking.of(moved);
      for (std::size_t i = 0; i < chains_.size(); ++i) {
        if (!random_.chance(std::exp(std::min((reached[i] - ranks[i]) / (temperature + 1e-5), 0.0))))
          continue;
        chains_[i] = moved[i];
        ranks[i] = reached[i];
      }
      idle = see(before) ? 0 : idle + 1;
    }
    std::vector<Choice> found = ranking.seen();
    std::erase_if(found, [&](const Choice& choice) { return !ground_.is_new(choice); });
    return ranking.best(found, count);
  }

  void begin() {
    std::erase_if(chains_, [&](const Choice& choice) { return !ground_.contains(choice); });
    const std::size_t wanted = count_of("chains");
    if (chains_.size() < wanted)
      for (Choice& choice : ground_.draw(wanted - chains_.size(), random_, Ground::Shares::even))
        chains_.push_back(std::move(choice));
    // Where nearly all is known, chains begin at what is.
    for (const Choice& choice : history_.best(wanted - std::min(wanted, chains_.size())))
      if (ground_.contains(choice)) chains_.push_back(choice);
  }

  /// The greatest so many ranks that were seen.
  class Best {
   public:
    explicit Best(std::size_t count) : count_(count) {}
    bool add(double rank) {
      if (ranks_.size() == count_ && (count_ == 0 || rank <= ranks_.top())) return false;
      if (ranks_.size() == count_) ranks_.pop();
      ranks_.push(rank);
      return true;
    }

   private:
    std::size_t count_;
    std::priority_queue<double, std::vector<double>, std::greater<>> ranks_;
  };

  std::vector<Choice> chains_;
};

}  // namespace

Method annealing_method() {
  return {.name = "annealing",
          .summary = "AutoTVM's simulated annealing over the model's predictions",
          .uses_model = true,
          .options = {{"chains", 128, 1, 10'000, "that walk side by side"},
                      {"steps", 50, 1, 10'000, "of each chain for a question"},
                      {"patience", 10, 1, 10'000, "steps without a better point that end a question early"},
                      {"temperature", 1, 0, 100, "at the first step; at the last it is 0"},
                      {"optimism", 0, 0, 10, "how many deviations of a prediction count as speed"},
                      {"epsilon", 0.05, 0, 1, "the share of points by chance"}},
          .make = [](const Setting& setting) { return std::make_unique<AnnealingSearch>(setting); }};
}

}  // namespace ardea::search
