#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "ardea/compile/compile.h"
#include "ardea/cost/analytic_model.h"
#include "ardea/cost/boosted_model.h"
#include "ardea/cost/rank_correlation.h"
#include "ardea/measure/inputs.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/support/error.h"
#include "ardea/support/random.h"
#include "ardea/support/timings.h"

/// How well models rank programs that they have not seen: points of spaces, drawn at random and timed on this
/// machine, against what is predicted of them. By rank correlation, and by how fast the best of the few that
/// would be tried next is beside the best of all.

namespace {

using namespace ardea;

struct Asked {
  std::string op, sizes;
};

const std::vector<Asked> all_asked = {
    {"gemm", "512,512,512"},
    {"gemm", "256,384,640"},
    {"gemm_bias_relu", "512,512,512"},
    {"c2d", "1,56,56,64,64,3,3,1,1,1"},
    {"c2d", "1,14,14,256,256,3,3,1,1,1"},
    {"depthwise", "1,56,56,64,3,3,1,1"},
    {"softmax", "1024,1024"},
};

/// A space with some of its points timed.
struct Task {
  Asked asked;
  std::unique_ptr<rules::ProgramSpace> space;
  std::shared_ptr<const cost::Features> features, variables;
  std::vector<cost::Known> known;
};

double time_of(const Function& f, const target::Target& target) {
  const runtime::Function kernel = compile::callable(f, target);
  std::vector<runtime::Value> arguments;
  for (const interp::Argument& argument : measure::make_arguments(f, {.seed = 1}))
    std::visit([&](const auto& value) { arguments.emplace_back(value); }, argument);
  runtime::TimeEvaluator evaluator;
  evaluator.repeat = 9;
  evaluator.min_repeat_ms = 5;
  evaluator.clock = processor_seconds;  // whoever else runs on the machine does not count
  std::vector<double> samples = evaluator(kernel, arguments).samples;
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 4];  // a neighbour in the caches makes them longer, nothing shorter
}

void read_times(const std::string& file, std::vector<cost::Known>& known) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    cost::Known one;
    words >> one.choice.sketch >> one.seconds;
    for (std::int64_t value = 0; words >> value;) one.choice.point.push_back(value);
    known.push_back(std::move(one));
  }
}

void take_times(Task& task, const target::Target& target, std::size_t points, const std::string& file) {
  std::vector<rules::Choice> choices = task.space->sample(points, 1).choices;
  if (const auto& model = task.space->sketches[0].sketch.model) choices.insert(choices.begin(), {0, *model});
  std::ofstream out;
  if (!file.empty()) out.open(file);
  for (const rules::Choice& choice : choices) {
    const double seconds = time_of(task.space->materialise(choice).program(), target);
    task.known.push_back({choice, TrialOutcome::timed, seconds});
    out << choice.sketch << ' ' << seconds;
    for (const std::int64_t value : choice.point) out << ' ' << value;
    out << std::endl;
  }
}

Task make_task(const Asked& asked, const target::Target& target) {
  Task task{asked, {}, {}, {}, {}};
  const ops::Workload workload = ops::make_workload({.op = asked.op, .sizes = ops::parse_sizes(asked.sizes)});
  task.space = std::make_unique<rules::ProgramSpace>(
      rules::program_space(ops::create_function(workload, "main"), target, rules::rules_for(target)));
  std::vector<cost::SketchView> full, bare;
  for (const rules::SolvedSketch& solved : task.space->sketches) {
    const rules::Sketch& sketch = solved.sketch;
    cost::SketchView view{&sketch.system};
    bare.push_back(view);
    view.symbolic = &sketch.symbolic;
    for (const schedule::Knob& knob : sketch.knobs) view.knobs.push_back(knob.var);
    for (const rules::Way& way : sketch.ways) view.ways.push_back({way.question, way.taken});
    full.push_back(std::move(view));
  }
  task.features = std::make_shared<cost::Features>(std::move(full), target);
  task.variables = std::make_shared<cost::Features>(std::move(bare), target);
  return task;
}

double speed(const cost::Known& known) { return -std::log(known.seconds); }

/// How predictions order what was measured.
struct Quality {
  double correlation = 0;
  double best = 0;  ///< speed of the best of the first few, beside the best of all
};

Quality quality(const cost::Model& model, const std::vector<cost::Known>& unseen, std::size_t few) {
  std::vector<space::Choice> choices;
  std::vector<double> measured, predicted;
  for (const cost::Known& one : unseen) {
    choices.push_back(one.choice);
    measured.push_back(speed(one));
  }
  for (const cost::Prediction& prediction : model.predict(choices)) predicted.push_back(prediction.score);
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return predicted[a] > predicted[b]; });
  double best = measured[order[0]];
  for (std::size_t i = 1; i < std::min(few, order.size()); ++i) best = std::max(best, measured[order[i]]);
  return {cost::rank_correlation(predicted, measured),
          std::exp(best - *std::max_element(measured.begin(), measured.end()))};
}

