#include "ardea/report/page.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "ardea/report/markup.h"
#include "ardea/report/parts.h"
#include "ardea/report/style.h"

namespace ardea::report {

namespace {

std::string day(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::int64_t failed_of(const Story& story) {
  return std::count_if(story.trials.begin(), story.trials.end(), [](const db::Trial& t) { return !t.time; });
}

std::int64_t tried_of(const Story& story) {
  std::int64_t count = 0;
  for (const Run& run : runs_of(story)) count += static_cast<std::int64_t>(run.trials.size());
  return count;
}

std::string threads_text(const db::Task& task) {
  const bool is_on_gpu = task.protocol.starts_with("graph-");  // whose threads are multiprocessors
  return fmt::format("{} {}{}", task.threads, is_on_gpu ? "multiprocessor" : "thread",
                     task.threads == 1 ? "" : "s");
}

/// "1.04 × openblas", or a dash.
std::string times(std::optional<double> other_s, std::optional<double> own_s, const std::string& whom = "") {
  if (!other_s || !own_s) return "–";
  return fmt::format("{:.2f} ×{}", *other_s / *own_s, whom.empty() ? "" : " " + whom);
}

std::string share_of_peak(const Story& story) {
  if (!story.best || !story.operations || !story.peak_per_s) return "–";
  return fmt::format("{:.1f} %", 100 * *story.operations / story.best->time->median_s / *story.peak_per_s);
}

std::string summary(const Report& report) {
  std::string out =
      "<table class=summary>\n<thead><tr><th scope=col>Task</th><th scope=col>Time</th><th "
      "scope=col>Speed</th>"
      "<th scope=col>Of the peak</th><th scope=col>× not tuned</th><th scope=col>× best library</th>"
      "<th scope=col>Trials</th><th scope=col>Failed</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < report.stories.size(); ++i) {
    const Story& story = report.stories[i];
    const auto library = best_library(story);
    out += fmt::format(
        "<tr><th scope=row><a href=\"#task{}\">{}</a> <small>{}, "
        "{}</small></th><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        i + 1, in_markup(story.title), in_markup(story.task.target_name), threads_text(story.task),
        story.best ? time_text(story.best->time->median_s) : "–",
        story.best && story.operations ? rate_text(story, story.best->time->median_s) : "–",
        share_of_peak(story),
        times(story.default_s, story.best ? std::optional(story.best->time->median_s) : std::nullopt),
        in_markup(times(library ? std::optional(library->second) : std::nullopt, own_seconds(story),
                        library ? library->first : "")),
        tried_of(story), failed_of(story));
  }
  return out + "</tbody></table>\n";
}

/// The figures that matter, large.
std::string headline(const Story& story) {
  std::string out = "<dl class=headline>\n";
  const auto add = [&](const std::string& name, const std::string& value, const std::string& detail) {
    out += fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>\n", name, in_markup(value),
                       detail.empty() ? "" : " <small>" + in_markup(detail) + "</small>");
  };
  if (story.best) {
    const CallTime& time = *story.best->time;
    add("a call takes", time_text(time.median_s),
        fmt::format("{} to {}", time_text(time.low_s), time_text(time.high_s)));
    if (story.operations)
      add("speed", rate_text(story, time.median_s),
          story.peak_per_s ? share_of_peak(story) + " of the " + story.peak_name + " peak" : "");
    if (story.default_s)
      add("against not tuned", times(story.default_s, time.median_s), time_text(*story.default_s));
  }
  if (const auto library = best_library(story))
    add("against the best library", times(library->second, own_seconds(story)),
        library->first + ", " + time_text(library->second));
  add("trials", fmt::format("{}", tried_of(story)), fmt::format("{} failed", failed_of(story)));
  return out + "</dl>\n";
}

std::string told(const Story& story, std::size_t number) {
  std::string out =
      fmt::format("<section class=task id=task{}>\n<h2>{}</h2>\n<p class=about>{}, {}; {}; {}</p>\n", number,
                  in_markup(story.title), in_markup(story.task.target_name), threads_text(story.task),
                  in_markup(story.task.compiler), in_markup(story.task.protocol));
  out += headline(story);
  for (const std::string& remark : story.remarks) out += "<p>" + in_markup(remark) + "</p>\n";
  const auto part = [&](const char* id, const char* heading, const std::string& content) {
    out += fmt::format("<section class=\"part {}\">\n<h3>{}</h3>\n{}</section>\n", id, heading, content);
  };
  part("curves", "The best so far", curves(story));
  part("rivals", "Beside libraries", rivals(story));
  part("failures", "Failures", failures(story));
  part("where", "Where the best points lie", knobs(story));
  part("predictions", "Expected and measured", predictions(story));
  part("programs", "The winning schedule", programs(story));
  return out + "</section>\n";
}

}  // namespace

std::string page(const Report& report) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta name=viewport "
      "content=\"width=device-width, initial-scale=1\">\n<meta name=color-scheme content=\"light dark\">\n"
      "<title>Tuning report: {}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
      in_markup(report.source), style());
  out += fmt::format("<header>\n<h1>Tuning report</h1>\n<p>{} of {}, made {} by {}.</p>\n",
                     report.stories.size() == 1 ? "One task" : fmt::format("{} tasks", report.stories.size()),
                     in_markup(report.source), day(report.made_at), in_markup(report.made_by));
  if (report.damaged > 0)
    out += fmt::format("<p class=warning>{} rows of the database are damaged and left out.</p>\n",
                       report.damaged);
  out += "</header>\n";
  out += report.stories.empty() ? "<p>Nothing was tuned yet.</p>\n" : summary(report);
  for (std::size_t i = 0; i < report.stories.size(); ++i) out += told(report.stories[i], i + 1);
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace ardea::report
