#include "ardea/cli/timing.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ardea/support/error.h"
#include "ardea/support/timings.h"

namespace ardea::cli {

namespace {

constexpr int rounds = 5;

struct Round {
  std::vector<Timings::Section> sections;
  double total_s = 0;
};

Round timed_round(const std::function<void()>& compile) {
  const Timings timings;
  const double start = processor_seconds();
  compile();
  return {timings.sections(), processor_seconds() - start};
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct PartSum {
  std::string part;
  double seconds = 0;
};

/// In the order of the parts' first rows; last what no row has.
std::vector<PartSum> sums_of(const TimingReport& report) {
  std::vector<PartSum> sums;
  double rest = report.total_s;
  for (const TimingRow& row : report.rows) {
    auto at = std::find_if(sums.begin(), sums.end(), [&](const PartSum& s) { return s.part == row.part; });
    if (at == sums.end()) at = sums.insert(sums.end(), {row.part, 0});
    at->seconds += row.seconds;
    rest -= row.seconds;
  }
  sums.push_back({"other", std::max(rest, 0.0)});
  return sums;
}

std::string line(const std::string& part, const std::string& name, double seconds, double total_s) {
  return fmt::format("{:<10} {:<34} {:>9.3f} {:>6.1f}\n", part, name, 1e3 * seconds, 100 * seconds / total_s);
}

}  // namespace

TimingReport time_compilation(const std::function<void()>& compile) {
  compile();
  std::vector<Round> all;
  for (int i = 0; i < rounds; ++i) all.push_back(timed_round(compile));
  TimingReport report;
  const auto median_over = [&](const auto& value) {
    std::vector<double> values;
    for (const Round& round : all) values.push_back(value(round));
    return median_of(std::move(values));
  };
  report.total_s = median_over([](const Round& round) { return round.total_s; });
  for (std::size_t i = 0; i < all[0].sections.size(); ++i) {
    const Timings::Section& section = all[0].sections[i];
    for (const Round& round : all)
      ensure(round.sections.size() == all[0].sections.size() && round.sections[i].name == section.name,
             "one program is compiled in different steps");
    report.rows.push_back({section.part, section.name,
                           median_over([&](const Round& round) { return round.sections[i].seconds; })});
  }
  return report;
}

std::string timing_table(const TimingReport& report) {
  std::string text = fmt::format("{:<10} {:<34} {:>9} {:>6}\n", "part", "step", "ms", "%");
  for (const TimingRow& row : report.rows) text += line(row.part, row.name, row.seconds, report.total_s);
  text += "\n";
  for (const PartSum& sum : sums_of(report)) text += line(sum.part, "", sum.seconds, report.total_s);
  return text + line("all", "", report.total_s, report.total_s);
}

nlohmann::json timing_json(const TimingReport& report) {
  nlohmann::json rows = nlohmann::json::array(), parts = nlohmann::json::object();
  for (const TimingRow& row : report.rows)
    rows.push_back({{"part", row.part}, {"step", row.name}, {"ms", 1e3 * row.seconds}});
  for (const PartSum& sum : sums_of(report)) parts[sum.part] = 1e3 * sum.seconds;
  return {{"rows", rows}, {"parts_ms", parts}, {"total_ms", 1e3 * report.total_s}};
}

}  // namespace ardea::cli
