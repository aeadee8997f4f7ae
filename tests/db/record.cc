#include "ardea/db/record.h"

#include <gtest/gtest.h>

#include <array>

#include "ardea/support/error.h"
#include "tests/db/examples.h"

namespace ardea::db {
namespace {

TEST(Record, is_what_its_text_says) {
  for (int n = 1; n <= 7; ++n) {
    EXPECT_EQ(task_of(to_text(example_task(n))), example_task(n));
    EXPECT_EQ(trial_of(to_text(example_trial(n))), example_trial(n));
    const Line line = line_of(to_line(example_task(n), example_trial(n)));
    EXPECT_EQ(line.task, example_task(n));
    EXPECT_EQ(line.trial, example_trial(n));
  }
}

TEST(Record, keeps_every_outcome_and_times_that_no_decimal_number_equals) {
  for (int i = 0; i < 7; ++i) {
    Trial trial = example_trial(1);
    trial.outcome = static_cast<TrialOutcome>(i);
    trial.time = i == 0 ? std::optional(CallTime{1.0 / 3, 0x1.fffffffffffffp-12, 5e-324}) : std::nullopt;
    EXPECT_EQ(trial_of(to_text(trial)), trial);
    EXPECT_EQ(trial_outcome_of(to_string(trial.outcome)), trial.outcome);
  }
  EXPECT_FALSE(trial_outcome_of("lost"));
}

/// Any single bit of a line, turned around, is noticed: the line is refused, or is the same record still.
TEST(Record, notices_every_bit_of_a_line_that_changes) {
  const std::string line = to_line(example_task(2), example_trial(4));
  for (std::size_t i = 0; i < line.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = line;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      EXPECT_THROW(line_of(damaged), Error) << "byte " << i << ", bit " << bit;
    }
  for (std::size_t size = 0; size < line.size(); ++size)
    EXPECT_THROW(line_of(line.substr(0, size)), Error) << size;
}

TEST(Record, says_what_is_wrong_with_it) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      trial_of(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  const std::string text = to_text(example_trial(1));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  EXPECT_NE(refusal("[1]").find("no JSON object"), std::string::npos);
  EXPECT_NE(refusal(with("\"method\"", "\"metod\"")).find("\"method\" is missing"), std::string::npos);
  EXPECT_NE(refusal(with("\"timed\"", "\"lost\"")).find("none of timed"), std::string::npos);
  EXPECT_NE(refusal(with("\"timed\"", "\"crashed\"")).find("there is a time"), std::string::npos);
  EXPECT_NE(refusal(with("\"number\":1", "\"number\":\"x\"")).find("another type"), std::string::npos);
}

TEST(Record, has_the_published_checksums) {
  EXPECT_EQ(checksum(""), 0xcbf29ce484222325U);
  EXPECT_EQ(checksum("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(checksum("foobar"), 0x85944171f73967e8U);
}

}  // namespace
}  // namespace ardea::db
