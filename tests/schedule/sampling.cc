#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/sample/sample.h"
#include "ardea/support/text_file.h"
#include "tests/schedule/campaign/check_schedule.h"

/// Drawing by chance: what is drawn, how often, and that decisions can be kept or drawn anew.

namespace ardea::schedule {
namespace {

Function one_loop(std::int64_t extent) {
  return parse_function("@T.prim_func\ndef main(X: T.Buffer((" + std::to_string(extent) +
                        ",), \"float32\")):\n    for i in range(" + std::to_string(extent) +
                        "):\n        with T.block(\"X\"):\n            v = T.axis.spatial(" +
                        std::to_string(extent) + ", i)\n            X[v] = T.float32(1.0)\n");
}

std::vector<std::int64_t> drawn(Schedule& s, std::int64_t n, std::int64_t largest) {
  std::vector<std::int64_t> factors;
  for (const NumberRef& number :
       s.numbers(SamplePerfectTile{s.get_loops(s.get_block("X"))[0], n, largest, {}}))
    factors.push_back(*constant_int(number.value));
  return factors;
}

TEST(Sampling, every_perfect_tile_is_equally_likely) {
  // 36 = a * b * c with c at most 6: as many ways as 36 / c has divisors, for c = 1, 2, 3, 4, 6.
  const std::size_t tiles = 9 + 6 + 6 + 3 + 4;
  constexpr int draws = 5600;
  Schedule s(one_loop(36), 7);
  std::map<std::vector<std::int64_t>, int> counts;
  for (int i = 0; i < draws; ++i) {
    const auto factors = drawn(s, 3, 6);
    EXPECT_EQ(factors[0] * factors[1] * factors[2], 36);
    EXPECT_LE(factors[2], 6);
    ++counts[factors];
  }
  EXPECT_EQ(counts.size(), tiles);
  const double expected = static_cast<double>(draws) / static_cast<double>(tiles);
  double chi_squared = 0;
  for (const auto& [factors, count] : counts)
    chi_squared += (count - expected) * (count - expected) / expected;
  EXPECT_LT(chi_squared, 55.5);  // 27 degrees of freedom: less than one seed in a thousand is beyond
}

TEST(Sampling, the_seed_decides) {
  Schedule a(one_loop(720), 3), b(one_loop(720), 3), c(one_loop(720), 4);
  EXPECT_EQ(drawn(a, 4, 16), drawn(b, 4, 16));
  EXPECT_NE(drawn(a, 4, 16), drawn(c, 4, 16));
}

TEST(Sampling, categories_follow_their_probabilities) {
  Schedule s(one_loop(8), 11);
  std::map<std::int64_t, int> counts;
  for (int i = 0; i < 4000; ++i)
    ++counts[*constant_int(s.numbers(SampleCategorical{{0, 16, 64}, {1, 0, 3}, {}})[0].value)];
  EXPECT_EQ(counts[16], 0);
  EXPECT_NEAR(counts[0], 1000, 130);  // more than four standard deviations
}

TEST(Sampling, decisions_are_kept_or_drawn_anew) {
  const Function gemm = parse_function(read_text_file(ARDEA_SOURCE_DIR "/tests/schedule/programs/gemm.tir"));
  const auto steps = parse_steps(R"(b = sch.get_block("C")
i, j, k = sch.get_loops(b)
io, ii = sch.sample_perfect_tile(i, 2)
v = sch.sample_categorical([2, 3, 4], [0.4, 0.3, 0.3])
i0, i1 = sch.split(i, [io, ii])
j0, j1 = sch.split(j, [None, v])
sch.reorder(i0, j0, k, i1, j1)
)",
                                 "steps");
  std::set<std::string> programs;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Schedule first(gemm, seed);
    first.replay(steps);
    programs.insert(print(first.program()));
    const auto written = parse_steps(print(first.trace()), "trace");
    Schedule kept(gemm, seed + 1000), redrawn(gemm, seed), other(gemm, seed + 1000);
    kept.replay(written);
    EXPECT_EQ(print(kept.program()), print(first.program()));
    redrawn.replay(written, Schedule::Decisions::draw);
    EXPECT_EQ(print(redrawn.program()), print(first.program()));
    other.replay(written, Schedule::Decisions::draw);
    EXPECT_NO_THROW(check(gemm, other, seed));
  }
  EXPECT_GE(programs.size(), 8u) << "of four tiles of 10 by three of 9";
}

}  // namespace
}  // namespace ardea::schedule
