#include <gtest/gtest.h>

#include <filesystem>

#include "ardea/support/text_file.h"
#include "text_programs.h"

namespace ardea {
namespace {

const std::filesystem::path folder = std::filesystem::path(ARDEA_SOURCE_DIR) / "tests/fixtures/seed002";

TEST(TextSeeds, print_back_character_for_character) {
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename() == "blocks_fused_by_hand.tir") continue;  // written with two spaces: below
    SCOPED_TRACE(entry.path().filename());
    expect_prints_back(read_text_file(entry.path()));
    ++programs;
  }
  EXPECT_EQ(programs, 11);
}

TEST(TextSeeds, bring_a_program_written_by_hand_into_canonical_form) {
  // The seed vectorizes two loops of the program written by hand, then prints it: with those loops serial
  // again that is the canonical form of the first.
  std::string canonical = read_text_file(folder / "blocks_vectorized.tir");
  const auto replace = [&](const std::string& from, const std::string& to) {
    const std::size_t at = canonical.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    canonical.replace(at, from.size(), to);
  };
  replace("T.vectorized(8)", "range(8)");
  replace("T.vectorized(8)", "range(8)");
  const Module by_hand = parse(read_text_file(folder / "blocks_fused_by_hand.tir"));
  EXPECT_EQ(first_difference(by_hand, parse(canonical)), "");
  EXPECT_EQ(print(by_hand), print(parse(canonical)));
}

TEST(TextSeeds, put_a_root_block_around_block_programs_only) {
  const Function blocks = parse_function(read_text_file(folder / "blocks.tir"));
  const Block* root = root_block(blocks);
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(root->name, "root");
  EXPECT_EQ(root->allocations.size(), 2u);
  ASSERT_TRUE(root->reads && root->writes);
  EXPECT_TRUE(root->reads->empty() && root->writes->empty());
  EXPECT_EQ(root_block(parse_function(read_text_file(folder / "lowered_naive.tir"))), nullptr);
}

TEST(TextSeeds, differ_where_the_programs_differ) {
  EXPECT_FALSE(structurally_equal(parse(read_text_file(folder / "blocks_tiled.tir")),
                                  parse(read_text_file(folder / "blocks_sampled.tir"))));
  EXPECT_TRUE(structurally_equal(parse(read_text_file(folder / "blocks_tiled.tir")),
                                 parse(read_text_file(folder / "blocks_tiled.tir"))));
}

}  // namespace
}  // namespace ardea
