#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "ardea/compile/compile.h"
#include "ardea/measure/inputs.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/support/error.h"
#include "ardea/support/timings.h"

namespace {

using namespace ardea;

/// A point and its seconds on one core.
struct Measured {
  rules::Choice choice;
  double seconds = 0;
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
  return samples[samples.size() / 4];
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app;
  std::string op, sizes, file;
  std::size_t points = 40;
  std::uint64_t seed = 1;
  app.add_option("op", op)->required();
  app.add_option("sizes", sizes)->required();
  app.add_option("--file", file)->required();
  app.add_option("--points", points);
  app.add_option("--seed", seed);
  CLI11_PARSE(app, argc, argv);
  const target::Target target = target::host();
  const Function program = ops::create_function(ops::make_workload({.op = op, .sizes = ops::parse_sizes(sizes)}), "main");
  const rules::ProgramSpace space = rules::program_space(program, target, rules::rules_for(target));
  std::ofstream out(file, std::ios::app);
  std::vector<rules::Choice> choices = space.sample(points, seed).choices;
  if (space.sketches[0].sketch.model) choices.insert(choices.begin(), {0, *space.sketches[0].sketch.model});
  for (const rules::Choice& choice : choices) {
    try {
      const double s = time_of(space.materialise(choice).program(), target);
      out << choice.sketch << ' ' << s;
      for (const auto v : choice.point) out << ' ' << v;
      out << std::endl;
    } catch (const std::exception& e) {
      fmt::print("{}\n", e.what());
    }
  }
}
