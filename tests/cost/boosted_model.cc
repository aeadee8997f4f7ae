#include "ardea/cost/boosted_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <thread>

#include "ardea/cost/analytic_model.h"
#include "ardea/cost/rank_correlation.h"
#include "ardea/ir/parse.h"
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

TEST(BoostedModel, answers_alike_from_several_threads) {
  const Example example;
  const auto known = timed(64, 1);
  const std::vector<Choice> asked = {{0, {8, 2, 1, 16}}, {0, {1, 64, 2, 64}}, {1, {16}}};
  std::vector<std::vector<double>> answers(4);
  const auto answer = [&](std::vector<double>& scores) {
    const auto model = make_boosted_model(example.features);
    model->learn(known);
    for (const Prediction& prediction : model->predict(asked)) scores.push_back(prediction.score);
  };
  answer(answers[0]);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < answers.size(); ++i) threads.emplace_back(answer, std::ref(answers[i]));
  for (std::thread& thread : threads) thread.join();
  for (const auto& other : answers) EXPECT_EQ(other, answers[0]);
}

TEST(BoostedModel, takes_the_mean_of_a_point_that_was_timed_twice) {
  const Example example;
  std::vector<Known> once = timed(40, 1), twice = once;
  for (std::size_t i = 0; i < once.size(); ++i) {
    twice[i].seconds *= 2;
    Known again = once[i];
    again.seconds /= 2;
    twice.push_back(again);
  }
  const auto a = make_boosted_model(example.features), b = make_boosted_model(example.features);
  a->learn(once);
  b->learn(twice);
  const std::vector<Choice> asked = {{0, {8, 2, 1, 16}}, {1, {16}}};
  for (std::size_t i = 0; i < asked.size(); ++i)
    EXPECT_NEAR(a->predict(asked)[i].score, b->predict(asked)[i].score, 1e-3);
}

/// Programs whose parameters are knobs: so many iterations of so many lanes.
struct Programs {
  System system;
  Function program;
  std::shared_ptr<const Features> features;

  explicit Programs(const std::string& size) {
    program = parse_function("@T.prim_func\ndef main(A: T.Buffer((" + size +
                             ",), \"float32\"), C: T.Buffer((" + size +
                             R"(,), "float32"), outer: T.int64, inner: T.int64, idle: T.int64):
    T.assume(outer >= 1)
    T.assume(inner >= 1)
    for i in range(outer):
        for v in T.vectorized(inner):
            with T.block("C"):
                T.where(i * inner + v < )" +
                             size + R"()
                vi = T.axis.spatial()" +
                             size + R"(, i * inner + v)
                C[vi] = A[vi] + T.float32(1)
)");
    std::vector<Var> knobs;
    for (std::size_t i = 2; i < 5; ++i) {
      knobs.push_back(program.parameters[i].var);
      system.knob(knobs.back().name(), Domain::of({1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}));
    }
    features = std::make_shared<Features>(std::vector<SketchView>{{&system, &program, knobs}},
                                          target::find("neoverse-v1"));
  }

  Choice choice(std::int64_t inner, std::int64_t idle, std::int64_t size) const {
    return {0, {size / inner, inner, idle}};
  }
};

/// Of programs of 1024 elements, `seconds` by how many lanes and by the idle knob.
std::vector<Known> timed_by(const Programs& programs,
                            const std::function<double(std::int64_t inner, std::int64_t idle)>& seconds) {
  std::vector<Known> known;
  for (std::int64_t inner = 1; inner <= 1024; inner *= 2)
    for (std::int64_t idle = 1; idle <= 8; idle *= 2)
      known.push_back({programs.choice(inner, idle, 1024), TrialOutcome::timed, seconds(inner, idle)});
  return known;
}
std::vector<Known> wider_is_slower(const Programs& programs) {
  return timed_by(programs, [](auto inner, auto) { return 1e-6 * static_cast<double>(inner); });
}

/// What is known of programs of 512 elements where wider is slower, for a model of programs of 1024.
OtherTask other_task(const Programs& there, const Programs& here, const std::vector<std::int64_t>& widths,
                     double unit, int times) {
  OtherTask other;
  for (const std::int64_t inner : widths) {
    std::vector<float> row = there.features->rows({there.choice(inner, 1, 512)}).values;
    row.resize(feature_count);
    row.resize(here.features->columns().size(), NAN);
    for (int i = 0; i < times; ++i) other.trials.push_back({row, unit * static_cast<double>(inner)});
  }
  return other;
}

