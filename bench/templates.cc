#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <string>

#include "ardea/lower/pipeline.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/runtime/thread_pool.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/support/error.h"
#include "ardea/support/timings.h"
#include "ardea/target/target.h"

/// How fast spaces of programs are made, and points of them: for each operator the whole space, its slowest
/// sketch, samples a second (by the solver that serves, and by walks), and a point materialised and lowered.
/// Processor time of one core, each figure beside the one that is asked for; a space is waited for, so that
/// the time by all threads counts, too.

namespace {

using namespace ardea;

constexpr double most_of_a_space_s = 10, most_of_a_sketch_s = 2, most_of_a_point_s = 0.06;
constexpr double least_samples_per_s = 1000;

struct Asked {
  std::string op, sizes;
};

const std::vector<Asked> all_asked = {
    {"gemm", "1024,1024,1024"},
    {"gemm_bias_relu", "1024,1024,1024"},
    {"c2d", "1,56,56,64,64,3,3,1,1,1"},
    {"depthwise", "1,56,56,64,3,3,1,1"},
    {"softmax", "512,1024"},
    {"attention", "12,512,64"},
    {"matmul_exp_matmul", "512,512,512,512"},
};

template <class Work>
double seconds(const Work& work) {
  const double start = processor_seconds();
  work();
  return processor_seconds() - start;
}

/// Of the sections of making a space: those of a sketch begin with its steps.
double slowest_sketch(const Timings& timings) {
  double slowest = 0, now = 0;
  for (const Timings::Section& section : timings.sections()) {
    if (section.part != "space") continue;
    if (section.name == "steps") now = 0;
    slowest = std::max(slowest, now += section.seconds);
  }
  return slowest;
}

double sum_of(const Timings& timings, const char* name) {
  double sum = 0;
  for (const Timings::Section& section : timings.sections())
    if (section.part == "space" && section.name == name) sum += section.seconds;
  return sum;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

class Bench {
 public:
  Bench(target::Target target, std::size_t points, bool shows_parts)
      : target_(std::move(target)), points_(points), shows_parts_(shows_parts) {}

  void run(const Asked& asked) {
    const ops::Workload workload =
        ops::make_workload({.op = asked.op, .sizes = ops::parse_sizes(asked.sizes)});
    const Function program = ops::create_function(workload, "main");
    std::optional<rules::ProgramSpace> space;
    double making = 0, slowest = 0;
    std::string parts;
    {
      const Timings timings;
      making = seconds(
          [&] { space = rules::program_space(program, target_, rules::rules_for(target_), {.threads = 1}); });
      slowest = slowest_sketch(timings);
      for (const char* part : {"steps", "constraints", "solver", "witnesses"})
        parts += fmt::format("{}{} {:.2f}", parts.empty() ? "" : ", ", part, sum_of(timings, part));
    }
    fmt::print("\n{} {}: {} sketches, {} ways left out\n", asked.op, asked.sizes, space->sketches.size(),
               space->left_out.size());
    const double start = runtime::steady_seconds();
    rules::program_space(program, target_, rules::rules_for(target_));
    const double waited = runtime::steady_seconds() - start;
    figure(std::min(making, waited) <= most_of_a_space_s,
           fmt::format("space    {:.2f} s of a core ({}), {:.2f} s on the clock by {} threads", making, parts,
                       waited, runtime::ThreadPool::shared().thread_count()),
           fmt::format("at most {:.0f} s", most_of_a_space_s));
    figure(slowest <= most_of_a_sketch_s, fmt::format("sketch   {:.2f} s the slowest", slowest),
           fmt::format("at most {:.0f} s", most_of_a_sketch_s));
    samples(*space);
    samples_by_walks(*space);
    points(*space);
  }

  int failures() const { return failures_; }

 private:
  void figure(bool met, const std::string& measured, const std::string& asked) {
    fmt::print("  {}; asked: {}{}\n", measured, asked, met ? "" : "  MISSED");
    std::fflush(stdout);
    if (!met) ++failures_;
  }

  /// Of each sketch by itself: the slowest counts.
  void samples(const rules::ProgramSpace& space) {
    constexpr std::size_t count = 2000;
    double slowest = 1e30;
    std::size_t by_walks = 0, alarms = 0;
    for (const rules::SolvedSketch& one : space.sketches) {
      space::Samples drawn;
      const double time = seconds([&] { drawn = one.solver->sample(count, 1); });
      slowest = std::min(slowest, static_cast<double>(count) / time);
      by_walks += one.solver->method() == space::Method::walks ? 1 : 0;
      alarms += drawn.alarm.empty() ? 0 : 1;
    }
    figure(slowest >= least_samples_per_s,
           fmt::format("samples  {:.0f}/s of the slowest sketch, {} sketches by walks, {} alarms", slowest,
                       by_walks, alarms),
           fmt::format("at least {:.0f}/s", least_samples_per_s));
  }

  /// The same where no tree serves: what a larger template would get.
  void samples_by_walks(const rules::ProgramSpace& space) {
    constexpr std::size_t count = 500;
    double slowest = 1e30;
    std::size_t alarms = 0;
    for (const rules::SolvedSketch& one : space.sketches) {
      const space::Solver by_walks(one.sketch.system, {.tree = {.work = 0}});
      if (by_walks.method() == space::Method::tree) continue;  // nothing to choose
      space::Samples drawn;
      const double time = seconds([&] { drawn = by_walks.sample(count, 1); });
      slowest = std::min(slowest, static_cast<double>(count) / time);
      alarms += drawn.alarm.empty() ? 0 : 1;
    }
    figure(slowest >= least_samples_per_s,
           fmt::format("walks    {:.0f}/s of the slowest sketch, {} alarms", slowest, alarms),
           fmt::format("at least {:.0f}/s", least_samples_per_s));
  }

  void points(const rules::ProgramSpace& space) {
    std::vector<double> made, lowered, all;
    const Timings timings;
    for (const rules::Choice& choice : space.sample(points_, 1).choices) {
      std::optional<schedule::Schedule> schedule;
      made.push_back(seconds([&] { schedule = space.materialise(choice); }));
      lowered.push_back(seconds([&] { lower::lower(schedule->program(), target_); }));
      all.push_back(made.back() + lowered.back());
    }
    if (all.empty()) return;
    figure(median(all) <= most_of_a_point_s,
           fmt::format("point    {:.0f} ms (steps {:.0f}, lowering {:.0f}), the slowest of {} {:.0f} ms",
                       median(all) * 1e3, median(made) * 1e3, median(lowered) * 1e3, all.size(),
                       *std::max_element(all.begin(), all.end()) * 1e3),
           fmt::format("at most {:.0f} ms", most_of_a_point_s * 1e3));
    if (shows_parts_) parts(timings, all.size());
  }

  /// What points spend their time on, the longest first.
  static void parts(const Timings& timings, std::size_t points) {
    std::map<std::pair<std::string, std::string>, double> sums;
    for (const Timings::Section& section : timings.sections())
      sums[{section.part, section.name}] += section.seconds;
    std::vector<std::pair<double, std::string>> rows;
    for (const auto& [name, sum] : sums)
      rows.emplace_back(sum * 1e3 / static_cast<double>(points), name.first + " " + name.second);
    std::sort(rows.rbegin(), rows.rend());
    for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 20); ++i)
      fmt::print("    {:7.2f} ms {}\n", rows[i].first, rows[i].second);
  }

  target::Target target_;
  std::size_t points_;
  bool shows_parts_;
  int failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::string target_name = "host", only;
  std::size_t points = 30;
  bool shows_parts = false;
  CLI::App app(
      "Times making spaces of operators, and points of them; exits with 1 where a target is missed.");
  app.add_option("--target", target_name);
  app.add_option("--points", points, "points that are materialised and lowered, of each operator");
  app.add_option("--only", only, "of this operator alone");
  app.add_flag("--parts", shows_parts, "what a point's time goes to, on average");
  CLI11_PARSE(app, argc, argv);
  try {
    Bench bench(target::find(target_name), points, shows_parts);
    for (const Asked& asked : all_asked)
      if (only.empty() || asked.op == only) bench.run(asked);
    return bench.failures() == 0 ? 0 : 1;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
