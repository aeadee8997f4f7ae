#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "programs.h"
#include "rules.h"

/// Loads of lanes a few elements apart that overlap are parts of rows that are loaded once.

namespace ardea::lower {
namespace {

std::string after_joining(const std::string& body, bool no_alias = true) {
  return body_after("join_strided_loads", body, no_alias);
}

/// Y[4 * i:] = X[offset_i::stride], four lanes each.
std::string loads(std::int64_t stride, const std::vector<std::int64_t>& offsets,
                  const std::string& from = "X") {
  std::string text;
  for (std::size_t i = 0; i < offsets.size(); ++i)
    text += fmt::format("Y[{}:{}] = {}[{}:{}:{}]\n", 4 * i, 4 * i + 4, from, offsets[i],
                        offsets[i] + 4 * stride, stride);
  return text;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(JoinedLoads, share_their_rows) {
  const std::string three = after_joining(loads(2, {3, 4, 5}));
  EXPECT_EQ(count(three, "X["), 3U) << three;
  EXPECT_NE(three.find("X[8:12]"), std::string::npos) << "no element behind the last one is read\n" << three;
  const std::string six = after_joining(loads(2, {3, 4, 5, 11, 12, 13}));
  EXPECT_EQ(count(six, "X["), 5U) << six;
}

TEST(JoinedLoads, are_read_once_if_they_are_the_same) {
  const std::string text = after_joining(loads(2, {0, 1, 0, 1}));
  EXPECT_EQ(count(text, "X["), 2U) << text;
  EXPECT_EQ(count(text, "T.Shuffle"), 2U) << text;
}

TEST(JoinedLoads, overlap) {
  const std::string apart = after_joining(loads(2, {0, 20}));
  EXPECT_EQ(count(apart, "T.Shuffle"), 0U) << apart;
  const std::string two_pairs = after_joining(loads(2, {0, 1, 20, 21}));
  EXPECT_EQ(count(two_pairs, "X["), 4U) << two_pairs;
}

TEST(JoinedLoads, are_of_memory_that_the_stores_leave_alone) {
  EXPECT_EQ(count(after_joining(loads(2, {32, 33, 34}, "Y")), "T.Shuffle"), 0U);
  EXPECT_EQ(count(after_joining(loads(2, {0, 1, 2}), /*no_alias=*/false), "T.Shuffle"), 0U) << "Y may be X";
}

/// Rows of more are taken apart in several steps, each of which a load takes the place of.
TEST(JoinedLoads, are_of_every_second_element) {
  EXPECT_EQ(count(after_joining(loads(3, {0, 1, 2})), "T.Shuffle"), 0U);
}

/// All ways to overlap; body_after has compared the answers.
TEST(JoinedLoads, hold_what_the_loads_held) {
  for (std::int64_t second = 0; second < 14; ++second)
    for (const std::int64_t third : {1, 6, 13, 17}) {
      const std::string text = after_joining(loads(2, {3, 3 + second, 3 + third, 3}));
      EXPECT_TRUE(third != 1 || count(text, "T.Shuffle") > 0) << text;
    }
}

std::string masked(std::int64_t offset, const std::string& lanes_that_run) {
  return fmt::format("X.vload([T.Ramp({}, 2, 4)], predicate=T.Ramp(0, 2, 4) {})", offset, lanes_that_run);
}

/// What no lane that runs has is not read: at a border it lies outside. Such lanes are 0.
TEST(JoinedLoads, have_masks_that_are_known) {
  const auto stored = [](const std::string& value) { return "Y[0:4] = " + value + "\n" + loads(2, {0, 1}); };
  for (const auto& [offset, runs] :
       {std::pair(-1, ">= T.Broadcast(1, 4)"), std::pair(-3, "> T.Broadcast(3, 4)"),
        std::pair(1, "!= T.Broadcast(4, 4)"),
        std::pair(-1, ">= T.Broadcast(1, 4) and T.Broadcast(T.bool(True), 4)"),
        std::pair(-1, ">= T.Broadcast(1, 4) and T.Ramp(0, 1, 4) < T.Broadcast(3, 4)")}) {
    const std::string text = after_joining(stored(masked(offset, runs)));
    EXPECT_EQ(text.find("vload"), std::string::npos) << text;
    EXPECT_EQ(count(text, "X["), 2U) << text;
    EXPECT_EQ(count(text, "T.Select"), 1U) << text;
  }
  const std::string at_the_end = after_joining(stored(masked(58, "< T.Broadcast(5, 4)")) +
                                               "Y[8:12] = X[56:64:2]\nY[12:16] = X[57:65:2]\n");
  EXPECT_EQ(at_the_end.find("vload"), std::string::npos) << at_the_end;
  const std::string unknown = after_joining(stored(masked(0, ">= T.Broadcast(T.Cast(\"int32\", n), 4)")));
  EXPECT_NE(unknown.find("vload"), std::string::npos) << unknown;
}

TEST(JoinedLoads, are_of_any_number_of_lanes) {
  for (const char* type : {"float32", "int8", "bfloat16", "float64"})
    for (const char* target : {"sapphirerapids", "neoverse-v1", "avx2"})
      for (const int columns : {1, 5, 16, 37}) {
        const Program program{"windows", fmt::format(R"(
@T.prim_func
def main(X: T.Buffer((3, {x}), "{type}"), Y: T.Buffer((3, {columns}), "{type}")):
    T.func_attr({{"tir.noalias": T.bool(True)}})
    for y in range(3):
        for x in T.vectorized({columns}):
            Y[y, x] = T.max(T.max(X[y, x * 2], X[y, x * 2 + 1]), X[y, x * 2 + 2])
)",
                                                     fmt::arg("x", 2 * columns + 1),
                                                     fmt::arg("columns", columns), fmt::arg("type", type))};
        const Function f = function_of(program),
                       lowered = lower_until(f, target::find(target), "legalise_types");
        ASSERT_EQ(difference_made(f, lowered, program, 7), "") << type << " on " << target << "\n"
                                                               << print(lowered);
      }
}

}  // namespace
}  // namespace ardea::lower