TEST(AnalyticModel, ranks_what_was_never_measured) {
  const Programs programs("1024");
  const auto model = make_analytic_model(programs.features);
  EXPECT_TRUE(model->is_trained());
  const auto predictions = model->predict(
      {programs.choice(1, 1, 1024), programs.choice(4, 1, 1024), programs.choice(4, 64, 1024)});
  EXPECT_GT(predictions[1].score, predictions[0].score);
  EXPECT_EQ(predictions[1].score, predictions[2].score);
  // Scores are ln(1 / time): four lanes are up to four times as fast.
  EXPECT_LT(predictions[1].score - predictions[0].score, std::log(4.5));
  EXPECT_GT(predictions[1].score - predictions[0].score, std::log(2));
}

TEST(AnalyticModel, puts_what_it_knows_nothing_of_last) {
  const Programs programs("1024");
  const auto features = std::make_shared<Features>(
      std::vector<SketchView>{programs.features->sketches()[0], {&programs.system}},
      target::find("neoverse-v1"));
  Choice unknown = programs.choice(4, 1, 1024);
  unknown.sketch = 1;
  for (const auto& model : {make_analytic_model(features), make_boosted_model(features)}) {
    const auto predictions = model->predict({programs.choice(1, 1, 1024), unknown});
    EXPECT_GT(predictions[0].score, predictions[1].score);
  }
}

TEST(BoostedModel, begins_with_the_prior_and_learns_where_it_is_wrong) {
  const Programs programs("1024");
  const auto model = make_boosted_model(programs.features),
             blind = make_boosted_model(programs.features, {.prior = false});
  EXPECT_TRUE(model->is_trained());
  EXPECT_FALSE(blind->is_trained());
  const std::vector<Choice> asked = {programs.choice(1, 1, 1024), programs.choice(8, 1, 1024)};
  const auto before = model->predict(asked), nothing = blind->predict(asked);
  EXPECT_GT(before[1].score, before[0].score);
  EXPECT_EQ(nothing[1].score, nothing[0].score);
  // On this machine wider is slower.
  model->learn(wider_is_slower(programs));
  const auto after = model->predict(asked);
  EXPECT_LT(after[1].score, after[0].score);
}

TEST(BoostedModel, gives_the_gain_of_program_features_to_the_knobs_behind_them) {
  const Programs programs("1024");
  const auto model = make_boosted_model(programs.features, {.prior = false});
  model->learn(wider_is_slower(programs));
  const auto shares = model->importance(0);
  EXPECT_GT(shares[0] + shares[1], 0.8);
  EXPECT_LT(shares[2], 0.2);
}

TEST(BoostedModel, finds_the_knob_that_matters_where_the_prior_knows_it_already) {
  const Programs programs("1024");
  const auto model = make_boosted_model(programs.features, {.loss = Loss::regression});
  const auto prior = make_analytic_model(programs.features);
  model->learn(timed_by(programs, [&](auto inner, auto idle) {
    // What the prior gets wrong is a little that the third knob does.
    const double score = prior->predict({programs.choice(inner, idle, 1024)})[0].score;
    return std::exp(-score) * (1 + 0.01 * static_cast<double>(idle));
  }));
  const auto shares = model->importance(0);
  EXPECT_GT(shares[0] + shares[1], 0.75);
  EXPECT_LT(shares[2], 0.25);
}

TEST(BoostedModel, learns_from_other_tasks) {
  // Narrow is fast there, against the prior; of this space nothing is known.
  const Programs there("512"), here("1024");
  const OtherTask other = other_task(there, here, {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}, 1e-6, 3);
  const auto model = make_boosted_model(here.features, {.prior = false, .others = {other}});
  ASSERT_TRUE(model->is_trained());
  const auto predictions = model->predict({here.choice(1, 1, 1024), here.choice(64, 1, 1024)});
  EXPECT_GT(predictions[0].score, predictions[1].score);
  EXPECT_FALSE(model->held_out_correlation());  // nothing of its own could be held out
}

