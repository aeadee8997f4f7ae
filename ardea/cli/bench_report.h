#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ardea/cli/rates.h"
#include "ardea/measure/bench.h"

namespace ardea::cli {

/// One program measured against others, and what that is of the machine's peak.
struct Benched {
  std::string title;  ///< the operator with its sizes, or the file with those that are symbolic
  std::optional<ops::Workload> workload;  ///< where it is an operator
  std::optional<measure::Work> work;      ///< nothing where it cannot be counted
  std::string schedule;                   ///< what Ardea's program was made by: a recipe, a file, "none"
  int threads = 1;
  std::string gpu = {};  ///< the target, where it is one: calls are timed in graphs there
  measure::BenchReport report;
  std::vector<std::string> libraries;  ///< "name: which code really answered" of those that took part
  std::optional<PeakShare> share;
};

std::string bench_text(const Benched& benched);
/// One line of a table of many.
std::string bench_line(const Benched& benched);
/// ardea_us, <library>_us, ratio_vs_best, ratio_low, peak_share, and all contenders.
nlohmann::json bench_json(const Benched& benched);

}  // namespace ardea::cli
