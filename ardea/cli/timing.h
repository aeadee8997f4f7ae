#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

/// Where the time of a compilation goes, for `show --timing`.

namespace ardea::cli {

/// One step of a schedule, one pass, one part of LLVM's work, in seconds of the processor.
struct TimingRow {
  std::string part, name;
  double seconds = 0;
};

struct TimingReport {
  std::vector<TimingRow> rows;  ///< in the order of the work
  double total_s = 0;           ///< what no row has included
};

/// What `compile` does, by its sections (support/timings.h). It runs several times: the first, which touches
/// pages and fills tables, does not count, and of the others the medians are given.
TimingReport time_compilation(const std::function<void()>& compile);

/// A table: the rows, a sum for each part, and the whole.
std::string timing_table(const TimingReport& report);
nlohmann::json timing_json(const TimingReport& report);

}  // namespace ardea::cli
