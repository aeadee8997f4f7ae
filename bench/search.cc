#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "ardea/cost/analytic_model.h"
#include "ardea/cost/boosted_model.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/search/ground.h"
#include "ardea/search/moves.h"
#include "ardea/search/strategy.h"
#include "ardea/support/error.h"
#include "ardea/support/timings.h"
#include "ardea/target/target.h"
#include "bench/search_landscape.h"

/// Strategies in simulation: the spaces are those of real operators, the machine is made up (by
/// search_landscape.h) and another one for every seed. For each method the mean of optimum / best so far at
/// given trials, and what asking takes. Nothing is compiled or timed, so that every machine prints the same.

namespace {

using namespace ardea;
using space::Choice;

struct Asked {
  std::string op, sizes;
};

const std::vector<Asked> all_asked = {{"gemm", "1024,1024,1024"},
                                      {"c2d", "1,56,56,64,64,3,3,1,1,1"},
                                      {"softmax", "1024,1024"},
                                      {"gemm_bias_relu", "512,512,512"}};

struct Settings {
  std::string target = "neoverse-v1", only;
  std::vector<std::string> methods, options;
  std::vector<std::size_t> marks = {16, 64, 256};
  int seeds = 30, first_seed = 1;
  std::size_t batch = 16;
  std::string model = "rank";
  bool prior = false, spoiled = false;
};

struct Run {
  std::vector<double> best;  ///< seconds, at each mark
  double asking = 0, most_asking = 0, learning = 0;
  std::size_t questions = 0;
};

/// What no model is: by it one sees what of a result is the search's.
class PerfectModel : public cost::Model {
 public:
  PerfectModel(const bench::Landscape& landscape, const std::vector<const space::Solver*>& sketches)
      : landscape_(&landscape), sketches_(sketches) {}
  void learn(const std::vector<cost::Known>&) override {}
  bool is_trained() const override { return true; }
  std::vector<cost::Prediction> predict(const std::vector<Choice>& choices) const override {
    std::vector<cost::Prediction> all;
    for (const Choice& choice : choices) all.push_back({.score = -std::log(landscape_->seconds(choice))});
    return all;
  }
  std::vector<double> importance(std::size_t sketch) const override {
    const std::size_t knobs = sketches_[sketch]->system().knobs().size();
    return std::vector<double>(knobs, 1 / static_cast<double>(knobs));
  }

