#include "ardea/report/story.h"

#include <fmt/format.h>

#include <algorithm>

namespace ardea::report {

namespace {

/// Who was in a run's last duel is timed there once more: trials of their own, of points that were tried
/// before.
bool is_of_a_duel(const db::Trial& trial) { return trial.method.ends_with(db::duel); }

}  // namespace

std::vector<Run> runs_of(const Story& story) {
  std::vector<Run> runs;
  std::map<std::string, std::size_t> places;
  for (const db::Trial& trial : story.trials) {
    if (is_of_a_duel(trial)) continue;
    const auto [at, is_new] = places.try_emplace(trial.run, runs.size());
    if (is_new) runs.push_back({fmt::format("{}, seed {}", trial.method, trial.seed), {}});
    runs[at->second].trials.push_back(&trial);
  }
  // Runs that people would take for one are told apart.
  for (std::size_t i = 0; i < runs.size(); ++i) {
    int same = 1;
    for (std::size_t j = i + 1; j < runs.size(); ++j)
      if (runs[j].name == runs[i].name) runs[j].name += fmt::format(" ({})", ++same);
  }
  return runs;
}

std::vector<const db::Trial*> ranking(const Story& story) {
  std::vector<const db::Trial*> timed;
  for (const db::Trial& trial : story.trials)
    if (trial.time && !is_of_a_duel(trial)) timed.push_back(&trial);
  std::stable_sort(timed.begin(), timed.end(), [](const db::Trial* a, const db::Trial* b) {
    return a->time->median_s < b->time->median_s;
  });
  return timed;
}

std::optional<std::pair<std::string, double>> best_library(const Story& story) {
  std::optional<std::pair<std::string, double>> best;
  for (const auto& [name, seconds] : story.libraries_s)
    if (name != "ardea" && (!best || seconds < best->second)) best = {name, seconds};
  return best;
}

std::optional<double> own_seconds(const Story& story) {
  if (const auto own = story.libraries_s.find("ardea"); own != story.libraries_s.end()) return own->second;
  return story.best && story.best->time ? std::optional(story.best->time->median_s) : std::nullopt;
}

double rate(const Story& story, double seconds) { return story.operations.value_or(0) / seconds / 1e9; }

std::string rate_text(const Story& story, double seconds) {
  return story.operations ? fmt::format("{:.3g} {}", rate(story, seconds), story.rate_unit)
                          : time_text(seconds);
}

std::string time_text(double s) {
  if (s >= 1) return fmt::format("{:.3g} s", s);
  if (s >= 1e-3) return fmt::format("{:.4g} ms", s * 1e3);
  return fmt::format("{:.4g} µs", s * 1e6);
}

}  // namespace ardea::report
