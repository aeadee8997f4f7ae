#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <ctime>
#include <functional>
#include <map>

#include "ardea/space/evaluate.h"
#include "ardea/space/solver.h"
#include "ardea/support/error.h"
#include "tests/space/tensor_core_gemm.h"

/// How fast constraint systems are solved, on one core: the 14-knob system of a product on tensor cores at
/// three sizes, enumerated and by walks; how far the samples are from uniform; solutions under more
/// constraints; and whether all that is found holds by the evaluator that defines the language.

namespace {

using namespace ardea;
using namespace ardea::space;

/// Of this process, which has one thread: other people's work on the machine does not count.
double seconds(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

using Marginals = std::vector<std::map<std::int64_t, double>>;

void add(Marginals& marginals, const System& system, const Point& point, double share) {
  marginals.resize(system.knobs().size());
  for (std::size_t k = 0; k < system.knobs().size(); ++k)
    marginals[k][point[static_cast<std::size_t>(system.knobs()[k].index)]] += share;
}

/// The largest total variation of a knob's marginal.
double worst_distance(const Marginals& exact, const Marginals& sampled) {
  double worst = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    std::map<std::int64_t, double> difference = exact[k];
    for (const auto& [value, share] : sampled[k]) difference[value] -= share;
    double distance = 0;
    for (const auto& [value, d] : difference) distance += std::abs(d) / 2;
    worst = std::max(worst, distance);
  }
  return worst;
}

Marginals marginals_of(const System& system, const std::vector<Point>& points) {
  Marginals marginals;
  for (const Point& point : points) add(marginals, system, point, 1 / static_cast<double>(points.size()));
  return marginals;
}

struct Settings {
  std::size_t samples = 20'000;
  std::size_t checked = 1'000'000;
  std::uint64_t seed = 1;
};

class Bench {
 public:
  explicit Bench(const Settings& settings) : settings_(settings) {}

  void run(const std::string& title, const System& system) {
    fmt::print("\n{}: {} knobs, {} variables, {} constraints\n", title, system.knobs().size(),
               system.variables().size(), system.constraints().size());
    std::optional<Solver> tree, walks;
    const double making = seconds([&] { tree.emplace(system); });
    fmt::print("  tree     {} ({:.0f} ms)\n", tree->why(), making * 1e3);
    walks.emplace(system, SolverOptions{.tree = {.work = 0}});

    Marginals exact;
    for (std::uint64_t i = 0; i < tree->tree()->count(); ++i)
      add(exact, system, tree->tree()->point(i), 1 / static_cast<double>(tree->tree()->count()));
    const double tree_rate = sampled("tree", *tree, exact, settings_.samples);
    sampled("walks", *walks, exact, settings_.samples);
    target(tree_rate >= 5000, "at least 5,000 samples a second");
    const Count count = walks->count(settings_.seed);
    fmt::print("  count    {} exactly, {:.0f} ± {:.0f} by walks\n", tree->tree()->count(), count.value,
               count.error);
    target(std::abs(count.value - static_cast<double>(tree->tree()->count())) <= 4 * count.error,
           "the estimated count is within four standard errors");
    moves(system, *tree);
    check(system, *tree, *walks);
  }

  int failures() const { return failures_; }

 private:
  void target(bool met, const char* what) {
    if (met) return;
    fmt::print("  MISSED   {}\n", what);
    ++failures_;
  }

  double sampled(const char* name, const Solver& solver, const Marginals& exact, std::size_t samples) {
    Samples result;
    const double time = seconds([&] { result = solver.sample(samples, settings_.seed); });
    const double distance = worst_distance(exact, marginals_of(solver.system(), result.points));
    fmt::print(
        "  {:8} {:9.0f} samples/s, worst total variation of a marginal {:.4f}, effective size {:.0f} for {} "
        "samples{}{}\n",
        name, static_cast<double>(samples) / time, distance, result.effective_size, samples,
        result.alarm.empty() ? "" : "; ", result.alarm);
    target(distance <= 0.03, "total variation of marginals at most 0.03");
    return static_cast<double>(samples) / time;
  }