cost::OtherTask as_other(const Task& task, const cost::Features& features) {
  cost::OtherTask other;
  for (const cost::Known& one : task.known) {
    std::vector<float> row = task.features->rows({one.choice}).values;
    row.resize(cost::feature_count);
    row.resize(features.columns().size(), NAN);
    other.trials.push_back({std::move(row), one.seconds});
  }
  return other;
}

/// What a model is made with.
struct Variant {
  std::string name;
  bool has_features = true;
  bool has_prior = true;
  bool has_others = false;
  cost::Loss loss = cost::Loss::rank;
};

const std::vector<Variant> all_variants = {
    {"variables alone", false, false},
    {"features", true, false},
    {"features, prior", true, true},
    {"features, prior, other shapes", true, true, true},
    {"features, prior, regression", true, true, false, cost::Loss::regression},
};

/// With so many points known, drawn anew several times, over all tasks.
void learn_and_tell(const std::vector<Task>& tasks, const Variant& variant) {
  constexpr int draws = 3;
  constexpr std::size_t few = 4;
  fmt::print("  {:<32}", variant.name);
  double seconds = 0;
  int count = 0;
  for (const std::size_t known : {8U, 16U, 32U, 48U}) {
    Quality sum;
    int parts = 0;
    for (const Task& task : tasks) {
      if (task.known.size() < known + 2 * few) continue;
      const auto& features = variant.has_features ? task.features : task.variables;
      cost::ModelOptions options{.loss = variant.loss, .prior = variant.has_prior};
      if (variant.has_others)
        for (const Task& other : tasks)
          if (&other != &task && other.asked.op == task.asked.op)
            options.others.push_back(as_other(other, *features));
      for (int draw = 0; draw < draws; ++draw) {
        std::vector<cost::Known> all = task.known;
        Random random(static_cast<std::uint64_t>(draw) * 77 + known);
        for (std::size_t i = all.size(); i-- > 1;)
          std::swap(all[i], all[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i)))]);
        options.seed = static_cast<std::uint64_t>(draw) + 1;
        const auto model = cost::make_boosted_model(features, options);
        const auto end = all.begin() + static_cast<std::ptrdiff_t>(known);
        const double start = processor_seconds();
        model->learn({all.begin(), end});
        seconds += processor_seconds() - start;
        ++count;
        const Quality one = quality(*model, {end, all.end()}, few);
        sum.correlation += one.correlation;
        sum.best += one.best;
        ++parts;
      }
    }
    if (parts > 0) fmt::print(" {:3}: {:.2f} {:.2f}", known, sum.correlation / parts, sum.best / parts);
  }
  fmt::print("   {:.0f} ms\n", 1e3 * seconds / std::max(count, 1));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("how well models rank programs that they have not seen");
  std::size_t points = 60;
  std::string folder;
  std::vector<std::string> only;
  app.add_option("only", only, "an operator and its sizes, and more of them; all of the list where left out");
  app.add_option("--points", points, "of each space, besides what the rules choose")->capture_default_str();
  app.add_option("--times", folder, "a folder: times are read from there, or taken and kept there");
  CLI11_PARSE(app, argc, argv);
  try {
    const target::Target target = target::host();
    require(only.size() % 2 == 0, "{} has no sizes; write gemm 512,512,512", only.empty() ? "" : only.back());
    std::vector<Asked> wanted = only.empty() ? all_asked : std::vector<Asked>();
    for (std::size_t i = 0; i < only.size(); i += 2) wanted.push_back({only[i], only[i + 1]});
    std::vector<Task> tasks;
    for (const Asked& asked : wanted) {
      Task task = make_task(asked, target);
      const std::string file =
          folder.empty() ? "" : fmt::format("{}/{}_{}.txt", folder, asked.op, asked.sizes);
      if (!file.empty() && std::filesystem::exists(file))
        read_times(file, task.known);
      else
        take_times(task, target, points, file);
      const double start = processor_seconds();
      std::vector<space::Choice> choices;
      for (const cost::Known& one : task.known) choices.push_back(one.choice);
      task.features->rows(choices);
      const double first = processor_seconds() - start;
      task.features->rows(choices);
      const double again = processor_seconds() - start - first;
      const auto [fastest, slowest] =
          std::minmax_element(task.known.begin(), task.known.end(),
                              [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
      const Quality analytic = quality(*cost::make_analytic_model(task.features), task.known, 8);
      fmt::print(
          "{} {}: {} sketches, {} points within {:.1f}x; features {:.2f} s, then {:.1f} us a point; "
          "analytic: correlation {:.2f}, best of its first 8 {:.2f}\n",
          asked.op, asked.sizes, task.space->sketches.size(), task.known.size(),
          slowest->seconds / fastest->seconds, first, 1e6 * again / static_cast<double>(task.known.size()),
          analytic.correlation, analytic.best);
      std::fflush(stdout);
      tasks.push_back(std::move(task));
    }
    fmt::print(
        "\nof points not seen, with so many known: rank correlation, and the best of the first 4 "
        "beside the best; time to learn\n");
    for (const Variant& variant : all_variants) learn_and_tell(tasks, variant);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
