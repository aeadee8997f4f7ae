#include "ardea/cost/boosted_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "ardea/cost/booster.h"
#include "ardea/cost/rank_correlation.h"
#include "ardea/support/error.h"
#include "ardea/support/random.h"

namespace ardea::cost {

namespace {

/// Fewer points that differ in time than these say nothing.
constexpr std::size_t least_points = 4;
/// Fewer points that a member has not seen are no measure of it.
constexpr std::size_t least_held_out = 4;

/// Points that were timed, each once, and how fast they are.
struct Timed {
  std::vector<space::Choice> choices;
  std::vector<double> scores;  ///< ln(1 / seconds); the mean where one was timed several times
};

Timed timed_of(const std::vector<Known>& known) {
  std::map<space::Choice, std::pair<double, int>> sums;
  for (const Known& each : known)
    if (each.outcome == TrialOutcome::timed && each.seconds > 0) {
      auto& [sum, count] = sums[each.choice];
      sum -= std::log(each.seconds);
      ++count;
    }
  Timed timed;
  for (const auto& [choice, sum] : sums) {
    timed.choices.push_back(choice);
    timed.scores.push_back(sum.first / sum.second);
  }
  return timed;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Its predictions times `slope` are differences of scores.
struct Member {
  Booster booster;
  double slope = 1;
};

class BoostedModel : public Model {
 public:
  BoostedModel(std::shared_ptr<const Features> features, const ModelOptions& options)
      : features_(std::move(features)), options_(options) {
    require(options_.members >= 2, "a boosted model of {} members: at least 2 are needed to disagree",
            options_.members);
    require(options_.loss != Loss::logistic,
            "a boosted model ranks or regresses, and does neither by logistic loss");
  }

  void learn(const std::vector<Known>& known) override {
    members_.clear();
    held_out_.reset();
    learn_speed(timed_of(known));
    learn_feasibility(known);
  }

  bool is_trained() const override { return !members_.empty(); }

  std::vector<Prediction> predict(const std::vector<space::Choice>& choices) const override {
    std::vector<Prediction> predictions(choices.size());
    if (choices.empty()) return predictions;
    const Rows rows = features_->rows(choices);
    if (!members_.empty()) {
      std::vector<double> squares(choices.size());
      const auto count = static_cast<double>(members_.size());
      for (const Member& member : members_) {
        const std::vector<float> scores = member.booster.predict(rows);
        for (std::size_t i = 0; i < choices.size(); ++i) {
          const double score = static_cast<double>(scores[i]) * member.slope;
          predictions[i].score += score / count;
          squares[i] += score * score / count;
        }
      }
      for (std::size_t i = 0; i < choices.size(); ++i) {
        const double mean = predictions[i].score;
        predictions[i].deviation = std::sqrt(std::max(0.0, squares[i] - mean * mean) * count / (count - 1));
      }
    }
    if (feasibility_) {
      const std::vector<float> chances = feasibility_->predict(rows);
      for (std::size_t i = 0; i < choices.size(); ++i)
        predictions[i].feasible = static_cast<double>(chances[i]);
    }
    return predictions;
  }

  std::vector<double> importance(std::size_t sketch) const override {
    const std::size_t knobs = features_->sketches()[sketch].system->knobs().size();
    std::vector<double> shares(knobs, 0);
    const std::vector<std::vector<std::size_t>> behind = features_->knobs_behind(sketch);
    for (const Member& member : members_) {
      const std::vector<double> gains = member.booster.gains();
      for (std::size_t c = 0; c < gains.size(); ++c)
        for (const std::size_t knob : behind[c])
          shares[knob] += gains[c] / static_cast<double>(behind[c].size());
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share = sum > 0 ? share / sum : 1 / static_cast<double>(knobs);
    return shares;
  }

  std::optional<double> held_out_correlation() const override { return held_out_; }

 private:
  void learn_speed(const Timed& timed) {
    const std::size_t count = timed.choices.size();
    if (std::set<double>(timed.scores.begin(), timed.scores.end()).size() < least_points) return;
    const Rows rows = features_->rows(timed.choices);
    const double mean = mean_of(timed.scores);
    double variance = 0;
    for (const double score : timed.scores) variance += (score - mean) * (score - mean);
    const double deviation = std::sqrt(variance / static_cast<double>(count));

    Random random(options_.seed);
    double correlations = 0, weight = 0;
    for (int i = 0; i < options_.members; ++i) {
      std::vector<bool> is_seen(count);
      Rows sample{rows.columns};
      std::vector<float> labels;
      for (std::size_t draw = 0; draw < count; ++draw) {
        const auto at = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(count) - 1));
        is_seen[at] = true;
        sample.append(rows.row(at));
        labels.push_back(static_cast<float>((timed.scores[at] - mean) / deviation));
      }
      Boosting boosting = trees();
      boosting.seed = random.next();
      Member member{Booster(sample, labels, {{count, 1}}, boosting)};
      const std::vector<float> scores = member.booster.predict(rows);
      member.slope = slope_of(scores, timed.scores);
      members_.push_back(std::move(member));
      std::vector<double> predicted, measured;
      for (std::size_t at = 0; at < count; ++at) {
        if (is_seen[at]) continue;
        predicted.push_back(static_cast<double>(scores[at]));
        measured.push_back(timed.scores[at]);
      }
      if (predicted.size() < least_held_out) continue;
      correlations += rank_correlation(predicted, measured) * static_cast<double>(predicted.size());
      weight += static_cast<double>(predicted.size());
    }
    if (weight > 0) held_out_ = correlations / weight;
  }

  /// What predictions are multiplied by, so that they differ as scores do: ranks have no unit of their own.
  static double slope_of(const std::vector<float>& predicted, const std::vector<double>& scores) {
    const std::vector<double> values(predicted.begin(), predicted.end());
    const double mean = mean_of(values), mean_score = mean_of(scores);
    double both = 0, square = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      both += (values[i] - mean) * (scores[i] - mean_score);
      square += (values[i] - mean) * (values[i] - mean);
    }
    return square > 0 && both > 0 ? both / square : 1;
  }

  void learn_feasibility(const std::vector<Known>& known) {
    feasibility_.reset();
    std::vector<space::Choice> choices;
    std::vector<float> labels;
    for (const Known& each : known) {
      if (each.outcome == TrialOutcome::device_lost) continue;  // says nothing of the program
      choices.push_back(each.choice);
      labels.push_back(each.outcome == TrialOutcome::timed ? 1.0F : 0.0F);
    }
    if (std::count(labels.begin(), labels.end(), 0.0F) == 0) return;
    Boosting boosting;
    boosting.loss = Loss::logistic;
    boosting.depth = 4;
    boosting.least_weight = 0.5;
    boosting.seed = options_.seed;
    feasibility_.emplace(features_->rows(choices), labels, std::vector<Booster::Group>{{labels.size(), 1}},
                         boosting);
  }

  Boosting trees() const {
    Boosting boosting;
    boosting.loss = options_.loss;
    return boosting;
  }

  std::shared_ptr<const Features> features_;
  ModelOptions options_;
  std::vector<Member> members_;
  std::optional<Booster> feasibility_;
  std::optional<double> held_out_;
};

}  // namespace

std::unique_ptr<Model> make_boosted_model(std::shared_ptr<const Features> features,
                                          const ModelOptions& options) {
  return std::make_unique<BoostedModel>(std::move(features), options);
}

}  // namespace ardea::cost
