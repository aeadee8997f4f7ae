#include <fmt/format.h>

#include <algorithm>

#include "ardea/report/markup.h"
#include "ardea/report/parts.h"
#include "ardea/report/plot.h"

namespace ardea::report {

namespace {

constexpr int colours = 6;  ///< of the style; runs beyond share them

struct Curve {
  std::vector<Dot> tried, best;
};

/// One run against what `place` says of its trials.
template <class Place>
Curve curve_of(const Story& story, const Run& run, const Place& place) {
  Curve curve;
  std::optional<double> best_s;
  const auto height = [&](double seconds) { return story.operations ? rate(story, seconds) : seconds * 1e3; };
  double last = 0;
  for (std::size_t i = 0; i < run.trials.size(); ++i) {
    const db::Trial& trial = *run.trials[i];
    last = std::max(last, place(i, trial));
    if (!trial.time) continue;
    const double seconds = trial.time->median_s;
    curve.tried.push_back(
        {last, height(seconds),
         fmt::format("trial {}: {}, {}", trial.number, time_text(seconds), rate_text(story, seconds))});
    if (best_s && seconds >= *best_s) continue;
    best_s = seconds;
    curve.best.push_back({last, height(seconds)});
  }
  if (!curve.best.empty()) curve.best.push_back({last, curve.best.back().y});
  return curve;
}

template <class Place>
std::string drawn(const Story& story, const std::vector<Run>& runs, const std::string& label,
                  const Place& place) {
  std::vector<Curve> all;
  std::vector<double> xs, ys;
  for (const Run& run : runs) {
    all.push_back(curve_of(story, run, place));
    for (const Dot& dot : all.back().tried) {
      xs.push_back(dot.x);
      ys.push_back(dot.y);
    }
    if (!all.back().best.empty()) xs.push_back(all.back().best.back().x);
  }
  const auto height = [&](double seconds) { return story.operations ? rate(story, seconds) : seconds * 1e3; };
  const auto library = best_library(story);
  if (story.default_s) ys.push_back(height(*story.default_s));
  if (library) ys.push_back(height(library->second));
  const bool shows_peak = story.operations && story.peak_per_s;
  if (shows_peak) ys.push_back(*story.peak_per_s / 1e9);
  std::vector<Plot::Level> levels;
  if (shows_peak)
    levels.push_back({*story.peak_per_s / 1e9, fmt::format("{} peak", story.peak_name), "level peak"});
  if (library) levels.push_back({height(library->second), library->first});
  if (story.default_s) levels.push_back({height(*story.default_s), "not tuned"});
  Plot plot(axis_from_zero(xs, label), axis_from_zero(ys, story.operations ? story.rate_unit : "ms a call"),
            levels);
  for (std::size_t i = 0; i < all.size(); ++i)
    plot.dots(all[i].tried, static_cast<int>(i) % colours, 2.2, "tried");
  for (std::size_t i = 0; i < all.size(); ++i) plot.steps(all[i].best, static_cast<int>(i) % colours);
  return plot.svg(fmt::format("{}: the best so far against {}", story.title, label));
}

std::string legend(const std::vector<Run>& runs) {
  if (runs.size() < 2) return "";
  std::string out = "<ul class=legend>";
  for (std::size_t i = 0; i < runs.size(); ++i)
    out += fmt::format("<li class=\"s{}\">{}</li>", i % colours, in_markup(runs[i].name));
  return out + "</ul>\n";
}

}  // namespace

std::string curves(const Story& story) {
  const std::vector<Run> runs = runs_of(story);
  if (ranking(story).empty()) return "<p>No trial was timed: there is no curve to draw.</p>\n";
  const std::string by_trials = drawn(
      story, runs, "trials", [](std::size_t i, const db::Trial&) { return static_cast<double>(i + 1); });
  // Seconds as the run counted them; where it did not, by the calendar.
  const auto counted = [](const Run& run) {
    return std::any_of(run.trials.begin(), run.trials.end(),
                       [](const db::Trial* t) { return t->elapsed_s > 0; });
  };
  const bool has_seconds = std::all_of(runs.begin(), runs.end(), counted);
  std::string by_seconds;
  if (has_seconds) {
    by_seconds =
        drawn(story, runs, "seconds", [](std::size_t, const db::Trial& trial) { return trial.elapsed_s; });
  } else {
    std::map<std::string, std::int64_t> begins;
    for (const Run& run : runs)
      for (const db::Trial* trial : run.trials) {
        const auto [at, is_new] = begins.try_emplace(trial->run, trial->taken_at);
        if (!is_new) at->second = std::min(at->second, trial->taken_at);
      }
    by_seconds = drawn(story, runs, "seconds", [&](std::size_t, const db::Trial& trial) {
      return static_cast<double>(trial.taken_at - begins[trial.run]);
    });
  }
  const std::string what = runs.size() == 1
                               ? "Each dot is a trial of " + in_markup(runs[0].name)
                               : fmt::format("Each dot is a trial, each line one of {} runs", runs.size());
  return figure(
      legend(runs) + "<div class=pair>" + by_trials + by_seconds + "</div>\n",
      what + "; the line is the best so far" +
          (has_seconds ? "."
                       : ". Seconds are the calendar's: these trials were not timed from their start."));
}

}  // namespace ardea::report
