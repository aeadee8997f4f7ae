#include "ardea/cli/space_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ardea/report/markup.h"
#include "ardea/space/evaluate.h"
#include "ardea/support/random.h"

namespace ardea::cli {

namespace {

using space::Point;
using space::System;

constexpr std::size_t solutions_drawn = 2000;
constexpr int assignments_drawn = 4000;
constexpr double margin = 24, chart_width = 170, chart_height = 70, line_height = 16, bar_width = 260,
                 words_width = 300, page_width = 1000;

class Picture {
 public:
  void text(double x, double y, const std::string& words, const char* style = "") {
    body_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", x, y, style, report::in_markup(words));
  }
  void bar(double x, double y, double width, double height, const char* colour, const std::string& says) {
    body_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"><title>{}</title>"
        "</rect>\n",
        x, y, width, height, colour, report::in_markup(says));
  }
  std::string finished(double height) const {
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1:.0f}\" "
               "viewBox=\"0 0 {0} {1:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n"
               "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
               page_width, height) +
           body_ + "</svg>\n";
  }

 private:
  std::string body_;
};

/// One knob: a bar for each value.
void draw_marginal(Picture& picture, double x, double y, const System& system, space::Var knob,
                   const std::vector<Point>& solutions) {
  const std::vector<std::int64_t> values = system[knob].domain.values();
  std::map<std::int64_t, std::size_t> seen;
  for (const Point& point : solutions) ++seen[point[static_cast<std::size_t>(knob.index)]];
  std::size_t most = 1;
  for (const auto& [value, count] : seen) most = std::max(most, count);
  picture.text(x, y, system[knob].name, " font-weight=\"bold\"");
  const double step = chart_width / static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t count = seen[values[i]];
    const double height = chart_height * static_cast<double>(count) / static_cast<double>(most);
    picture.bar(x + static_cast<double>(i) * step, y + 6 + chart_height - height, std::max(step - 1, 0.5),
                height, "#3b6ea5",
                fmt::format("{} = {}: {} of {}", system[knob].name, values[i], count, solutions.size()));
  }
  const double below = y + 6 + chart_height + 12;
  picture.text(x, below, std::to_string(values.front()));
  picture.text(x + chart_width, below, std::to_string(values.back()), " text-anchor=\"end\"");
}

/// How many of the assignments a constraint rules out, and how many no other one does.
struct Binding {
  std::string name, reason;
  int broken = 0, alone = 0;
};

std::vector<Binding> bindings_of(const System& system, std::uint64_t seed) {
  Random random(seed);
  std::vector<Binding> all;
  std::vector<int> posted;
  for (int i = 0; i < static_cast<int>(system.constraints().size()); ++i) {
    if (system.is_definition(i)) continue;
    const space::Constraint& c = system.constraints()[static_cast<std::size_t>(i)];
    posted.push_back(i);
    all.push_back({c.name, c.reason});
  }
  for (int n = 0; n < assignments_drawn; ++n) {
    std::vector<std::int64_t> numbers;
    for (const space::Var knob : system.knobs()) numbers.push_back(random.pick(system[knob].domain.values()));
    const auto point = space::complete_knobs(system, numbers);
    if (!point) continue;
    std::vector<std::size_t> broken;
    for (std::size_t i = 0; i < posted.size(); ++i)
      if (!space::holds(system.constraints()[static_cast<std::size_t>(posted[i])], *point))
        broken.push_back(i);
    for (const std::size_t i : broken) ++all[i].broken;
    if (broken.size() == 1) ++all[broken[0]].alone;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Binding& a, const Binding& b) { return a.broken > b.broken; });
  return all;
}

double draw_bindings(Picture& picture, double y, const std::vector<Binding>& bindings) {
  picture.text(margin, y, "of all assignments, ruled out by (dark: by nothing else)", " fill=\"#555\"");
  for (const Binding& binding : bindings) {
    y += line_height;
    const auto width = [](int count) { return bar_width * count / assignments_drawn; };
    const std::string says = fmt::format("{}: {} of {}, {} by it alone", binding.reason, binding.broken,
                                         assignments_drawn, binding.alone);
    picture.text(margin, y, binding.name);
    picture.bar(margin + words_width, y - 9, width(binding.broken), 10, "#e0a458", says);
    picture.bar(margin + words_width, y - 9, width(binding.alone), 10, "#a5492b", says);
    picture.text(margin + words_width + bar_width + 8, y,
                 fmt::format("{:.1f} %", 100.0 * binding.broken / assignments_drawn));
  }
  return y + line_height;
}

}  // namespace

std::string plot(const rules::ProgramSpace& space, std::uint64_t seed) {
  Picture picture;
  double y = margin;
  for (std::size_t i = 0; i < space.sketches.size(); ++i) {
    const rules::SolvedSketch& solved = space.sketches[i];
    const System& system = solved.sketch.system;
    const space::Count count = solved.solver->count();
    picture.text(
        margin, y,
        fmt::format("{} on {}, sketch {} ({}): {}{} points", space.program.name, space.target.name, i,
                    rules::to_string(solved.sketch.ways), count.exact ? "" : "about ",
                    count.exact ? fmt::format("{}", *count.exact) : fmt::format("{:.3g}", count.value)),
        " font-size=\"14\"");
    y += 1.5 * line_height;
    const std::vector<Point> solutions = solved.solver->sample(solutions_drawn, seed).points;
    double x = margin;
    for (const space::Var knob : system.knobs()) {
      if (x + chart_width > page_width - margin) {
        x = margin;
        y += chart_height + 3 * line_height;
      }
      draw_marginal(picture, x, y, system, knob, solutions);
      x += chart_width + margin;
    }
    y = draw_bindings(picture, y + chart_height + 3.5 * line_height, bindings_of(system, seed)) + line_height;
  }
  return picture.finished(y);
}

}  // namespace ardea::cli
