#include <gtest/gtest.h>

#include <filesystem>

#include "ardea/support/random.h"
#include "ardea/support/text_file.h"
#include "text_programs.h"

/// Hostile text: the parser answers with a program or one Error, whatever the bytes.

namespace ardea {
namespace {

std::string repeated(const std::string& part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

/// The error's message, or "" where the text parses.
std::string error_of(const std::string& text) {
  try {
    const Module program = parse(text, "t");
    EXPECT_TRUE(structurally_equal(parse(print(program)), program));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(TextLimits, brackets_nest_to_256) {
  EXPECT_EQ(error_of(around("T.evaluate(" + repeated("(", 200) + "n" + repeated(")", 200) + ")")), "");
  const std::string message = "more than 256 brackets and prefix operators are open here";
  for (const char* opening : {"(", "-", "~", "not ", "T.exp(", "A[", "T.Let(", "T.min("}) {
    const std::string error = error_of(around("T.evaluate(" + repeated(opening, 100000)));
    // T.Let looks for its value, behind the body, first.
    const std::string expected = std::string(opening) == "T.Let(" ? "found the end of the text" : message;
    EXPECT_NE(error.find(expected), std::string::npos) << error;
  }
}

TEST(TextLimits, operator_chains_reach_a_thousand) {
  EXPECT_EQ(error_of(around("T.evaluate(n" + repeated(" + n", 998) + ")")), "");
  EXPECT_NE(
      error_of(around("T.evaluate(n" + repeated(" + n", 100000) + ")")).find("deeper than 1000 operations"),
      std::string::npos);
  EXPECT_NE(
      error_of(around("T.evaluate(p" + repeated(" and p", 100000) + ")")).find("deeper than 1000 operations"),
      std::string::npos);
}

TEST(TextLimits, statements_nest_to_a_thousand) {
  EXPECT_EQ(error_of(around(repeated("y: T.int64 = n\n", 900) + "T.evaluate(y)")), "");
  EXPECT_NE(error_of(around(repeated("y: T.int64 = n\n", 100000))).find("nest deeper than 1000"),
            std::string::npos);
  std::string loops, grid = "for i", extents = "1", elifs = "if p:\n    pass\n";
  for (int i = 0; i < 2000; ++i)
    loops += std::string(static_cast<std::size_t>(i), ' ') + "for i in range(2):\n";
  EXPECT_NE(error_of(around(loops)).find("nest deeper than 1000"), std::string::npos);
  grid += repeated(", i", 5000);
  extents += repeated(", 1", 5000);
  EXPECT_NE(error_of(around(grid + " in T.grid(" + extents + "):\n    pass")).find("nest deeper than 1000"),
            std::string::npos);
  EXPECT_NE(error_of(around(elifs + repeated("elif p:\n    pass\n", 5000))).find("nest deeper than 1000"),
            std::string::npos);
  EXPECT_EQ(error_of(around(repeated("T.evaluate(n)\n", 5000))), "");  // one after another is no nesting
}

TEST(TextLimits, long_lines_and_lists_are_read) {
  EXPECT_NE(error_of(repeated("x", 1000000)), "");
  EXPECT_NE(error_of("\"" + repeated("x", 1000000)), "");
  EXPECT_NE(
      error_of(around("for i in T.serial(4, annotations={\"a\": " + repeated("[", 100000) + "}):\n    pass")),
      "");
}

TEST(TextLimits, line_ends_of_windows_are_line_ends) {
  std::string text = around("for i in range(4):\n    T.evaluate(i)");
  const std::string unix_text = text;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, "\r");
  EXPECT_EQ(print(parse(text)), unix_text);
}

TEST(TextLimits, lines_may_break_inside_brackets_and_after_backslashes) {
  expect_prints_as(around("A[0,\n0] = (x\n  # why\n  + x)\nC[0] = n \\\n  + 1"),
                   around("A[0, 0] = x + x\nC[0] = n + 1"));
}

std::vector<std::string> sample_texts() {
  std::vector<std::string> texts;
  for (const char* folder : {"tests/fixtures/seed002", "tests/fuzz/seeds"})
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(ARDEA_SOURCE_DIR) / folder))
      texts.push_back(read_text_file(entry.path()));
  std::sort(texts.begin(), texts.end());
  return texts;
}

TEST(TextLimits, truncated_programs_parse_or_are_refused) {
  for (const std::string& text : sample_texts())
    for (std::size_t length = 0; length < text.size(); length += 61) error_of(text.substr(0, length));
}

TEST(TextLimits, random_bytes_are_refused) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::string text;
    for (std::int64_t n = random.integer(1, 200); n > 0; --n)
      text += static_cast<char>(random.integer(0, 255));
    EXPECT_NE(error_of(text), "");
  }
}

TEST(TextLimits, programs_with_a_few_wrong_bytes_parse_or_are_refused) {
  const std::vector<std::string> texts = sample_texts();
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::string text = random.pick(texts);
    for (std::int64_t n = random.integer(1, 4); n > 0; --n) {
      const auto at = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(text.size()) - 1));
      if (random.chance(0.5))
        text[at] = static_cast<char>(random.integer(32, 126));
      else
        text.erase(at, static_cast<std::size_t>(random.integer(1, 6)));
    }
    error_of(text);
  }
}

}  // namespace
}  // namespace ardea
