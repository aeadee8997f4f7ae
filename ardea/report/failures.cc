#include <fmt/format.h>

#include <algorithm>

#include "ardea/report/markup.h"
#include "ardea/report/parts.h"

namespace ardea::report {

std::string failures(const Story& story) {
  struct Kind {
    std::int64_t count = 0;
    std::map<std::string, std::int64_t> messages;
  };
  std::map<TrialOutcome, Kind> kinds;
  std::int64_t trials = 0;
  for (const Run& run : runs_of(story))
    for (const db::Trial* trial : run.trials) {
      ++trials;
      Kind& kind = kinds[trial->outcome];
      ++kind.count;
      if (!trial->message.empty()) ++kind.messages[trial->message];
    }
  const std::int64_t failed = trials - kinds[TrialOutcome::timed].count;
  if (failed == 0) return fmt::format("<p>None of {} trials failed.</p>\n", trials);
  std::vector<Bar> all;
  std::string messages;
  for (const auto& [outcome, kind] : kinds) {
    if (kind.count == 0) continue;
    const std::string name(to_string(outcome));
    all.push_back({name, static_cast<double>(kind.count),
                   fmt::format("{}, {:.1f} %", kind.count,
                               100 * static_cast<double>(kind.count) / static_cast<double>(trials)),
                   outcome == TrialOutcome::timed ? "plain" : "bad"});
    if (outcome == TrialOutcome::timed || kind.messages.empty()) continue;
    const auto most = std::max_element(kind.messages.begin(), kind.messages.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    messages += fmt::format("<li><b>{}</b>, {} of {}: <q>{}</q></li>\n", name, most->second, kind.count,
                            in_markup(most->first));
  }
  return figure(bars(all), fmt::format("What came of {} trials.", trials)) +
         (messages.empty() ? "" : "<p>What failures said most often:</p>\n<ul>\n" + messages + "</ul>\n");
}

}  // namespace ardea::report
