#pragma once

#include <string>
#include <vector>

#include "ardea/report/story.h"

/// The parts of the page that tell one task, each as HTML.

namespace ardea::report {

/// The best so far against trials and against seconds, a line a run.
std::string curves(const Story& story);
/// What came of the trials: timed, and each kind of failure with what it said most often.
std::string failures(const Story& story);
/// How often each knob has each value among all timed trials of the winner's sketch, and among the fastest
/// tenth; and the same of sketches.
std::string knobs(const Story& story);
/// What a model expected against what was measured.
std::string predictions(const Story& story);
/// The winner beside libraries and beside what runs where nothing is tuned.
std::string rivals(const Story& story);
/// The program as written beside the winning one, and the steps between.
std::string programs(const Story& story);

/// A figure: a picture or more, and what to see in it.
std::string figure(const std::string& content, const std::string& caption);

/// Bars that lie below each other, each with its name and number.
struct Bar {
  std::string name;
  double value = 0;
  std::string says;       ///< beside it
  const char* kind = "";  ///< a class of the style
};
std::string bars(const std::vector<Bar>& all);

/// Of two orders: 1 where they are the same, -1 where one is the other backwards.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace ardea::report
