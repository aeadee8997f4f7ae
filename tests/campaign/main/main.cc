#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

#include "ardea/ir/print.h"
#include "tests/campaign/campaign.h"
#include "tests/campaign/statistics.h"

/// Runs any number of random programs interpreted and compiled, and compares.

namespace {

struct Settings {
  std::uint64_t count = 1000, seed = 1;
  std::optional<std::uint64_t> only;
  bool show = false, generate_only = false;
  int most_failures = 10;
};

int campaign(const Settings& settings) {
  ardea::campaign::Statistics statistics;
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t first = settings.only.value_or(settings.seed),
                      count = settings.only ? 1 : settings.count;
  int failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < settings.most_failures; ++seed) {
    const ardea::campaign::Case test = ardea::campaign::make_case(seed);
    statistics.count(test.program);
    if (settings.show) fmt::print("# seed {}\n{}\n", seed, ardea::print(test.program));
    if (settings.generate_only) continue;
    const std::string failure = ardea::campaign::failure_of(test);
    if (failure.empty()) continue;
    ++failures;
    fmt::print("{}\n", failure);
    std::fflush(stdout);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (!settings.only) fmt::print("{}\n", statistics.table());
  fmt::print("{} programs from seed {} in {:.1f} s: {}\n", statistics.programs(), first, seconds.count(),
             failures == 0 ? "all agree" : fmt::format("{} failed", failures));
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Runs random tensor programs interpreted and compiled, and compares the results.");
  app.add_option("--count", settings.count, "how many programs")->capture_default_str();
  app.add_option("--seed", settings.seed, "the first seed; the others follow it")->capture_default_str();
  app.add_option("--only", settings.only, "run the program of this seed alone");
  app.add_option("--failures", settings.most_failures, "stop after so many failures")->capture_default_str();
  app.add_flag("--show", settings.show, "print every program");
  app.add_flag("--generate-only", settings.generate_only,
               "write the programs and the statistics, run nothing");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return campaign(settings);
}
