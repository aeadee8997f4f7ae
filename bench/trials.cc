#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <map>

#include "ardea/compile/compile.h"
#include "ardea/ir/fold_literals.h"
#include "ardea/measure/trials.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/rules/trace_at.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/schedule/replay_trace.h"
#include "ardea/support/error.h"
#include "ardea/support/timings.h"

/// How many trials a second there are: points drawn from an operator's space, each built, checked and timed
/// in workers, as the tuner does it.

namespace {

using namespace ardea;

struct Throughput {
  double seconds = 0, first_s = 0, build_s = 0, run_s = 0;
  std::map<std::string, int> outcomes;
};

std::vector<std::string> drawn_traces(const Function& program, const target::Target& target,
                                      std::size_t count, std::uint64_t seed) {
  const rules::ProgramSpace space = rules::program_space(program, target, rules::rules_for(target));
  std::vector<std::string> traces;
  for (const rules::Choice& choice : space.sample(count, seed).choices)
    traces.push_back(rules::trace_text(space.sketches[choice.sketch].sketch, choice.point));
  return traces;
}

/// Where building them spends its time, in this process: processor time, by the compiler's parts.
void profile(const Function& program, const target::Target& target, const std::vector<std::string>& traces) {
  std::map<std::string, double> by_part;
  double all = 0;
  schedule::Schedule::History history;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const Timings timings;
    const double start = processor_seconds();
    const schedule::Schedule schedule = schedule::replay_trace(program, traces[i], history);
    history = schedule.history();
    const std::string object = compile::object_code(Module{{}, {fold_literals(schedule.program())}}, target);
    const double seconds = processor_seconds() - start;
    fmt::print("{:3} {:7.1f} ms, {} bytes\n", i, 1e3 * seconds, object.size());
    if (i == 0) continue;  // LLVM's own tables are made once
    all += seconds;
    for (const Timings::Section& section : timings.sections())
      by_part[section.part == "llvm" ? "llvm: " + section.name : section.part] += section.seconds;
  }
  const double trials = static_cast<double>(traces.size() - 1);
  for (const auto& [part, seconds] : by_part) fmt::print("{:20} {:7.2f} ms\n", part, 1e3 * seconds / trials);
  fmt::print("{:20} {:7.2f} ms of processor a trial, the first left out\n", "all", 1e3 * all / trials);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Trials a second, compile included: points drawn from an operator's space.");
  std::string op = "gemm", shape = "64,64,64", program_path;
  std::size_t count = 32;
  std::uint64_t seed = 1;
  bool verbose = false, profiles = false;
  app.add_option("op", op, "an operator");
  app.add_option("shape", shape, "its sizes");
  app.add_option("--worker", program_path, "the program with the command `worker`");
  app.add_option("--trials", count, "so many points");
  app.add_option("--seed", seed, "of the points");
  app.add_flag("--verbose", verbose, "a line a trial");
  app.add_flag("--profile", profiles, "where building them spends its time, instead");
  CLI11_PARSE(app, argc, argv);
  try {
    const ops::Workload workload = ops::make_workload({.op = op, .sizes = ops::parse_sizes(shape)});
    target::Target target = target::host();
    target.cores = 1;
    const Function program = ops::create_function(workload, "main");
    const std::vector<std::string> traces = drawn_traces(program, target, count, seed);
    if (profiles) {
      profile(program, target, traces);
      return 0;
    }
    Throughput all;
    const double start = runtime::steady_seconds();
    measure::Trials trials({.program = program, .target = target}, {.program = program_path});
    trials.measure(traces, [&](std::size_t i, const measure::TrialReport& report) {
      if (i == 0) all.first_s = runtime::steady_seconds() - start;
      all.build_s += report.build_s;
      all.run_s += report.run_s;
      ++all.outcomes[std::string(to_string(report.outcome))];
      if (verbose)
        fmt::print("{:3} {:14} {:10.4f} ms [{:.4f}, {:.4f}]{} build {:.3f} s run {:.3f} s {}\n", i,
                   to_string(report.outcome), report.time ? 1e3 * report.time->median_s : 0,
                   report.time ? 1e3 * report.time->low_s : 0, report.time ? 1e3 * report.time->high_s : 0,
                   report.raced ? " raced" : "", report.build_s, report.run_s, report.message);
    });
    all.seconds = runtime::steady_seconds() - start;
    const auto trials_done = static_cast<double>(traces.size());
    fmt::print(
        "{} {}: {} trials in {:.2f} s, the first after {:.2f} s; {:.2f} a second after the first; "
        "build {:.0f} ms, run {:.0f} ms each\n",
        op, shape, traces.size(), all.seconds, all.first_s, (trials_done - 1) / (all.seconds - all.first_s),
        1e3 * all.build_s / trials_done, 1e3 * all.run_s / trials_done);
    for (const auto& [outcome, number] : all.outcomes) fmt::print("  {}: {}\n", outcome, number);
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