 private:
  const bench::Landscape* landscape_;
  std::vector<const space::Solver*> sketches_;
};

/// A record that is wrong in all that is no limit: caches, latencies and rates.
target::Target spoiled(target::Target target) {
  for (target::Cache& cache : target.caches) cache.bytes /= cache.level == 1 ? 8 : cache.level == 2 ? 4 : 1;
  target.core.loads_per_cycle *= 2;
  target.core.multiplications_per_cycle = std::max(1, target.core.multiplications_per_cycle / 2);
  target.core.sum_cycles *= 2;
  return target;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

class Bench {
 public:
  explicit Bench(const Settings& settings) : settings_(settings), target_(target::find(settings.target)) {
    for (const std::string& option : settings_.options) {
      const std::size_t at = option.find('=');
      require(at != std::string::npos, "--set {}: give NAME=NUMBER", option);
      options_[option.substr(0, at)] = std::stod(option.substr(at + 1));
    }
    if (settings_.methods.empty())
      for (const search::Method& method : search::methods()) settings_.methods.push_back(method.name);
  }

  void run(const Asked& asked) {
    const ops::Workload workload =
        ops::make_workload({.op = asked.op, .sizes = ops::parse_sizes(asked.sizes)});
    const rules::ProgramSpace space =
        rules::program_space(ops::create_function(workload, "main"), target_, rules::rules_for(target_));
    sketches_.clear();
    std::vector<bench::Landscape::Sketch> traits;
    std::size_t knobs = 0;
    std::vector<cost::SketchView> views;
    for (const rules::SolvedSketch& one : space.sketches) {
      sketches_.push_back(one.solver.get());
      traits.push_back({one.solver.get()});
      for (const rules::Way& way : one.sketch.ways)
        traits.back().traits.push_back(way.question + " = " + way.answers[way.taken]);
      knobs = std::max(knobs, one.sketch.system.knobs().size());
      cost::SketchView& view = views.emplace_back();
      view.system = &one.solver->system();
      view.symbolic = &one.sketch.symbolic;
      for (const schedule::Knob& knob : one.sketch.knobs) view.knobs.push_back(knob.var);
      for (const rules::Way& way : one.sketch.ways) view.ways.push_back({way.question, way.taken});
    }
    features_ = std::make_shared<cost::Features>(views, settings_.spoiled ? spoiled(target_) : target_);
    const auto cycles = cost::make_analytic_model(std::make_shared<cost::Features>(views, target_));
    fmt::print("\n{} {} on {}: {:.3g} points in {} sketches of up to {} knobs; {} seeds, batches of {}\n",
               asked.op, asked.sizes, target_.name, space.count().value, sketches_.size(), knobs,
               settings_.seeds, settings_.batch);
    std::map<std::string, std::vector<Run>> runs;
    std::vector<double> optima;
    for (int seed = settings_.first_seed; seed < settings_.first_seed + settings_.seeds; ++seed) {
      const bench::Landscape landscape(traits, *cycles, static_cast<std::uint64_t>(seed));
      double least = 1e30;
      for (const std::string& name : settings_.methods) {
        runs[name].push_back(simulate(name, landscape, static_cast<std::uint64_t>(seed)));
        least = std::min(least, runs[name].back().best.back());
      }
      optima.push_back(std::min(least, optimum(landscape, static_cast<std::uint64_t>(seed))));
    }
    std::string head = fmt::format("  {:10}", "method");
    for (const std::size_t mark : settings_.marks) head += fmt::format(" {:>6} trials", mark);
    fmt::print("{}  asking, ms (most)  learning, ms\n", head);
    for (const std::string& name : settings_.methods) print(name, runs.at(name), optima);
    std::fflush(stdout);
  }

 private:
  void print(const std::string& name, const std::vector<Run>& runs, const std::vector<double>& optima) {
    std::string line = fmt::format("  {:10}", name);
    for (std::size_t m = 0; m < settings_.marks.size(); ++m) {
      std::vector<double> shares;
      for (std::size_t i = 0; i < runs.size(); ++i) shares.push_back(optima[i] / runs[i].best[m]);
      const double middle = mean(shares);
      double squares = 0;
      for (const double share : shares) squares += (share - middle) * (share - middle);
      const auto n = static_cast<double>(shares.size());
      line += fmt::format("  {:.3f} ±{:.3f}", middle, n > 1 ? std::sqrt(squares / (n - 1) / n) : 0);
    }
    double asking = 0, most = 0, learning = 0, questions = 0;
    for (const Run& run : runs) {
      asking += run.asking;
      learning += run.learning;
      most = std::max(most, run.most_asking);
      questions += static_cast<double>(run.questions);
    }
    fmt::print("{} {:9.1f} ({:.0f}) {:12.1f}\n", line, asking / questions * 1e3, most * 1e3,
               learning / questions * 1e3);
  }

  std::unique_ptr<cost::Model> model_of(const bench::Landscape& landscape, std::uint64_t seed) const {
    if (settings_.model == "none") return nullptr;
    if (settings_.model == "perfect") return std::make_unique<PerfectModel>(landscape, sketches_);
    const cost::Loss loss = settings_.model == "rank" ? cost::Loss::rank : cost::Loss::regression;
    return cost::make_boosted_model(features_, {.seed = seed, .loss = loss, .prior = settings_.prior});
  }

  Run simulate(const std::string& name, const bench::Landscape& landscape, std::uint64_t seed) const {
    const search::Method& method = search::method(name);
    const auto model = model_of(landscape, seed);
    search::Setting setting{.sketches = sketches_, .seed = seed};
    if (method.uses_model) setting.model = model.get();
    for (const auto& [option, value] : options_)
      for (const search::Option& each : method.options)
        if (each.name == option) setting.options[option] = value;
    const auto strategy = method.make(setting);
    Run run;
    std::vector<cost::Known> known;
    double best = 1e30;
    for (const std::size_t mark : settings_.marks) {
      while (known.size() < mark) {
        std::vector<Choice> points;
        const double before = processor_seconds();
        points = strategy->ask(std::min(settings_.batch, mark - known.size()));
        const double asking = processor_seconds() - before;
        run.asking += asking;
        run.most_asking = std::max(run.most_asking, asking);
        ++run.questions;
        if (points.empty()) break;
        for (Choice& point : points) {
          known.push_back({std::move(point), TrialOutcome::timed, 0});
          known.back().seconds = landscape.seconds(known.back().choice);
          best = std::min(best, known.back().seconds);
          strategy->tell(known.back());
        }
        const double told = processor_seconds();
        if (setting.model) model->learn(known);
        run.learning += processor_seconds() - told;
      }
      run.best.push_back(best);
    }
    return run;
  }

  /// The best of many points by chance, and of what steps from the best of them lead to.
  double optimum(const bench::Landscape& landscape, std::uint64_t seed) const {
    const search::Ground ground({.sketches = sketches_});
    Random random(seed);
    std::vector<std::pair<double, Choice>> best;
    for (Choice& choice : ground.draw(20'000, random)) {
      const double seconds = landscape.seconds(choice);
      best.emplace_back(seconds, std::move(choice));
    }
    std::sort(best.begin(), best.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    best.resize(std::min<std::size_t>(best.size(), 12));
    double least = best.front().first;
    for (auto& [seconds, at] : best) {
      for (int idle = 0; idle < 400; ++idle) {
        const auto next = search::step(ground, at, random);
        if (!next) break;
        const double reached = landscape.seconds(*next);
        if (reached >= seconds) continue;
        seconds = reached;
        at = *next;
        idle = 0;
      }
      least = std::min(least, seconds);
    }
    return least;
  }

  Settings settings_;
  target::Target target_;
  std::map<std::string, double> options_;
  std::vector<const space::Solver*> sketches_;
  std::shared_ptr<const cost::Features> features_;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Simulates strategies on the spaces of real operators and machines that are made up.");
  app.add_option("--target", settings.target);
  app.add_option("--only", settings.only, "this operator alone");
  app.add_option("--methods", settings.methods, "these alone")->delimiter(',');
  app.add_option("--set", settings.options, "NAME=NUMBER: an option of every method that has it")
      ->delimiter(',');
  app.add_option("--trials", settings.marks, "at which the best so far is told, rising")->delimiter(',');
  app.add_option("--seeds", settings.seeds);
  app.add_option("--first-seed", settings.first_seed,
                 "of the machines, for those that nothing was chosen on");
  app.add_option("--batch", settings.batch, "points of a question");
  app.add_option("--model", settings.model,
                 "boosted trees that learn as they are told, to rank or by regression, or one that knows all")
      ->check(CLI::IsMember({"none", "rank", "regression", "perfect"}));
  app.add_flag("--prior", settings.prior, "the model begins with the cycles that the machine was made of");
  app.add_flag("--spoiled", settings.spoiled, "what the model knows of the machine is wrong by factors");
  CLI11_PARSE(app, argc, argv);
  try {
    Bench bench(settings);
    for (const Asked& asked : all_asked)
      if (settings.only.empty() || asked.op == settings.only) bench.run(asked);
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
