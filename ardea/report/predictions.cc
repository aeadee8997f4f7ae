#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ardea/report/parts.h"
#include "ardea/report/plot.h"

namespace ardea::report {

namespace {

/// Trials that one state of the model was asked about: its scores are logarithms up to a constant of their
/// own.
struct Batch {
  std::vector<const db::Trial*> trials;
  std::vector<double> scores, measured;  ///< logarithms of speeds

  void add(const db::Trial& trial) {
    trials.push_back(&trial);
    scores.push_back(*trial.predicted);
    measured.push_back(-std::log(trial.time->median_s));
  }
  /// The constant by which half of the predictions are too fast.
  double shift() const {
    std::vector<double> gaps;
    for (std::size_t i = 0; i < scores.size(); ++i) gaps.push_back(measured[i] - scores[i]);
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
    std::nth_element(gaps.begin(), middle, gaps.end());
    return *middle;
  }
};

constexpr std::size_t least_batch = 4;

}  // namespace

std::string predictions(const Story& story) {
  std::map<std::pair<std::string, std::int64_t>, Batch> batches;
  for (const Run& run : runs_of(story))
    for (const db::Trial* trial : run.trials)
      if (trial->time && trial->predicted && trial->time->median_s > 0)
        batches[{trial->run, trial->batch}].add(*trial);
  std::erase_if(batches, [](const auto& entry) { return entry.second.trials.size() < least_batch; });
  if (batches.empty())
    return fmt::format(
        "<p>No batch has {} trials with a prediction: no model was asked, or none was trained yet.</p>\n",
        least_batch);
  std::vector<Dot> dots;
  std::vector<double> all;
  double agreement = 0;
  for (const auto& [key, batch] : batches) {
    const double shift = batch.shift();
    agreement += rank_correlation(batch.scores, batch.measured) * static_cast<double>(batch.trials.size());
    for (std::size_t i = 0; i < batch.trials.size(); ++i) {
      const double expected_s = std::exp(-(batch.scores[i] + shift)),
                   took_s = batch.trials[i]->time->median_s;
      dots.push_back({expected_s * 1e3, took_s * 1e3,
                      fmt::format("trial {}: expected {}, took {}", batch.trials[i]->number,
                                  time_text(expected_s), time_text(took_s))});
      all.insert(all.end(), {expected_s * 1e3, took_s * 1e3});
    }
  }
  const Axis x = axis_around(all, true, "expected ms"), y = axis_around(all, true, "measured ms");
  Plot plot(x, y, {}, 420, 340);
  plot.diagonal();
  plot.dots(dots, 0, 3);
  return figure(
      plot.svg(story.title + ": expected against measured"),
      fmt::format(
          "What the model expected of {} trials in {} batch{} before they were measured. Within a batch "
          "the two orders agree by {:.2f} on average (Spearman's rank correlation; 1 is the same "
          "order). Predictions are up to a constant factor a batch, chosen so that half of them are "
          "too fast.",
          dots.size(), batches.size(), batches.size() == 1 ? "" : "es",
          agreement / static_cast<double>(dots.size())));
}

}  // namespace ardea::report
