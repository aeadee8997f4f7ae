#include <fmt/format.h>

#include <algorithm>

#include "ardea/report/markup.h"
#include "ardea/report/parts.h"

namespace ardea::report {

namespace {

std::string listing(const std::string& heading, const std::string& program) {
  const auto lines = std::count(program.begin(), program.end(), '\n');
  return fmt::format("<div class=listing><h4>{} <small>{} lines</small></h4><pre tabindex=0>{}</pre></div>\n",
                     heading, lines, coloured_program(program));
}

}  // namespace

std::string programs(const Story& story) {
  if (story.winning.empty())
    return "<p>" + in_markup(story.why_none.empty() ? "There is no winning program." : story.why_none) +
           "</p>\n" + (story.plain.empty() ? "" : listing("As written", story.plain));
  std::string out = "<div class=pair>" + listing("As written", story.plain) +
                    listing("As tuned", story.winning) + "</div>\n";
  if (!story.steps.empty())
    out += fmt::format(
        "<details><summary>The {} steps between the two</summary><pre tabindex=0>{}</pre></details>\n",
        std::max<std::ptrdiff_t>(std::count(story.steps.begin(), story.steps.end(), '\n') - 1, 0),
        coloured_program(story.steps));
  return out;
}

}  // namespace ardea::report
