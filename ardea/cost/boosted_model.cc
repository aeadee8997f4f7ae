#include "ardea/cost/boosted_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "ardea/cost/booster.h"
#include "ardea/cost/gaussian_process.h"
#include "ardea/cost/rank_correlation.h"
#include "ardea/support/error.h"
#include "ardea/support/random.h"

namespace ardea::cost {

namespace {

/// Fewer points that differ in time than these say nothing.
constexpr std::size_t least_points = 4;
/// Fewer points that a member has not seen are no measure of it.
constexpr std::size_t least_held_out = 4;
/// That no program takes.
constexpr double slowest_cycles = 1e18;
/// What a trial of another task counts for beside one of this task.
constexpr float weight_of_others = 0.3F;

/// What the smooth part of the model counts for beside the trees, and the most points that it learns from.
constexpr double smooth_share = 0.7;
constexpr std::size_t most_smooth = 256;

/// Rows and how fast they are: ln(1 / seconds), less the mean of the task.
struct Task {
  Rows rows;
  std::vector<double> scores;
};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void centre(std::vector<double>& scores) {
  if (scores.empty()) return;
  const double mean = mean_of(scores);
  for (double& score : scores) score -= mean;
}

bool says_something(const std::vector<double>& scores) {
  return std::set<double>(scores.begin(), scores.end()).size() >= least_points;
}

/// Few trees where little is known: what the prior says is then better than what a handful of times does.
int rounds_for(std::size_t rows) { return static_cast<int>(std::min<std::size_t>(20 + rows / 8, 40)); }

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
            "a boosted model ranks or regresses; the logistic loss is for what is feasible");
    const auto& sketches = features_->sketches();
    options_.prior =
        options_.prior && std::any_of(sketches.begin(), sketches.end(),
                                      [](const SketchView& one) { return one.symbolic != nullptr; });
    for (const OtherTask& other : options_.others) add_other(other);
    options_.others.clear();
    learn({});
  }

  void learn(const std::vector<Known>& known) override {
    members_.clear();
    whole_.reset();
    smooth_.reset();
    held_out_.reset();
    learn_speed(own_task(known));
    learn_feasibility(known);
  }

  bool is_trained() const override { return !members_.empty() || options_.prior; }

  std::vector<Prediction> predict(const std::vector<space::Choice>& choices) const override {
    std::vector<Prediction> predictions(choices.size());
    if (choices.empty()) return predictions;
    const Rows rows = features_->rows(choices);
    const std::vector<double> margins = margins_of(rows);
    for (std::size_t i = 0; i < choices.size(); ++i) predictions[i].score = margins[i];
    if (!members_.empty()) {
      std::vector<double> sums(choices.size()), squares(choices.size());
      for (const Member& member : members_) {
        const std::vector<double> scores = scores_by(member, rows, margins);
        for (std::size_t i = 0; i < choices.size(); ++i) {
          sums[i] += scores[i];
          squares[i] += scores[i] * scores[i];
        }
      }
      const auto count = static_cast<double>(members_.size());
      for (std::size_t i = 0; i < choices.size(); ++i) {
        const double mean = sums[i] / count;
        predictions[i].score = mean;
        predictions[i].deviation = std::sqrt(std::max(0.0, squares[i] - count * mean * mean) / (count - 1));
      }
    }
    if (smooth_) {
      const std::vector<GaussianProcess::Answer> answers = smooth_->predict(rows);
      for (std::size_t i = 0; i < choices.size(); ++i) {
        Prediction& one = predictions[i];
        one.score = std::lerp(one.score, answers[i].mean + margins[i], smooth_share);
        one.deviation = std::lerp(one.deviation, answers[i].deviation, smooth_share);
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
    const auto share_out = [&](const Booster& booster) {
      const std::vector<double> gains = booster.gains();
      for (std::size_t c = 0; c < gains.size(); ++c)
        for (const std::size_t knob : behind[c])
          shares[knob] += gains[c] / static_cast<double>(behind[c].size());
    };
    if (whole_)
      share_out(*whole_);
    else
      for (const Member& member : members_) share_out(member.booster);
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share = sum > 0 ? share / sum : 1 / static_cast<double>(knobs);
    return shares;
  }

  std::optional<double> held_out_correlation() const override { return held_out_; }

 private:
  void add_other(const OtherTask& other) {
    Task task{{features_->columns().size()}, {}};
    for (const OtherTask::Trial& trial : other.trials) {
      require(trial.row.size() == task.rows.columns,
              "a trial of another task has {} features, this space has {}; make the rows by its own Features",
              trial.row.size(), task.rows.columns);
      if (!(trial.seconds > 0)) continue;
      task.rows.append(trial.row.data());
      task.scores.push_back(-std::log(trial.seconds));
    }
    if (!says_something(task.scores)) return;
    centre(task.scores);
    others_.push_back(std::move(task));
  }

  /// What was timed, each point once, in the order of the points: the mean where one was timed several times.
  Task own_task(const std::vector<Known>& known) const {
    std::map<space::Choice, std::pair<double, int>> sums;
    for (const Known& each : known)
      if (each.outcome == TrialOutcome::timed && each.seconds > 0) {
        auto& [sum, count] = sums[each.choice];
        sum -= std::log(each.seconds);
        ++count;
      }
    std::vector<space::Choice> choices;
    Task task;
    for (const auto& [choice, sum] : sums) {
      choices.push_back(choice);
      task.scores.push_back(sum.first / sum.second);
    }
    task.rows = features_->rows(choices);
    centre(task.scores);
    return task;
  }

  /// What a simple model of the machine says, less the origin; 0 where there is no prior. A program of which
  /// it can say nothing is as good as the others once some are known, and behind them before.
  std::vector<double> margins_of(const Rows& rows) const {
    if (!options_.prior) return std::vector<double>(rows.size(), 0);
    std::vector<double> margins(rows.size(), origin_ == 0 ? -std::log(slowest_cycles) : 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const float doublings = rows.row(i)[static_cast<std::size_t>(Feature::cycles)];  // log2
      if (!std::isnan(doublings))
        margins[i] = belief_ * (-std::log(2.0) * static_cast<double>(doublings) - origin_);
    }
    return margins;
  }

  static std::vector<double> scores_by(const Member& member, const Rows& rows,
                                       const std::vector<double>& margins) {
    const std::vector<float> learned = member.booster.predict(rows);
    std::vector<double> scores(rows.size());
    for (std::size_t i = 0; i < scores.size(); ++i)
      scores[i] = member.slope * (margins[i] + static_cast<double>(learned[i]));
    return scores;
  }

  void learn_speed(const Task& own) {
    const bool knows_own = says_something(own.scores);
    origin_ = 0;
    belief_ = 1;
    if (!knows_own && others_.empty()) return;
    if (knows_own) {
      origin_ = mean_of(margins_of(own.rows));
      learn_smooth(own);
    }
    const std::vector<double> own_margins = margins_of(own.rows);
    Random random(options_.seed);
    double correlations = 0, weight = 0;
    for (int i = 0; i < options_.members; ++i) {
      Booster::Lesson lesson{{features_->columns().size()}, {}, {}, {}};
      for (const Task& other : others_) add_sample(other, weight_of_others, random, lesson);
      const std::vector<bool> is_seen =
          knows_own ? add_sample(own, 1, random, lesson) : std::vector<bool>(own.scores.size());
      Boosting boosting = options_.trees;
      boosting.loss = options_.loss;
      if (boosting.rounds == 0) boosting.rounds = rounds_for(lesson.labels.size());
      boosting.seed = random.next();
      Member member{Booster(lesson, boosting)};
      if (knows_own) {
        const std::vector<double> scores = scores_by(member, own.rows, own_margins);
        member.slope = slope_of(scores, own.scores);
        std::vector<double> predicted, measured;
        for (std::size_t at = 0; at < scores.size(); ++at) {
          if (is_seen[at]) continue;
          predicted.push_back(scores[at]);
          measured.push_back(own.scores[at]);
        }
        if (predicted.size() >= least_held_out) {
          correlations += rank_correlation(predicted, measured) * static_cast<double>(predicted.size());
          weight += static_cast<double>(predicted.size());
        }
      }
      members_.push_back(std::move(member));
    }
    if (weight > 0) held_out_ = correlations / weight;
    if (smooth_ && held_out_) held_out_ = std::lerp(*held_out_, smooth_correlation_, smooth_share);
    if (knows_own && options_.prior) learn_whole(own);
  }

  /// What the prior leaves over, as it varies with the features, and how far the prior is to be believed. Of
  /// very many points the faster half, which is to be told apart, and some of each speed below.
  void learn_smooth(const Task& own) {
    std::vector<std::size_t> order(own.scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return own.scores[a] > own.scores[b]; });
    if (order.size() > most_smooth) {
      constexpr std::size_t fast = most_smooth / 2, slow = most_smooth - fast;
      const std::size_t others = order.size() - fast;
      for (std::size_t i = 0; i < slow; ++i) order[fast + i] = order[fast + i * others / slow];
      order.resize(most_smooth);
    }
    Rows rows{own.rows.columns};
    std::vector<double> scores;
    for (const std::size_t at : order) {
      rows.append(own.rows.row(at));
      scores.push_back(own.scores[at]);
    }
    const std::vector<double> prior = options_.prior ? margins_of(rows) : std::vector<double>();
    // Sketches are counted, not ordered.
    smooth_.emplace(rows, scores, std::vector<std::size_t>{feature_count}, prior);
    smooth_correlation_ = rank_correlation(smooth_->left_out(), scores);
    if (options_.prior) belief_ = smooth_->belief();
  }

  /// Members say what matters to what the prior gets wrong. These trees say what matters to speed.
  void learn_whole(const Task& own) {
    Booster::Lesson lesson{own.rows, {own.scores.begin(), own.scores.end()}, {{own.scores.size(), 1}}};
    Boosting boosting = options_.trees;
    boosting.loss = options_.loss;
    if (boosting.rounds == 0) boosting.rounds = rounds_for(own.scores.size());
    boosting.seed = options_.seed;
    whole_.emplace(lesson, boosting);
  }

  /// As many rows as the task has, drawn with repetition: which were drawn.
  std::vector<bool> add_sample(const Task& task, float weight, Random& random,
                               Booster::Lesson& lesson) const {
    const std::size_t count = task.scores.size();
    std::vector<bool> is_drawn(count);
    Rows drawn{task.rows.columns};
    for (std::size_t draw = 0; draw < count; ++draw) {
      const auto at = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(count) - 1));
      is_drawn[at] = true;
      drawn.append(task.rows.row(at));
      lesson.labels.push_back(static_cast<float>(task.scores[at]));
    }
    lesson.rows.values.insert(lesson.rows.values.end(), drawn.values.begin(), drawn.values.end());
    lesson.groups.push_back({count, weight});
    if (options_.prior) {
      std::vector<double> margins = margins_of(drawn);
      centre(margins);
      lesson.margins.insert(lesson.margins.end(), margins.begin(), margins.end());
    }
    return is_drawn;
  }

  /// What predictions are multiplied by, so that they differ as scores do: ranks have no unit of their own.
  static double slope_of(const std::vector<double>& predicted, const std::vector<double>& scores) {
    const double mean = mean_of(predicted), mean_score = mean_of(scores);
    double both = 0, square = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      both += (predicted[i] - mean) * (scores[i] - mean_score);
      square += (predicted[i] - mean) * (predicted[i] - mean);
    }
    return square > 0 && both > 0 ? both / square : 1;
  }

  void learn_feasibility(const std::vector<Known>& known) {
    feasibility_.reset();
    std::vector<space::Choice> choices;
    Booster::Lesson lesson;
    for (const Known& each : known) {
      if (each.outcome == TrialOutcome::device_lost) continue;  // says nothing of the program
      choices.push_back(each.choice);
      lesson.labels.push_back(each.outcome == TrialOutcome::timed ? 1.0F : 0.0F);
    }
    if (std::count(lesson.labels.begin(), lesson.labels.end(), 0.0F) == 0) return;
    lesson.rows = features_->rows(choices);
    lesson.groups = {{choices.size(), 1}};
    Boosting boosting;
    boosting.loss = Loss::logistic;
    boosting.depth = 4;
    boosting.least_weight = 0.5;
    boosting.seed = options_.seed;
    feasibility_.emplace(lesson, boosting);
  }

  std::shared_ptr<const Features> features_;
  ModelOptions options_;
  std::vector<Task> others_;
  double origin_ = 0;  ///< of margins: members that weigh them differently agree here
  double belief_ = 1;  ///< in the prior: less, where what is known speaks against it
  std::vector<Member> members_;
  std::optional<Booster> whole_;           ///< learned without the prior, for the importance of knobs
  std::optional<GaussianProcess> smooth_;  ///< of what margins leave over
  double smooth_correlation_ = 0;          ///< of points that it was not told
  std::optional<Booster> feasibility_;
  std::optional<double> held_out_;
};

}  // namespace

std::unique_ptr<Model> make_boosted_model(std::shared_ptr<const Features> features,
                                          const ModelOptions& options) {
  return std::make_unique<BoostedModel>(std::move(features), options);
}

}  // namespace ardea::cost
