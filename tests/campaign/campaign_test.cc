#include "tests/campaign/campaign.h"

#include <gtest/gtest.h>

#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "tests/campaign/compare.h"
#include "tests/campaign/statistics.h"
#include "tests/random/features.h"
#include "tests/random/random_program.h"
#include "tests/support/sampled.h"

namespace ardea::campaign {
namespace {

constexpr std::uint64_t programs = 1000, ranges = 8, programs_a_range = programs / ranges;

// Under a sanitizer a program takes some twenty times as long; fewer of each range still reach all of the
// code.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t checked_a_range = 12;
#else
constexpr std::size_t checked_a_range = programs_a_range * 3 / 4;
#endif

class Range : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Range, gives_the_same_answers_interpreted_and_compiled) {
  const std::uint64_t first = 1 + GetParam() * programs_a_range;
  for (std::uint64_t seed = first; seed < first + test::sampled_count(3, checked_a_range); ++seed) {
    const std::string failure = failure_of(make_case(seed));
    EXPECT_TRUE(failure.empty()) << failure;
  }
}

INSTANTIATE_TEST_SUITE_P(Campaign, Range, ::testing::Range(std::uint64_t{0}, ranges));

/// Without this, a change of the generator could leave a construct out and nobody would see it.
TEST(Campaign, uses_every_feature_often_enough) {
  Statistics statistics;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) statistics.count(make_case(seed).program);
  constexpr int least = 20;
  for (const std::string& feature : random_programs::all_features())
    EXPECT_GE(statistics.of(feature), least) << "programs with: " << feature;
  if (HasFailure()) std::puts(statistics.table().c_str());
}

TEST(Campaign, replays_a_seed) {
  for (const std::uint64_t seed : {1, 17, 400})
    EXPECT_EQ(print(make_case(seed).program), print(make_case(seed).program)) << "seed " << seed;
}

TEST(Campaign, writes_schedulable_programs_when_asked_for_plain_loops) {
  const random_programs::RandomProgramOptions options{.transformed_loops = false, .vector_code = false};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    for (const std::string& feature :
         random_programs::features_of(random_programs::random_program(random, options)))
      for (const char* excluded : {"parallel loop", "vectorized loop", "unrolled loop", "thread-bound loop",
                                   "virtual thread", "fused binding", "ramp", "loop that starts elsewhere"})
        EXPECT_NE(feature, excluded) << "seed " << seed;
  }
}

TEST(FirstBitDifference, sees_one_wrong_bit_and_lets_any_nan_agree) {
  Function f;
  f.parameters = {{Var("x", handle_type), make_buffer("X", std::vector<std::int64_t>{3}, float32)}};
  const auto values = [](double a, double b) -> std::vector<interp::Argument> {
    const runtime::Array array = runtime::Array::zeros({3}, float32);
    array.set_float(0, a);
    array.set_float(2, b);
    return {array};
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(first_bit_difference(f, values(1, nan), values(1, -nan)), "");
  EXPECT_NE(first_bit_difference(f, values(0.0, 1), values(-0.0, 1)), "");
  EXPECT_NE(first_bit_difference(f, values(1, 1), values(1, 1 + 0x1p-23)).find("element 2"),
            std::string::npos);
}

}  // namespace
}  // namespace ardea::campaign
