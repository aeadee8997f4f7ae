#include <CLI/CLI.hpp>
#include <cstdio>

#include "tests/schedule/check_schedule.h"

/// Any number of random programs under random schedules; a failure prints its seed.

int main(int argc, char** argv) {
  CLI::App app{"Transforms random programs by random schedules and compares the answers.", "ardea_schedules"};
  std::uint64_t count = 1000, seed = 1;
  int most_failures = 10;
  app.add_option("--count", count, "how many programs")->capture_default_str();
  app.add_option("--seed", seed, "the first seed; the others follow it")->capture_default_str();
  app.add_option("--failures", most_failures, "stop after so many failures")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  ardea::schedule::StepCounts counts;
  int failures = 0;
  for (std::uint64_t i = 0; i < count && failures < most_failures; ++i) {
    const std::string failure = ardea::schedule::schedule_failure(seed + i, counts);
    if (failure.empty()) continue;
    ++failures;
    std::printf("%s\n", failure.c_str());
    std::fflush(stdout);  // a long campaign may be stopped
  }
  std::printf("%s%llu programs from seed %llu: %d failed\n", ardea::schedule::count_table(counts).c_str(),
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(seed), failures);
  return failures == 0 ? 0 : 1;
}
