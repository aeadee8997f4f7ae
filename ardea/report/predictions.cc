#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ardea/report/parts.h"
#include "ardea/report/plot.h"

namespace ardea::report {

std::string predictions(const Story& story) {
  std::vector<double> scores, measured;
  std::vector<const db::Trial*> trials;
  for (const Run& run : runs_of(story))
    for (const db::Trial* trial : run.trials)
      if (trial->time && trial->predicted && trial->time->median_s > 0) {
        scores.push_back(*trial->predicted);
        measured.push_back(-std::log(trial->time->median_s));
        trials.push_back(trial);
      }
  if (trials.size() < 4)
    return "<p>Fewer than four trials have a prediction: no model was asked, or none was trained yet.</p>\n";
  // Scores are logarithms up to a constant: the one by which half of the predictions are too fast.
  std::vector<double> gaps;
  for (std::size_t i = 0; i < scores.size(); ++i) gaps.push_back(measured[i] - scores[i]);
  std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2), gaps.end());
  const double shift = gaps[gaps.size() / 2];
  std::vector<Dot> dots;
  std::vector<double> all;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double expected_ms = 1e3 * std::exp(-(scores[i] + shift)), ms = trials[i]->time->median_s * 1e3;
    dots.push_back({expected_ms, ms,
                    fmt::format("trial {}: expected {}, took {}", trials[i]->number,
                                time_text(expected_ms / 1e3), time_text(ms / 1e3))});
    all.insert(all.end(), {expected_ms, ms});
  }
  Axis x = axis_around(all, true, "expected ms"), y = axis_around(all, true, "measured ms");
  Plot plot(x, y, {}, 420, 340);
  plot.diagonal();
  plot.dots(dots, 0, 3);
  return figure(
      plot.svg(story.title + ": expected against measured"),
      fmt::format("What the model expected of {} trials before each was measured. The order of the two "
                  "agrees by {:.2f} (Spearman's rank correlation; 1 is the same order). Predictions are up "
                  "to a constant factor, which is chosen so that half of them are too fast.",
                  trials.size(), rank_correlation(scores, measured)));
}

}  // namespace ardea::report
