#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ardea/lower/pipeline.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "tests/rules/answers.h"
#include "tests/rules/laws.h"
#include "tests/support/sampled.h"

/// What tiles of sums over windows leave over: under a guard, cut off, or padded.

namespace ardea::rules {

namespace {

struct OddWindows {
  const char* op;
  const char* layout;
  std::vector<std::int64_t> sizes;
  const char* target;
  std::set<std::string> rests;
};

Function odd_windows(const OddWindows& asked) {
  return ops::create_function(
      ops::make_workload({.op = asked.op, .sizes = asked.sizes, .layout = asked.layout}));
}

/// The answer to what is left over; empty where that was not asked.
std::string rest_in(const Sketch& sketch) {
  for (const Way& way : sketch.ways)
    if (way.question.ends_with(" left over")) return way.answers[way.taken];
  return "";
}

std::ostream& operator<<(std::ostream& out, const OddWindows& asked) { return out << asked.op; }

class WindowRests : public testing::TestWithParam<OddWindows> {};

TEST_P(WindowRests, are_right_in_every_way) {
  const target::Target target = target::find(GetParam().target);
  const ProgramSpace space = program_space(odd_windows(GetParam()), target, rules_for(target));
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  std::set<std::string> rests;
  const Answers answers(space.program);
  for (const auto& [sketch, solver] : space.sketches) {
    const std::string rest = rest_in(sketch);
    if (rest.empty() || rest == "guarded" || !rests.insert(rest).second) continue;
    EXPECT_TRUE(sketch.model.has_value()) << to_string(sketch.ways);
    for (const space::Point& point : solver->sample(1, 3).points) {
      SCOPED_TRACE(in_words(sketch, point));
      const Function replayed = replayed_by_the_law(sketch, point);
      answers.expect_of(replayed);
      answers.expect_of(lower::lower_unpacked(replayed, space.target));
    }
  }
  EXPECT_EQ(rests, GetParam().rests);
}

const std::set<std::string> all_rests_of_windows = {"rows cut",    "columns cut",    "both cut",
                                                    "rows padded", "columns padded", "both padded"},
                            only_columns = {"columns cut", "columns padded"},
                            only_padded = {"rows padded", "columns padded", "both padded"},
                            // Of channels that are one tile, but no whole vectors.
    one_tile = {"rows padded", "columns padded", "both padded", "rows cut"};

INSTANTIATE_TEST_SUITE_P(
    All, WindowRests,
    testing::ValuesIn(test::sampled<OddWindows>(
        3,
        {OddWindows{"c2d", "nhwc", {1, 4, 31, 2, 13, 3, 3, 1, 1, 1}, "neoverse-v1", one_tile},
         OddWindows{"c2d", "nhwc", {1, 2, 13, 2, 29, 1, 1, 1, 0, 1}, "generic-x86_64", all_rests_of_windows},
         OddWindows{"c2d", "nchw", {1, 3, 37, 2, 13, 2, 3, 1, 1, 1}, "generic-x86_64", all_rests_of_windows},
         OddWindows{"c2d", "nchw", {1, 9, 57, 2, 5, 3, 3, 2, 1, 1}, "neoverse-v1", only_columns},
         // Joined rows are cut, and not padded.
         OddWindows{"c2d",
                    "nchw",
                    {1, 5, 9, 2, 23, 3, 3, 1, 1, 1},
                    "neoverse-v1",
                    {"rows cut", "columns cut", "both cut", "rows padded"}},
         OddWindows{"c1d", "ncw", {1, 37, 2, 13, 3, 1, 1, 1}, "avx2", only_columns},
         OddWindows{"grouped", "nchw", {1, 5, 37, 4, 6, 3, 3, 1, 1, 1, 2}, "avx2", {"columns padded"}},
         OddWindows{"depthwise", "nchw", {1, 11, 13, 2, 3, 3, 1, 1}, "neoverse-v1", all_rests_of_windows},
         OddWindows{"depthwise", "nchw", {1, 21, 23, 2, 3, 3, 2, 1}, "avx2", all_rests_of_windows},
         OddWindows{"depthwise", "nhwc", {1, 3, 11, 7, 3, 3, 1, 1}, "avx2", one_tile},
         // Places of windows that stand still are not padded.
         OddWindows{"t2d",
                    "nhwc",
                    {1, 3, 15, 2, 13, 3, 3, 2, 1, 1},
                    "generic-x86_64",
                    {"rows cut", "columns cut", "both cut", "columns padded"}},
         OddWindows{"conv_bn_relu", "nhwc", {1, 4, 31, 2, 13, 3, 3, 1, 1, 1}, "avx2", only_padded}})),
    [](const auto& info) {
      std::string name = std::string(info.param.op) + "_" + info.param.layout;
      for (const std::int64_t size : info.param.sizes) name += "_" + std::to_string(size);
      return name;
    });

/// Beside the border, guards of lanes cost more than nests of their own: channels of a depthwise convolution
/// that are no whole vectors are cut by the model.
TEST(WindowRest, of_channels_in_lanes_is_cut_by_the_model) {
  const target::Target target = target::find("neoverse-v1");
  const auto answer = [&](std::int64_t channels) {
    Derivation d(odd_windows({"depthwise", "nhwc", {1, 9, 13, channels, 3, 3, 1, 1}, "", {}}), target,
                 std::vector<std::size_t>{});
    derive(d, rules_for(target));
    for (const Way& way : d.ways())
      if (way.question.ends_with(" left over")) return way.answers[way.model];
    return std::string();
  };
  EXPECT_EQ(answer(30), "columns cut");
  EXPECT_EQ(answer(32), "guarded");
}

}  // namespace

}  // namespace ardea::rules
