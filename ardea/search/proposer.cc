#include "ardea/search/proposer.h"

#include <algorithm>
#include <utility>

#include "ardea/search/roulette.h"

namespace ardea::search {

using space::Choice;

std::vector<Choice> Proposer::ask(std::size_t count, const Extra& extra) {
  ground_.open(extra);
  std::vector<Choice> asked;
  const auto take = [&](const Choice& choice) {
    if (asked.size() >= count || !ground_.is_new(choice) || !ground_.contains(choice)) return;
    ground_.mark(choice);
    asked.push_back(choice);
  };
  std::vector<Choice> later;
  for (Choice& choice : std::exchange(waiting_, {})) {
    take(choice);
    if (ground_.is_point(choice) && ground_.is_new(choice)) later.push_back(std::move(choice));
  }
  waiting_ = std::move(later);
  if (asked.size() < count)
    for (const Choice& choice : propose(count - asked.size())) take(choice);
  if (asked.size() < count)
    for (const Choice& choice : ground_.draw(count - asked.size(), random_)) take(choice);
  return asked;
}

std::size_t Proposer::without_chance(std::size_t count, double probability) {
  std::size_t left = count;
  for (std::size_t i = 0; i < count; ++i)
    if (random_.chance(probability)) --left;
  return left;
}

std::vector<Choice> Proposer::from_the_best(std::size_t count,
                                            const std::function<std::optional<Choice>(const Choice&)>& move) {
  std::vector<Choice> from = history_.best(std::max<std::size_t>(count, 1)), found;
  std::erase_if(from, [&](const Choice& choice) { return !ground_.contains(choice); });
  if (from.empty()) return found;
  std::vector<double> scores;
  for (const Choice& choice : from) scores.push_back(*history_.score(choice));
  const std::vector<double> weights = weights_of(scores);
  Choices taken;
  for (std::size_t tried = 0; found.size() < count && tried < 8 * count; ++tried)
    if (auto next = move(from[roulette(weights, random_)]);
        next && ground_.is_new(*next) && taken.insert(*next).second)
      found.push_back(*std::move(next));
  return found;
}

void Proposer::tell(const cost::Known& result) {
  ground_.mark(result.choice);
  history_.add(ground_, result);
}

}  // namespace ardea::search
