#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ardea/report/markup.h"
#include "ardea/report/parts.h"
#include "ardea/support/text.h"

namespace ardea::report {

namespace {

using Trials = std::vector<const db::Trial*>;

constexpr double width = 196, height = 108, chart = 64;
constexpr std::size_t most_shown = 12;

/// The fastest tenth, at least three where there are.
Trials top_of(const Trials& ranked) {
  const std::size_t tenth = (ranked.size() + 9) / 10;
  const std::size_t count = std::min(ranked.size(), std::max<std::size_t>(tenth, 3));
  return {ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// Shares of the trials by what a knob is.
using Shares = std::map<std::int64_t, double>;
Shares shares(const Trials& trials, const std::string& knob) {
  Shares all;
  for (const db::Trial* trial : trials)
    if (const auto at = trial->knobs.find(knob); at != trial->knobs.end())
      all[at->second] += 1.0 / static_cast<double>(trials.size());
  return all;
}

struct Marginal {
  std::string name;
  Shares all, top;
  double apart = 0;  ///< half the sum of differences: 0 where the best are as all are
  std::optional<std::int64_t> winner = {};
};

std::vector<Marginal> marginals(const Trials& all, const Trials& top, const std::optional<db::Trial>& best) {
  std::map<std::string, bool> names;
  for (const db::Trial* trial : all)
    for (const auto& [name, value] : trial->knobs) names[name] = true;
  std::vector<Marginal> found;
  for (const auto& [name, is_there] : names) {
    Marginal one{name, shares(all, name), shares(top, name)};
    if (one.all.size() < 2) continue;
    for (const auto& [value, share] : one.all) one.apart += std::abs(share - one.top[value]) / 2;
    if (best)
      if (const auto at = best->knobs.find(name); at != best->knobs.end()) one.winner = at->second;
    found.push_back(std::move(one));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Marginal& a, const Marginal& b) { return a.apart > b.apart; });
  return found;
}

/// All in grey behind, the best in colour before; a mark below the winner's.
std::string picture(const Marginal& m) {
  double most = 0;
  for (const auto& [value, share] : m.all)
    most = std::max({most, share, m.top.contains(value) ? m.top.at(value) : 0});
  const double step = width / static_cast<double>(m.all.size());
  std::string out = fmt::format(
      "<svg class=knob viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\"><title>{2}</title>"
      "<text class=\"knobname\" x=\"0\" y=\"12\">{2}</text>\n",
      width, height, in_markup(m.name));
  const double base = 22 + chart;
  // Labels that would touch are left out, the winner's never.
  const auto wide = static_cast<double>(std::to_string(m.all.rbegin()->first).size()) * 6.5 + 6;
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(wide / step)));
  std::size_t i = 0;
  for (const auto& [value, share] : m.all) {
    const double x = static_cast<double>(i) * step, top = m.top.contains(value) ? m.top.at(value) : 0;
    const auto bar = [&](const char* kind, double of, double inset) {
      const double tall = chart * of / most;
      return fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>",
                         kind, x + step * inset, base - tall, std::max(step * (1 - 2 * inset), 0.5), tall);
    };
    out += fmt::format("<g><title>{} = {}: {:.0f} % of all, {:.0f} % of the fastest</title>{}{}</g>\n",
                       in_markup(m.name), value, 100 * share, 100 * top, bar("all", share, 0.08),
                       bar("top", top, 0.26));
    const bool is_winner = m.winner == value;
    const bool is_near_winner =
        m.winner && !is_winner && m.all.contains(*m.winner) &&
        std::abs(static_cast<double>(std::distance(m.all.begin(), m.all.find(*m.winner))) -
                 static_cast<double>(i)) *
                step <
            wide;
    if (is_winner || (i % every == 0 && !is_near_winner))
      out +=
          fmt::format("<text class=\"tick{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                      is_winner ? " won" : "", std::clamp(x + step / 2, wide / 2 - 3, width - wide / 2 + 3),
                      base + 15, value);
    ++i;
  }
  out += fmt::format("<line class=axis x1=\"0\" x2=\"{0}\" y1=\"{1}\" y2=\"{1}\"/>", width, base);
  return out + "</svg>\n";
}

/// "A in panels = yes, B in panels = no" → its answers.
std::vector<std::string> answers(const std::string& sketch) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < sketch.size();) {
    const std::size_t end = std::min(sketch.find(", ", begin), sketch.size());
    parts.push_back(sketch.substr(begin, end - begin));
    begin = end + 2;
  }
  return parts;
}

std::string sketches(const Trials& ranked, const Trials& top) {
  std::map<std::string, std::pair<double, double>> by_sketch;
  for (const db::Trial* trial : ranked)
    by_sketch[trial->sketch].first += 100.0 / static_cast<double>(ranked.size());
  if (by_sketch.size() < 2) return "";
  for (const db::Trial* trial : top)
    by_sketch[trial->sketch].second += 100.0 / static_cast<double>(top.size());
  // What all of them answer alike tells none apart.
  std::map<std::string, std::size_t> given;
  for (const auto& [name, of] : by_sketch)
    for (const std::string& answer : answers(name)) ++given[answer];
  std::vector<Bar> all;
  for (const auto& [name, of] : by_sketch) {
    std::vector<std::string> own;
    for (const std::string& answer : answers(name))
      if (given[answer] < by_sketch.size()) own.push_back(answer);
    all.push_back({own.empty() ? "(none of these)" : join(own, ", "), of.second,
                   fmt::format("{:.0f} % of the fastest, {:.0f} % of all", of.second, of.first), "good"});
  }
  std::stable_sort(all.begin(), all.end(), [](const Bar& a, const Bar& b) { return a.value > b.value; });
  return figure(
      "<div class=long>" + bars(all) + "</div>\n",
      "Structural choices (sketches), as far as they differ: how many of the fastest tenth take each.");
}

}  // namespace

std::string knobs(const Story& story) {
  const Trials ranked = ranking(story);
  if (ranked.size() < 4) return "<p>Too few trials were timed to say where the best ones lie.</p>\n";
  std::string out = sketches(ranked, top_of(ranked));
  // Numbers of one sketch mean the same; where it was hardly tried, those of all that have a knob of that
  // name.
  const std::string& sketch = story.best ? story.best->sketch : ranked[0]->sketch;
  Trials same;
  for (const db::Trial* trial : ranked)
    if (trial->sketch == sketch) same.push_back(trial);
  constexpr std::size_t few = 10;
  const bool is_of_winner = same.size() >= few;
  if (!is_of_winner) same = ranked;
  const Trials top = top_of(same);
  const std::vector<Marginal> found = marginals(same, top, story.best);
  if (found.empty()) return out + "<p>All timed trials have the same numbers.</p>\n";
  std::string shown, others;
  for (std::size_t i = 0; i < found.size(); ++i) (i < most_shown ? shown : others) += picture(found[i]);
  out +=
      figure("<div class=knobs>" + shown + "</div>\n",
             fmt::format("Of {} timed trials{} (wide bars) and the fastest {} of them (narrow bars): how "
                         "often each knob has "
                         "each value. The winner's value is bold; knobs whose values matter most come first.",
                         same.size(), is_of_winner ? " of the winner's sketch" : "", top.size()));
  if (!others.empty())
    out += fmt::format("<details><summary>{} more knobs</summary><div class=knobs>{}</div></details>\n",
                       found.size() - most_shown, others);
  return out;
}

}  // namespace ardea::report
