#include "ardea/cost/boosted_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "ardea/cost/rank_correlation.h"
#include "ardea/support/error.h"
#include "ardea/support/random.h"

namespace ardea::cost {
namespace {

using space::Choice;
using space::Domain;
using space::System;

/// Two sketches: one with the knobs a, b, c and what follows from a and b; one with the knob a alone.
struct Example {
  std::vector<System> systems;
  std::shared_ptr<const Features> features;

  Example() {
    const Domain powers = Domain::of({1, 2, 4, 8, 16, 32, 64});
    System& first = systems.emplace_back();
    const space::Var a = first.knob("a", powers), b = first.knob("b", powers);
    first.knob("c", powers);
    first.define("ab", Domain::range(1, 1 << 20), space::Product{0, {a, b}});
    System& second = systems.emplace_back();
    second.knob("a", powers);
    features =
        std::make_shared<Features>(std::vector<SketchView>{{&systems[0]}, {&systems[1]}}, target::Target{});
  }
};

Choice random_choice(Random& random) {
  const auto power = [&] { return std::int64_t{1} << random.integer(0, 6); };
  if (random.chance(0.3)) return {1, {power()}};
  const std::int64_t a = power(), b = power(), c = power();
  return {0, {a, b, c, a * b}};
}

/// Fast where a is near 8; b and c hardly matter; the second sketch is twice as slow.
double seconds_of(const Choice& choice) {
  const double a = std::log2(static_cast<double>(choice.point[0])) - 3;
  const double b = choice.sketch == 0 ? std::log2(static_cast<double>(choice.point[1])) : 0;
  return 1e-3 * std::exp(0.5 * a * a + 0.02 * b + (choice.sketch == 1 ? 0.7 : 0));
}

std::vector<Known> timed(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Known> known;
  for (std::size_t i = 0; i < count; ++i) {
    const Choice choice = random_choice(random);
    known.push_back({choice, TrialOutcome::timed, seconds_of(choice)});
  }
  return known;
}

double correlation_on(const Model& model, std::uint64_t seed) {
  Random random(seed);
  std::vector<Choice> choices;
  std::vector<double> measured, predicted;
  for (int i = 0; i < 200; ++i) {
    choices.push_back(random_choice(random));
    measured.push_back(-std::log(seconds_of(choices.back())));
  }
  for (const Prediction& prediction : model.predict(choices)) predicted.push_back(prediction.score);
  return rank_correlation(predicted, measured);
}

TEST(BoostedModel, ranks_points_that_it_has_not_seen) {
  const Example example;
  for (const Loss loss : {Loss::rank, Loss::regression}) {
    const auto model = make_boosted_model(example.features, {.loss = loss});
    model->learn(timed(64, 1));
    ASSERT_TRUE(model->is_trained());
    EXPECT_GT(correlation_on(*model, 2), 0.85);
    ASSERT_TRUE(model->held_out_correlation());
    EXPECT_GT(*model->held_out_correlation(), 0.7);
  }
}

TEST(BoostedModel, predicts_differences_of_scores) {
  const Example example;
  const auto model = make_boosted_model(example.features);
  model->learn(timed(300, 1));
  const auto predictions = model->predict({{0, {8, 1, 1, 8}}, {0, {64, 1, 1, 64}}});
  EXPECT_NEAR(predictions[0].score - predictions[1].score, 4.5, 1.5);
}

TEST(BoostedModel, has_members_that_disagree) {
  const Example example;
  const auto model = make_boosted_model(example.features);
  std::vector<Known> known;
  for (const Known& each : timed(400, 1))
    if (each.choice.sketch == 0 && each.choice.point[0] < 32) known.push_back(each);
  model->learn(known);
  const auto predictions = model->predict({{0, {8, 1, 1, 8}}, {0, {2, 8, 8, 16}}});
  for (const Prediction& prediction : predictions) EXPECT_GT(prediction.deviation, 0);
}

TEST(BoostedModel, knows_nothing_of_an_empty_or_a_single_record) {
  const Example example;
  const auto model = make_boosted_model(example.features);
  for (const std::size_t count : {0U, 1U, 3U}) {
    model->learn(timed(count, 1));
    EXPECT_FALSE(model->is_trained());
    EXPECT_FALSE(model->held_out_correlation());
    EXPECT_TRUE(model->predict({}).empty());
    const auto predictions = model->predict({{1, {4}}});
    EXPECT_EQ(predictions.at(0).score, 0);
    EXPECT_EQ(predictions.at(0).feasible, 1);
    EXPECT_EQ(model->importance(0), (std::vector<double>{1.0 / 3, 1.0 / 3, 1.0 / 3}));
  }
}

TEST(BoostedModel, is_not_trained_where_all_are_as_fast) {
  const Example example;
  const auto model = make_boosted_model(example.features);
  std::vector<Known> known = timed(32, 1);
  for (Known& each : known) each.seconds = 1e-3;
  model->learn(known);
  EXPECT_FALSE(model->is_trained());
}

TEST(BoostedModel, forgets_what_it_is_not_told_again) {
  const Example example;
  const auto model = make_boosted_model(example.features);
  model->learn(timed(32, 1));
  model->learn({});
  EXPECT_FALSE(model->is_trained());
}

TEST(BoostedModel, answers_by_its_seed_alone) {
  const Example example;
  const auto known = timed(64, 1);
  const std::vector<Choice> asked = {{0, {8, 2, 1, 16}}, {0, {1, 64, 2, 64}}, {1, {16}}};
  const auto answers = [&](std::uint64_t seed) {
    const auto model = make_boosted_model(example.features, {.seed = seed});
    model->learn(timed(20, 9));  // what was learned before leaves no trace
    model->learn(known);
    std::vector<double> scores;
    for (const Prediction& prediction : model->predict(asked)) {
      scores.push_back(prediction.score);
      scores.push_back(prediction.deviation);
    }
    return scores;
  };
  EXPECT_EQ(answers(1), answers(1));
  EXPECT_NE(answers(1), answers(2));
}

TEST(BoostedModel, does_not_depend_on_the_order_of_what_is_known) {
  const Example example;
  auto known = timed(64, 1);
  const std::vector<Choice> asked = {{0, {8, 2, 1, 16}}, {1, {16}}};
  const auto model = make_boosted_model(example.features);
  model->learn(known);
  const auto before = model->predict(asked);
  std::reverse(known.begin(), known.end());
  model->learn(known);
  const auto after = model->predict(asked);
  for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(before[i].score, after[i].score);
}

TEST(BoostedModel, finds_the_knob_that_matters) {
  const Example example;
  const auto model = make_boosted_model(example.features);
  model->learn(timed(128, 1));
  const std::vector<double> shares = model->importance(0);
  EXPECT_NEAR(shares[0] + shares[1] + shares[2], 1, 1e-9);
  EXPECT_GT(shares[0], shares[1]);
  EXPECT_GT(shares[1], shares[2]);  // b is behind ab, too
  EXPECT_GT(shares[0], 0.5);
  EXPECT_EQ(model->importance(1), std::vector<double>{1});
}

TEST(Feasibility, learns_a_halfspace) {
  const Example example;
  const auto fails = [](const Choice& choice) { return choice.point[0] >= 16; };
  std::vector<Known> known = timed(128, 1);
  for (Known& each : known)
    if (fails(each.choice)) each.outcome = TrialOutcome::crashed;
  const auto model = make_boosted_model(example.features);
  model->learn(known);
  Random random(2);
  std::vector<Choice> choices;
  for (int i = 0; i < 200; ++i) choices.push_back(random_choice(random));
  const auto predictions = model->predict(choices);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (fails(choices[i]))
      EXPECT_LT(predictions[i].feasible, 0.2);
    else
      EXPECT_GT(predictions[i].feasible, 0.8);
  }
}

TEST(Feasibility, is_low_where_all_have_failed) {
  const Example example;
  std::vector<Known> known = timed(16, 1);
  for (Known& each : known) each.outcome = TrialOutcome::compile_failed;
  const auto model = make_boosted_model(example.features);
  model->learn(known);
  EXPECT_FALSE(model->is_trained());
  EXPECT_LT(model->predict({{0, {8, 2, 1, 16}}}).at(0).feasible, 0.2);
}

TEST(Feasibility, is_not_taught_by_a_lost_device) {
  const Example example;
  std::vector<Known> known = timed(16, 1);
  for (Known& each : known) each.outcome = TrialOutcome::device_lost;
  const auto model = make_boosted_model(example.features);
  model->learn(known);
  EXPECT_EQ(model->predict({{1, {8}}}).at(0).feasible, 1);
}

TEST(BoostedModel, wants_at_least_two_members) {
  const Example example;
  EXPECT_THROW(make_boosted_model(example.features, {.members = 1}), Error);
}

}  // namespace
}  // namespace ardea::cost
