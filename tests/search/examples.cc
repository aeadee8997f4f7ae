#include <fmt/core.h>

#include "tests/search/examples.h"

#include "ardea/space/evaluate.h"
#include "ardea/space/parse.h"
#include "tests/space/random_system.h"

namespace ardea::search::testing {

using space::Choice;

std::vector<const space::Solver*> Space::sketches() const {
  std::vector<const space::Solver*> list;
  for (const auto& solver : solvers) list.push_back(solver.get());
  return list;
}

std::vector<Choice> Space::all() const {
  std::vector<Choice> points;
  for (std::size_t s = 0; s < solvers.size(); ++s)
    for (space::Point& point : space::testing::all_solutions(solvers[s]->system()))
      points.push_back({s, std::move(point)});
  return points;
}

space::SolverOptions by_walks(int threads) { return {.tree = {.work = 0}, .walks = {.threads = threads}}; }

Space random_space(Random& random, bool is_by_walks, std::size_t most) {
  Space result;
  std::size_t points = 0;
  for (std::int64_t wanted = random.integer(1, 3); wanted > 0;) {
    space::System system = space::testing::random_system(random);
    const std::size_t count = space::testing::all_solutions(system).size();
    if (count == 0 || points + count > most) continue;
    points += count;
    result.add(std::move(system), is_by_walks ? by_walks() : space::SolverOptions{});
    --wanted;
  }
  return result;
}

Space tiling_space(std::int64_t extent) {
  Space result;
  for (const char* extra : {"require r: m2 * n2 <= 64", "require r: m2 * n2 <= 96 require p: k1 >= 8",
                            "require r: m2 + n2 <= 24"}) {
    std::string text;
    for (const char* axis : {"m", "n", "k"}) {
      std::string divisors;
      for (std::int64_t d = 1; d <= extent; ++d)
        if (extent % d == 0) divisors += (divisors.empty() ? "" : ", ") + std::to_string(d);
      const int parts = axis[0] == 'k' ? 2 : 3;
      std::string product;
      for (int i = 0; i < parts; ++i) {
        const std::string name = axis + std::to_string(i);
        text += fmt::format("knob {} in {{{}}}\n", name, divisors);
        product += (i > 0 ? " * " : "") + name;
      }
      text += std::string("require whole_") + axis + ": " + product + " == " + std::to_string(extent) + "\n";
    }
    text += "knob vector in {1, 2, 4, 8}\nknob unroll in 0..5\n";
    text += "require lanes: vector divides n2\n";
    result.add(space::parse(text + extra + "\n"));
  }
  return result;
}

double tiling_seconds(const space::System& system, const Choice& choice) {
  const auto value = [&](const char* name) {
    return static_cast<double>(choice.point[static_cast<std::size_t>(system.get(name).index)]);
  };
  const auto off = [](double x, double best) { return std::pow(std::log2(x / best), 2); };
  double cost = 0.08 * off(value("m2"), 8) + 0.08 * off(value("n2"), 8) + 0.05 * off(value("k1"), 32) +
                0.03 * off(value("m1") * value("n1"), 64) + 0.1 * off(value("vector"), 4) +
                0.02 * std::pow(value("unroll") - 3, 2) + 0.15 * static_cast<double>(choice.sketch);
  const double bytes = 4 * value("k1") * (value("m2") * value("m1") + value("n2") * value("n1"));
  if (bytes > 32768) cost += 0.3 + 0.1 * std::log2(bytes / 32768);
  return 1e-3 * std::exp(cost);
}

double least_seconds(const Space& space) {
  double least = 1e9;
  for (std::size_t s = 0; s < space.solvers.size(); ++s) {
    const space::Tree& tree = *space.solvers[s]->tree();
    for (std::uint64_t i = 0; i < tree.count(); ++i)
      least = std::min(least, tiling_seconds(space.solvers[s]->system(), {s, tree.point(i)}));
  }
  return least;
}

namespace {

class KnowingModel : public cost::Model {
 public:
  KnowingModel(std::function<double(const Choice&)> seconds, double noise, std::size_t least_known,
               const Space& space)
      : seconds_(std::move(seconds)), noise_(noise), least_known_(least_known) {
    for (const auto& solver : space.solvers) knobs_.push_back(solver->system().knobs().size());
  }

  void learn(const std::vector<cost::Known>& known) override { known_ = known.size(); }
  bool is_trained() const override { return known_ >= least_known_; }
  std::vector<cost::Prediction> predict(const std::vector<Choice>& choices) const override {
    std::vector<cost::Prediction> all;
    for (const Choice& choice : choices) {
      // The same noise for the same point: a model that errs, errs whenever it is asked.
      std::uint64_t hash = choice.sketch;
      for (const std::int64_t value : choice.point)
        hash = Random(hash ^ static_cast<std::uint64_t>(value)).next();
      Random random(hash);
      double noise = -6;
      for (int i = 0; i < 12; ++i) noise += random.real();
      all.push_back({.score = -std::log(seconds_(choice)) + noise_ * noise});
    }
    return all;
  }
  std::vector<double> importance(std::size_t sketch) const override {
    return std::vector<double>(knobs_[sketch], 1 / static_cast<double>(knobs_[sketch]));
  }

 private:
  std::function<double(const Choice&)> seconds_;
  double noise_;
  std::size_t least_known_, known_ = 0;
  std::vector<std::size_t> knobs_;
};

}  // namespace

std::unique_ptr<cost::Model> knowing_model(std::function<double(const Choice&)> seconds, double noise,
                                           std::size_t least_known, const Space& space) {
  return std::make_unique<KnowingModel>(std::move(seconds), noise, least_known, space);
}

cost::Known timed(Choice choice, double seconds) { return {std::move(choice), TrialOutcome::timed, seconds}; }

}  // namespace ardea::search::testing
