#include "ardea/tune/tuner.h"

#include <gtest/gtest.h>

#include "ardea/support/error.h"
#include "ardea/support/temporary_folder.h"
#include "ardea/tune/replay.h"
#include "tests/tune/simulated.h"

namespace ardea::tune {

namespace {

class Tuning : public testing::Test {
 protected:
  TuneOptions options(const search::Method& method) {
    return {.trials = 20,
            .method = &method,
            .batch = 6,
            .duel_s = 2,
            .run = "first",
            .clock = [this] { return measurer.now; },
            .calendar = [this] { return 1000 + std::int64_t(measurer.now); }};
  }
  std::vector<db::Trial> kept() const { return database.trials(task).sound; }
  std::vector<db::Trial> kept_of(const std::string& method) const {
    std::vector<db::Trial> all = kept();
    std::erase_if(all, [&](const db::Trial& t) { return t.method != method; });
    return all;
  }

  Simulated measurer;
  const TemporaryFolder folder;
  db::Database database = db::Database::create(folder.path() / "t.db");
  const std::int64_t task = database.add(simulated_task());
};

TEST_F(Tuning, begins_with_what_the_model_of_the_machine_chooses) {
  search::Setting setting;
  const search::Method method = chance(nullptr, &setting);
  Tuner tuner(small_space(), measurer, options(method));
  ASSERT_TRUE(tuner.step());
  const auto standard = default_choice(small_space());
  ASSERT_TRUE(standard);
  EXPECT_EQ(setting.first, std::vector{*standard});
  EXPECT_EQ(measurer.measured.at(0).choice, *standard);
  EXPECT_EQ(measurer.measured.size(), 6U);
}

TEST_F(Tuning, records_each_trial_with_its_place_in_the_run) {
  const search::Method method = chance();
  Tuner tuner(small_space(), measurer, options(method), nullptr, Tuner::Kept{&database, task});
  const Tuned tuned = run_to_the_end(tuner);
  EXPECT_EQ(tuned.trials, 20);
  EXPECT_EQ(tuned.timed, 20);
  const std::vector<db::Trial> trials = kept_of("chance");
  ASSERT_EQ(trials.size(), 20U);
  std::set<std::string> traces;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const db::Trial& trial = trials[i];
    const Candidate& candidate = measurer.measured[i];
    EXPECT_EQ(trial.number, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(trial.batch, static_cast<std::int64_t>(i) / 6 + 1);
    EXPECT_EQ(trial.run, "first");
    EXPECT_EQ(trial.seed, 1U);
    EXPECT_EQ(trial.trace, candidate.trace);
    EXPECT_EQ(trial.time->median_s, simulated_seconds(candidate.choice));
    EXPECT_EQ(trial.elapsed_s, static_cast<double>(i) + 1);
    EXPECT_EQ(choice_of(small_space(), trial), candidate.choice);
    traces.insert(trial.trace);
  }
  EXPECT_EQ(traces.size(), 20U) << "no point twice";
}

TEST_F(Tuning, has_each_trial_on_the_disk_before_anybody_hears_of_it) {
  const search::Method method = chance();
  TuneOptions with = options(method);
  std::int64_t heard = 0;
  with.told = [&](const Progress& progress) {
    if (progress.in_duel) return;
    EXPECT_EQ(static_cast<std::int64_t>(kept().size()), ++heard);
    EXPECT_EQ(progress.trials, heard);
  };
  Tuner tuner(small_space(), measurer, with, nullptr, Tuner::Kept{&database, task});
  run_to_the_end(tuner);
  EXPECT_EQ(heard, 20);
}

TEST_F(Tuning, tells_results_in_the_order_of_asking) {
  Chance* strategy = nullptr;
  const search::Method method = chance(&strategy);
  Tuner tuner(small_space(), measurer, options(method));
  while (tuner.step()) {}
  ASSERT_EQ(strategy->told.size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(strategy->told[i].choice, measurer.measured[i].choice);
    EXPECT_EQ(strategy->told[i].seconds, simulated_seconds(measurer.measured[i].choice));
  }
}

TEST_F(Tuning, ends_where_the_time_does_with_some_left_for_the_duel) {
  const search::Method method = chance();
  TuneOptions with = options(method);
  with.seconds = 11;
  Tuner tuner(small_space(), measurer, with);
  const Tuned tuned = run_to_the_end(tuner);
  EXPECT_EQ(tuned.trials, 10);  // 11 s less 15 % for the duel are 9.35: the tenth begins before
  EXPECT_LE(tuned.seconds, 11.7);
  EXPECT_FALSE(tuned.was_stopped);
  EXPECT_TRUE(tuned.winner);
}

TEST_F(Tuning, stops_where_it_is_asked_to_and_crowns_the_best_so_far) {
  const search::Method method = chance();
  TuneOptions with = options(method);
  with.stop = [&] { return measurer.measured.size() >= 8; };
  Tuner tuner(small_space(), measurer, with);
  const Tuned tuned = run_to_the_end(tuner);
  EXPECT_EQ(tuned.trials, 8);
  EXPECT_TRUE(tuned.was_stopped);
  ASSERT_TRUE(tuned.winner);
  double best = 1;
  for (const Candidate& candidate : measurer.measured)
    best = std::min(best, simulated_seconds(candidate.choice));
  EXPECT_EQ(tuned.winner->trial.time->median_s, best);
}

/// All trials but the default's are lucky. In the duel they are not.
TEST_F(Tuning, does_not_leave_the_default_point_for_a_lucky_one) {
  const auto standard = default_choice(small_space());
  const double its = simulated_seconds(*standard);
  measurer.report_of = [&](const space::Choice& choice) {
    const double seconds = choice == standard ? its : std::max(simulated_seconds(choice) - its, 1e-9);
    return measure::TrialReport{.time = CallTime{seconds, seconds, seconds}};
  };
  const search::Method method = chance();
  TuneOptions with = options(method);
  with.trials = 3;
  Tuner tuner(small_space(), measurer, with, nullptr, Tuner::Kept{&database, task});
  const Tuned tuned = run_to_the_end(tuner);
  ASSERT_EQ(measurer.dueled.at(0).choice, *standard);
  ASSERT_TRUE(tuned.winner && tuned.standard && tuned.speedup);
  double best = 1;
  for (const Candidate& candidate : measurer.dueled)
    best = std::min(best, simulated_seconds(candidate.choice));
  EXPECT_EQ(tuned.winner->trial.time->median_s, best);
  EXPECT_GE(tuned.speedup->median, 1);
  EXPECT_EQ(database.best(task)->trace, tuned.winner->trial.trace) << "the database knows the winner";
}

TEST(Duel, is_won_against_the_first_by_who_is_clearly_faster) {
  const auto timed = [](double low, double median, double high) {
    return measure::Duelist{{.time = CallTime{median, low, high}}, {median, low, high}};
  };
  const measure::Duelist failed{{.outcome = TrialOutcome::crashed}, {}};
  const measure::Duelist first = timed(1, 1, 1), unclear = timed(0.8, 0.9, 1.01),
                         clear = timed(0.93, 0.95, 0.99);
  EXPECT_EQ(winner_of({first, unclear}, {true, true}), 0U);
  EXPECT_EQ(winner_of({first, unclear, clear}, {true, true, true}), 2U);
  EXPECT_EQ(winner_of({first, clear, unclear}, {true, true, true}), 1U);
  EXPECT_EQ(winner_of({first, unclear}, {false, true}), 1U) << "a yardstick holds nothing";
  EXPECT_EQ(winner_of({failed, unclear}, {true, true}), 1U);
  EXPECT_EQ(winner_of({failed, failed}, {true, true}), std::nullopt);
}

TEST_F(Tuning, goes_on_after_failures_and_keeps_what_they_were) {
  measurer.report_of = [](const space::Choice& choice) -> measure::TrialReport {
    if (static_cast<int>(simulated_seconds(choice) * 1e4) % 2 == 0)
      return {.outcome = TrialOutcome::crashed, .message = "signal 11"};
    return {.time = CallTime{1, 1, 1}};
  };
  Chance* strategy = nullptr;
  const search::Method method = chance(&strategy);
  Tuner tuner(small_space(), measurer, options(method), nullptr, Tuner::Kept{&database, task});
  while (tuner.step()) {}
  std::int64_t failed = 0;
  for (const cost::Known& known : strategy->told) failed += known.outcome == TrialOutcome::crashed ? 1 : 0;
  const Tuned tuned = tuner.finish();
  ASSERT_GT(failed, 0);
  ASSERT_LT(failed, 20);
  EXPECT_EQ(tuned.failures.at(TrialOutcome::crashed), failed);
  EXPECT_EQ(tuned.timed, 20 - failed);
  std::int64_t recorded = 0;
  for (const db::Trial& trial : kept()) recorded += trial.message == "signal 11" ? 1 : 0;
  EXPECT_EQ(recorded, failed);
}

TEST_F(Tuning, of_nothing_that_runs_crowns_nobody) {
  measurer.report_of = [](const space::Choice&) {
    return measure::TrialReport{.outcome = TrialOutcome::wrong_answer, .message = "off by 1"};
  };
  const search::Method method = chance();
  Tuner tuner(small_space(), measurer, options(method));
  const Tuned tuned = run_to_the_end(tuner);
  EXPECT_FALSE(tuned.winner || tuned.standard);
  EXPECT_EQ(tuned.failures.at(TrialOutcome::wrong_answer), 20);
  EXPECT_TRUE(measurer.dueled.empty());
}

TEST_F(Tuning, blind_tries_no_point_that_a_model_of_the_machine_chose) {
  search::Setting setting;
  const search::Method method = chance(nullptr, &setting);
  TuneOptions with = options(method);
  with.blind = true;
  Tuner tuner(small_space(), measurer, with);
  const Tuned tuned = run_to_the_end(tuner);
  EXPECT_TRUE(setting.first.empty());
  ASSERT_TRUE(tuned.winner && tuned.standard);
  EXPECT_EQ(measurer.dueled.at(0).choice, *default_choice(small_space()));
  EXPECT_NE(tuned.winner->trial.trace, tuned.standard->trial.trace) << "a yardstick cannot win";
}

TEST_F(Tuning, goes_on_from_the_trials_of_an_earlier_run) {
  const search::Method method = chance();
  TuneOptions with = options(method);
  with.stop = [&] { return measurer.measured.size() >= 9; };
  Tuner first(small_space(), measurer, with, nullptr, Tuner::Kept{&database, task});
  while (first.step()) {}
  const std::vector<db::Trial> before = kept();
  ASSERT_EQ(before.size(), 9U);

  Chance* strategy = nullptr;
  const search::Method again = chance(&strategy);
  TuneOptions more = options(again);
  more.run = "second";
  more.earlier = before;
  Tuner second(small_space(), measurer, more, nullptr, Tuner::Kept{&database, task});
  ASSERT_EQ(strategy->told.size(), 9U);
  const Tuned tuned = run_to_the_end(second);
  EXPECT_EQ(tuned.earlier, 9);
  EXPECT_EQ(tuned.trials, 11);
  EXPECT_EQ(kept_of("chance").size(), 20U);
  std::set<std::string> traces;
  for (const Candidate& candidate : measurer.measured) traces.insert(candidate.trace);
  EXPECT_EQ(traces.size(), 20U) << "what was measured before is not measured again";
}

TEST_F(Tuning, leaves_no_less_than_an_earlier_run_had_found) {
  // The best point of all, which this run will hardly meet.
  std::optional<space::Choice> best;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    for (const space::Choice& choice : small_space().sample(30, seed).choices)
      if (!best || simulated_seconds(choice) < simulated_seconds(*best)) best = choice;
  const search::Method method = chance();
  TuneOptions with = options(method);
  with.trials = 4;
  with.incumbent = record_of(small_space(), candidate_at(small_space(), *best));
  Tuner tuner(small_space(), measurer, with);
  const Tuned tuned = run_to_the_end(tuner);
  ASSERT_TRUE(tuned.winner);
  EXPECT_EQ(choice_of(small_space(), tuned.winner->trial), best);
}

/// A model that counts what it learns.
class Counting : public cost::Model {
 public:
  void learn(const std::vector<cost::Known>& known) override { learned.push_back(known.size()); }
  bool is_trained() const override { return !learned.empty(); }
  std::vector<cost::Prediction> predict(const std::vector<space::Choice>& choices) const override {
    return std::vector<cost::Prediction>(choices.size(), {.score = static_cast<double>(learned.back())});
  }
  std::vector<double> importance(std::size_t) const override { return {}; }
  std::vector<std::size_t> learned;
};

TEST_F(Tuning, lets_the_model_learn_after_each_batch_and_keeps_what_it_had_expected) {
  Counting model;
  const search::Method method = chance(nullptr, nullptr, true);
  Tuner tuner(small_space(), measurer, options(method), &model, Tuner::Kept{&database, task});
  run_to_the_end(tuner);
  EXPECT_EQ(model.learned, (std::vector<std::size_t>{6, 12, 18, 20}));
  for (const db::Trial& trial : kept_of("chance"))
    EXPECT_EQ(trial.predicted,
              trial.batch == 1 ? std::nullopt : std::optional(6.0 * static_cast<double>(trial.batch - 1)));
}

TEST_F(Tuning, asks_for_the_same_points_when_it_is_replayed) {
  const search::Method method = chance();
  Tuner tuner(small_space(), measurer, options(method), nullptr, Tuner::Kept{&database, task});
  const Tuned tuned = run_to_the_end(tuner);

  const RecordedRun run = recorded_run(database, simulated_task(), "chance", 1);
  EXPECT_EQ(run.id, "first");
  EXPECT_EQ(run.trials.size(), 20U);
  const auto recorded = measured_before(run);
  std::vector<db::Trial> again;
  TuneOptions replayed = options(method);
  replayed.recorded = [&](const db::Trial& trial) { again.push_back(trial); };
  Tuner replay(small_space(), *recorded, replayed);
  const Tuned same = run_to_the_end(replay);
  std::vector<db::Trial> before = kept();
  ASSERT_EQ(again.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i].taken_at = again[i].taken_at;
    before[i].elapsed_s = again[i].elapsed_s;
    EXPECT_EQ(again[i], before[i]);
  }
  EXPECT_EQ(same.winner->trial.trace, tuned.winner->trial.trace);
  EXPECT_EQ(same.trials, tuned.trials);
}

TEST_F(Tuning, says_where_a_replay_leaves_its_run) {
  const search::Method method = chance();
  Tuner tuner(small_space(), measurer, options(method), nullptr, Tuner::Kept{&database, task});
  run_to_the_end(tuner);
  const auto recorded = measured_before(recorded_run(database, simulated_task(), "", {}));
  TuneOptions other = options(method);
  other.seed = 2;
  Tuner replay(small_space(), *recorded, other);
  try {
    run_to_the_end(replay);
    FAIL() << "another seed asks for other points";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("its trial 2 was at another point"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(recorded_run(database, simulated_task(), "grid", {}), Error);
  EXPECT_THROW(recorded_run(database, simulated_task(), "", 5), Error);
}

TEST_F(Tuning, of_a_run_that_was_cut_off_is_replayed_as_far_as_it_went) {
  const search::Method method = chance();
  TuneOptions with = options(method);
  with.stop = [&] { return measurer.measured.size() >= 9; };
  Tuner tuner(small_space(), measurer, with, nullptr, Tuner::Kept{&database, task});
  while (tuner.step()) {}
  const auto recorded = measured_before(recorded_run(database, simulated_task(), "", {}));
  Tuner replay(small_space(), *recorded, options(method));
  while (replay.step()) {}
  EXPECT_EQ(replay.progress().trials, 9);
}

}  // namespace

}  // namespace ardea::tune