  /// Heron's crossover: all knobs but one between two parents; trust regions; neighbours.
  void moves(const System& system, const Solver& solver) {
    constexpr std::size_t questions = 4000;
    const std::vector<Point> parents = solver.sample(2 * questions, settings_.seed + 1).points;
    Random random(settings_.seed);
    std::vector<std::vector<Constraint>> crossovers, regions;
    for (std::size_t q = 0; q < questions; ++q) {
      std::vector<Constraint> crossover, region;
      const Var mutated = random.pick(system.knobs());
      for (const Var knob : system.knobs()) {
        const auto k = static_cast<std::size_t>(knob.index);
        const std::int64_t a = parents[2 * q][k], b = parents[2 * q + 1][k];
        if (!(knob == mutated)) crossover.push_back({"parents", "", {}, Member{knob, Domain::of({a, b})}});
        region.push_back({"region", "", {}, Member{knob, Domain::range(a / 4, 4 * a)}});
      }
      crossovers.push_back(std::move(crossover));
      regions.push_back(std::move(region));
    }
    for (const auto& [name, asked] : {std::pair("crossover", &crossovers), std::pair("region", &regions)}) {
      std::vector<Found> found;
      const double time = seconds([&] { found = solver.solve_all(*asked, settings_.seed); });
      std::size_t solved = 0;
      for (const Found& one : found)
        solved += one.answer == Answer::yes && is_solution(system, one.point) ? 1 : 0;
      fmt::print("  {:9}{:9.0f} solves/s\n", name, static_cast<double>(questions) / time);
      // The parents are solutions of what is asked.
      target(solved == questions, "every question that has a solution is answered by one");
      target(static_cast<double>(questions) / time >= 1000, "at least 1,000 incremental solves a second");
    }
    const GecodeModel root(solver.engine());
    std::size_t arrived = 0;
    const double time = seconds([&] {
      for (const auto& crossover : crossovers) {
        std::vector<Constraint> extra;
        for (const Constraint& constraint : crossover) extra.push_back(system.canonical(constraint));
        const GecodeModel narrowed = root.with(extra);
        for (int attempt = 0; attempt < 20; ++attempt) {
          if (!narrowed.walk(random)) continue;
          ++arrived;
          break;
        }
      }
    });
    fmt::print("  crossover{:9.0f} solves/s in Gecode, {} of {} within 20 walks\n",
               static_cast<double>(questions) / time, arrived, questions);
    std::size_t around = 0;
    const double near = seconds([&] {
      for (std::size_t i = 0; i < 20; ++i) around += solver.neighbours(parents[i]).size();
    });
    fmt::print("  neighbours {:.1f} of a point, {:.1f} ms\n", static_cast<double>(around) / 20,
               near / 20 * 1e3);
  }

  void check(const System& system, const Solver& tree, const Solver& walks) {
    const std::size_t by_walks = settings_.checked / 20;
    std::size_t invalid = 0, seen = 0;
    const double time = seconds([&] {
      for (const Solver* solver : {&tree, &walks}) {
        const std::size_t wanted = solver == &tree ? settings_.checked - by_walks : by_walks;
        for (const Point& point : solver->sample(wanted, settings_.seed + 2).points) {
          ++seen;
          invalid += is_solution(system, point) ? 0 : 1;
        }
      }
    });
    fmt::print("  checked  {} solutions ({} by walks), {} invalid, {:.0f} s\n", seen, by_walks, invalid,
               time);
    target(invalid == 0 && seen == settings_.checked, "no invalid solution");
  }

  Settings settings_;
  int failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app(
      "Times solving two tensor-core systems at three sizes; exits with 1 where a target is missed.");
  app.add_option("--samples", settings.samples, "samples drawn for rates and marginals");
  app.add_option("--check", settings.checked, "solutions checked, of each system at each size a sixth");
  app.add_option("--seed", settings.seed);
  CLI11_PARSE(app, argc, argv);
  try {
    settings.checked = (settings.checked + 5) / 6;
    Bench bench(settings);
    for (const auto& [m, n, k] :
         {std::tuple(1024, 1024, 1024), std::tuple(1536, 3072, 768), std::tuple(5120, 13824, 5120)}) {
      bench.run(fmt::format("{} x {} x {}", m, n, k), space::testing::tensor_core_gemm(m, n, k));
      bench.run(fmt::format("{} x {} x {} in stages on an A100", m, n, k),
                space::testing::tensor_core_pipeline(target::find("a100"), m, n, k));
    }
    return bench.failures() == 0 ? 0 : 1;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