TEST(BoostedModel, compares_times_within_a_task_alone) {
  const Programs there("512"), here("1024");
  const auto scores_with = [&](double unit) {
    const OtherTask other = other_task(there, here, {1, 2, 4, 8, 16, 32}, unit, 1);
    const auto model =
        make_boosted_model(here.features, {.loss = Loss::regression, .prior = false, .others = {other}});
    std::vector<Known> known;
    for (std::int64_t inner = 1; inner <= 1024; inner *= 2)
      known.push_back({here.choice(inner, 1, 1024), TrialOutcome::timed, 1e-6 * static_cast<double>(inner)});
    model->learn(known);
    std::vector<double> scores;
    for (const Prediction& one : model->predict({here.choice(1, 1, 1024), here.choice(64, 1, 1024)}))
      scores.push_back(one.score);
    return scores;
  };
  const auto scores = scores_with(1e-6), of_a_slow_task = scores_with(1e-3);
  EXPECT_NEAR(scores[0], of_a_slow_task[0], 1e-3);
  EXPECT_NEAR(scores[1], of_a_slow_task[1], 1e-3);
}

TEST(BoostedModel, refuses_rows_of_other_columns) {
  const Example example;
  const OtherTask other{{{{1, 2, 3}, 1e-3}}};
  EXPECT_THROW(make_boosted_model(example.features, {.others = {other}}), Error);
}

TEST(Features, of_a_program_that_has_no_knobs_are_those_of_the_sketch) {
  const Programs programs("1024");
  const Function made = parse_function(R"(
@T.prim_func
def main(A: T.Buffer((1024,), "float32"), C: T.Buffer((1024,), "float32")):
    for i in range(128):
        for v in T.vectorized(8):
            with T.block("C"):
                vi = T.axis.spatial(1024, i * 8 + v)
                C[vi] = A[vi] + T.float32(1)
)");
  const std::vector<float> row = programs.features->row_of(made);
  const Rows rows = programs.features->rows({programs.choice(8, 2, 1024)});
  ASSERT_EQ(row.size(), rows.columns);
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (c < feature_count)
      EXPECT_FLOAT_EQ(row[c], rows.values[c]) << programs.features->columns()[c];
    else
      EXPECT_TRUE(std::isnan(row[c]));
  }
}

TEST(Features, tell_what_ways_sketches_share) {
  Example example;
  example.systems[0].define("_1", Domain::range(1, 1 << 20),
                            space::Product{0, {space::Var{0}, space::Var{2}}});
  const Features features({{&example.systems[0], nullptr, {}, {{"packs", 1}, {"shares", 2}}},
                           {&example.systems[1], nullptr, {}, {{"shares", 0}}}},
                          target::Target{});
  const auto& columns = features.columns();
  const auto at = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
  };
  const Rows rows = features.rows({{0, {8, 2, 1, 16, 8}}, {1, {16}}});
  EXPECT_EQ(rows.row(0)[at("way packs")], 1);
  EXPECT_TRUE(std::isnan(rows.row(1)[at("way packs")]));
  EXPECT_EQ(rows.row(0)[at("way shares")], 2);
  EXPECT_EQ(rows.row(1)[at("way shares")], 0);
  EXPECT_EQ(at("variable _1"), columns.size());  // a name that another sketch gives to another thing
}

TEST(Features, that_a_sketch_does_not_have_are_missing) {
  const Example example;
  const Rows rows = example.features->rows({{0, {8, 2, 1, 16}}, {1, {16}}});
  const auto& columns = example.features->columns();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const bool is_variable = columns[c].starts_with("variable ");
    EXPECT_EQ(std::isnan(rows.row(0)[c]), !is_variable && columns[c] != "sketch") << columns[c];
    EXPECT_EQ(std::isnan(rows.row(1)[c]), columns[c] != "variable a" && columns[c] != "sketch") << columns[c];
  }
  const auto a = std::find(columns.begin(), columns.end(), "variable a") - columns.begin();
  EXPECT_FLOAT_EQ(rows.row(1)[a], std::log2(17.0F));
}

TEST(BoostedModel, wants_at_least_two_members) {
  const Example example;
  EXPECT_THROW(make_boosted_model(example.features, {.members = 1}), Error);
}

}  // namespace
}  // namespace ardea::cost
