#include <algorithm>

#include "ardea/search/moves.h"
#include "ardea/search/proposer.h"
#include "ardea/search/roulette.h"
#include "ardea/search/table.h"

namespace ardea::search {

namespace {

using space::Choice;

/// AutoTVM's genetic algorithm: a generation is measured, its points and the elite of all become parents by
/// their speed, and children are cut from two of them at one place and mutated knob by knob. Where AutoTVM
/// measures whatever comes out, here the solution nearest to it is meant.
class GeneticSearch : public Proposer {
 public:
  explicit GeneticSearch(const Setting& setting) : Proposer(setting) {}

 private:
  std::vector<Choice> propose(std::size_t count) override {
    std::vector<Choice> asked;
    while (asked.size() < count) {
      if (next_ == generation_.size() && !breed()) break;
      asked.push_back(generation_[next_++]);
    }
    return asked;
  }

  /// The next generation; false where there is none.
  bool breed() {
    std::vector<Choice> parents = history_.best(count_of("elites"));
    for (const Choice& choice : generation_)
      if (history_.score(choice) && std::find(parents.begin(), parents.end(), choice) == parents.end())
        parents.push_back(choice);
    std::erase_if(parents, [&](const Choice& choice) { return !ground_.contains(choice); });
    next_ = 0;
    generation_ = parents.empty() ? ground_.draw(count_of("population"), random_) : children_of(parents);
    return !generation_.empty();
  }

  std::vector<Choice> children_of(const std::vector<Choice>& parents) {
    std::vector<double> scores;
    for (const Choice& parent : parents) scores.push_back(*history_.score(parent));
    const std::vector<double> weights = weights_of(scores);
    std::vector<Choice> children;
    Choices taken;
    const std::size_t wanted = count_of("population");
    for (std::size_t tried = 0; children.size() < wanted && tried < 4 * wanted; ++tried) {
      const Choice& a = parents[roulette(weights, random_)];
      std::vector<double> of_its_sketch = weights;
      for (std::size_t i = 0; i < parents.size(); ++i)
        if (parents[i].sketch != a.sketch) of_its_sketch[i] = 0;
      const auto child = ground_.nearest(child_of(a, parents[roulette(of_its_sketch, random_)]));
      if (child && ground_.is_new(*child) && taken.insert(*child).second) children.push_back(*child);
    }
    return children;
  }

  Choice child_of(const Choice& a, const Choice& b) {
    const std::vector<space::Var>& knobs = ground_.system(a.sketch).knobs();
    const space::Layout& layout = ground_.solver(a.sketch).engine().layout();
    const std::int64_t cut = random_.integer(0, std::ssize(knobs));
    Choice child = a;
    for (std::size_t k = 0; k < knobs.size(); ++k) {
      const auto at = static_cast<std::size_t>(knobs[k].index);
      if (static_cast<std::int64_t>(k) >= cut) child.point[at] = b.point[at];
      if (random_.chance(option("mutation")))
        child.point[at] = any_of(layout.domain(knobs[k].index), random_);
    }
    return child;
  }

  std::vector<Choice> generation_;
  std::size_t next_ = 0;  ///< not asked for yet
};

}  // namespace

Method ga_method() {
  return {.name = "ga",
          .summary = "AutoTVM's genetic algorithm over measured points, children repaired by the solver",
          .options = {{"population", 100, 2, 10'000, "points of a generation"},
                      {"elites", 3, 1, 1'000, "the fastest so far, parents of every generation"},
                      {"mutation", 0.1, 0, 1, "the chance of each knob to change"}},
          .make = [](const Setting& setting) { return std::make_unique<GeneticSearch>(setting); }};
}

}  // namespace ardea::search
