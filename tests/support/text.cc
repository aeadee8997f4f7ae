#include "ardea/support/text.h"

#include <gtest/gtest.h>

namespace ardea {
namespace {

TEST(Text, joins_with_the_separator_between_only) {
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({"a", "b", ""}, ", "), "a, b, ");
}

TEST(Text, names_the_nearest_first_and_none_that_is_far) {
  const std::vector<std::string> names{"split", "splice", "fuse", "reorder"};
  EXPECT_EQ(nearest("splitt", names), (std::vector<std::string>{"split", "splice"}));
  EXPECT_EQ(nearest("splitt", names, 1), (std::vector<std::string>{"split"}));
  EXPECT_TRUE(nearest("vectorize", names).empty());
}

TEST(Text, counts_an_edit_for_each_insertion_deletion_and_substitution) {
  EXPECT_EQ(nearest("abc", {"abcd"}).size(), 1u);    // one insertion
  EXPECT_EQ(nearest("abc", {"axy"}).size(), 1u);     // two substitutions, the limit for three letters
  EXPECT_EQ(nearest("abc", {"xyz"}).size(), 0u);     // three
  EXPECT_EQ(nearest("abcdef", {"abc"}).size(), 1u);  // three deletions, the limit for six letters
}

TEST(Text, suggests_with_commas_and_an_or) {
  EXPECT_EQ(did_you_mean("fus", {"fuse"}), "; did you mean fuse?");
  EXPECT_EQ(did_you_mean("fus", {"fuse", "fuss"}), "; did you mean fuse or fuss?");
  EXPECT_EQ(did_you_mean("fus", {"fuse", "fuss", "fust"}), "; did you mean fuse, fuss or fust?");
  EXPECT_EQ(did_you_mean("fus", {"reorder"}), "");
}

TEST(Text, quotes_so_that_control_characters_can_be_seen) {
  EXPECT_EQ(in_quotes("plain"), "\"plain\"");
  EXPECT_EQ(in_quotes("a\"b\\c\n\t\r"), "\"a\\\"b\\\\c\\n\\t\\r\"");
  EXPECT_EQ(in_quotes(std::string("\x01\x7f\0", 3)), "\"\\x01\\x7f\\x00\"");
  EXPECT_EQ(in_quotes("é"), "\"é\"");
}

}  // namespace
}  // namespace ardea
