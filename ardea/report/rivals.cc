#include <fmt/format.h>

#include <algorithm>

#include "ardea/report/parts.h"

namespace ardea::report {

std::string rivals(const Story& story) {
  const std::optional<double> own = own_seconds(story);
  if (!own) return "<p>No trial was timed: there is nothing to compare.</p>\n";
  struct Rival {
    std::string name;
    double seconds;
    const char* kind;
  };
  std::vector<Rival> all = {{"Ardea, tuned", *own, "good"}};
  if (story.default_s) all.push_back({"Ardea, not tuned", *story.default_s, "plain"});
  for (const auto& [name, seconds] : story.libraries_s)
    if (name != "ardea") all.push_back({name, seconds, "plain"});
  if (all.size() == 1)
    return "<p>Neither libraries nor the schedule that runs where nothing is tuned were timed beside the "
           "winner.</p>\n";
  std::sort(all.begin(), all.end(), [](const Rival& a, const Rival& b) { return a.seconds < b.seconds; });
  std::vector<Bar> rows;
  for (const Rival& rival : all)
    rows.push_back(
        {rival.name, 1 / rival.seconds,
         fmt::format("{}{} · {:.2f} ×", time_text(rival.seconds),
                     story.operations ? " · " + rate_text(story, rival.seconds) : "", *own / rival.seconds),
         rival.kind});
  return figure(
      bars(rows),
      fmt::format("Calls a second, longer is faster; × is the speed relative to the tuned program.{}",
                  best_library(story) ? "" : " No library was timed."));
}

}  // namespace ardea::report
