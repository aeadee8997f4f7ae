#include "ardea/cost/gaussian_process.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ardea/cost/rank_correlation.h"
#include "ardea/support/random.h"

namespace ardea::cost {

namespace {

/// Numbers between 0 and 8 in three columns, of which two matter.
Rows some_rows(std::size_t count, std::uint64_t seed) {
  Rows rows{3};
  Random random(seed);
  for (std::size_t i = 0; i < 3 * count; ++i) rows.values.push_back(static_cast<float>(8 * random.real()));
  return rows;
}

std::vector<double> labels_of(const Rows& rows) {
  std::vector<double> labels;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto a = static_cast<double>(rows.row(i)[0]), b = static_cast<double>(rows.row(i)[1]);
    labels.push_back(10 - 0.1 * (a - 5) * (a - 5) - 0.3 * b);
  }
  return labels;
}

std::vector<double> means(const std::vector<GaussianProcess::Answer>& answers) {
  std::vector<double> all;
  for (const GaussianProcess::Answer& answer : answers) all.push_back(answer.mean);
  return all;
}

TEST(GaussianProcess, foretells_what_varies_smoothly_from_few_rows) {
  const Rows known = some_rows(24, 1), unseen = some_rows(100, 2);
  const GaussianProcess process(known, labels_of(known));
  EXPECT_GT(rank_correlation(means(process.predict(unseen)), labels_of(unseen)), 0.95);
}

TEST(GaussianProcess, is_sure_of_what_it_knows_and_not_of_what_is_far_from_it) {
  const Rows known = some_rows(24, 1);
  const GaussianProcess process(known, labels_of(known));
  const Rows near{3, {known.row(0), known.row(0) + 3}}, far{3, {60, -50, 4}};
  const auto at_known = process.predict(near)[0], far_away = process.predict(far)[0];
  EXPECT_NEAR(at_known.mean, labels_of(known)[0], 0.1);
  EXPECT_LT(5 * at_known.deviation, far_away.deviation);
}

TEST(GaussianProcess, says_what_a_row_would_be_without_it) {
  const Rows known = some_rows(20, 3);
  const std::vector<double> labels = labels_of(known);
  const GaussianProcess whole(known, labels);
  ASSERT_EQ(whole.left_out().size(), labels.size());
  Rows others{3, {known.values.begin() + 3, known.values.end()}};
  const GaussianProcess without(others, {labels.begin() + 1, labels.end()});
  const Rows first{3, {known.row(0), known.row(0) + 3}};
  const double expected = without.predict(first)[0].mean, known_label = labels[0];
  // Nearer to what the others say than to what the row itself says.
  EXPECT_LT(std::abs(whole.left_out()[0] - expected), 0.2 * std::abs(known_label - expected) + 0.05);
  EXPECT_GT(std::abs(whole.left_out()[0] - known_label), 0.0);
}

TEST(GaussianProcess, believes_a_prior_as_far_as_it_is_borne_out) {
  const Rows known = some_rows(24, 1);
  const std::vector<double> labels = labels_of(known);
  std::vector<double> right = labels, wrong;
  Random random(8);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    right[i] += 0.01 * random.real() + 3;  // a constant says nothing
    wrong.push_back(4 * random.real());
  }
  EXPECT_EQ(GaussianProcess(known, labels, {}, right).belief(), 1);
  EXPECT_EQ(GaussianProcess(known, labels, {}, wrong).belief(), 0);
  EXPECT_EQ(GaussianProcess(known, labels).belief(), 0) << "there is none";
}

TEST(GaussianProcess, of_noise_foretells_little) {
  const Rows known = some_rows(40, 4);
  Random random(5);
  std::vector<double> labels;
  for (std::size_t i = 0; i < known.size(); ++i) labels.push_back(random.real());
  const GaussianProcess process(known, labels);
  EXPECT_LT(rank_correlation(process.left_out(), labels), 0.4);
}

TEST(GaussianProcess, takes_missing_numbers_as_average_and_leaves_out_columns_of_names) {
  Rows known = some_rows(24, 1);
  const std::vector<double> labels = labels_of(known);
  const GaussianProcess ignoring(known, labels, {2});
  Rows asked = some_rows(1, 9);
  const double before = ignoring.predict(asked)[0].mean;
  asked.values[2] = 1e6F;
  EXPECT_EQ(ignoring.predict(asked)[0].mean, before);
  asked.values[2] = NAN;
  EXPECT_EQ(ignoring.predict(asked)[0].mean, before);
  for (std::size_t i = 0; i < known.size(); ++i) known.values[3 * i + 2] = i % 2 == 0 ? NAN : 7.0F;
  EXPECT_TRUE(std::isfinite(GaussianProcess(known, labels).predict(asked)[0].mean));
}

TEST(GaussianProcess, answers_rows_that_are_all_alike_by_their_mean) {
  const Rows known{2, {1, 2, 1, 2, 1, 2}};
  const GaussianProcess process(known, {1, 2, 3});
  EXPECT_NEAR(process.predict(Rows{2, {5, 6}})[0].mean, 2, 0.2);
}

TEST(GaussianProcess, does_not_depend_on_the_order_of_rows) {
  const Rows known = some_rows(24, 1), unseen = some_rows(10, 2);
  const std::vector<double> labels = labels_of(known);
  Rows turned{3};
  std::vector<double> turned_labels;
  for (std::size_t i = known.size(); i-- > 0;) {
    turned.append(known.row(i));
    turned_labels.push_back(labels[i]);
  }
  const auto a = GaussianProcess(known, labels).predict(unseen);
  const auto b = GaussianProcess(turned, turned_labels).predict(unseen);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i].mean, b[i].mean, 1e-6);
}

}  // namespace

}  // namespace ardea::cost
