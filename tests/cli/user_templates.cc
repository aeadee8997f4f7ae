#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

/// Scripts whose cfg leaves something open.

namespace ardea::cli {
namespace {

using nlohmann::json;

std::string template_script() { return std::string(ARDEA_SOURCE_DIR) + "/examples/gemm_template.py"; }

TEST(UserTemplateCommand, shows_a_sketch_for_each_way_of_a_script) {
  const std::string gemm = "space gemm 7,5,11 --target generic-x86_64 --schedule " + template_script();
  const Answer answer = ardea(gemm + " --sample 8 --check --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.error << answer.out;
  const json result = json::parse(answer.out);
  EXPECT_EQ(result["sketches"].size(), 2U * 5U);
  EXPECT_EQ(result["valid"], 8);
  const Answer shown = ardea(gemm + " --sketch 0 --show");
  EXPECT_EQ(shown.exit_code, 0) << shown.error;
  for (const char* words : {"rows_1", "columns_1", "the tile of sums stays close", "several rows share"})
    EXPECT_NE(shown.out.find(words), std::string::npos) << words << "\n" << shown.out;
}

TEST(UserTemplateCommand, runs_by_default_and_drawn) {
  for (const char* draw : {"", " --draw 1", " --draw 2", " --draw 3"}) {
    const Answer answer = ardea("run gemm 13,9,21 --check --schedule " + template_script() + draw);
    EXPECT_EQ(answer.exit_code, 0) << draw << answer.error << answer.out;
  }
}

TEST(UserTemplateCommand, answers_a_contradiction_in_the_words_of_its_conditions) {
  const Folder folder;
  const std::string file = (folder.path() / "steps.py").string();
  std::ofstream(file) << R"(
i, j, k = sch.get_loops(sch.get_block("C"))
io, ii = cfg.define_split("tile_m", i, 2)
jo, ji = cfg.define_split("tile_n", j, 2)
a, b = cfg.factors("tile_m")[1], cfg.factors("tile_n")[1]
cfg.require(a * b <= 8, "the tile fits the registers")
cfg.require(a >= 4 and b >= 4, "each side is a vector")
cfg.define_reorder("order", [io, jo])
)";
  const Answer answer = ardea("space gemm 8,8,8 --schedule " + file);
  EXPECT_EQ(answer.exit_code, 2) << answer.out;
  EXPECT_EQ(answer.out, "");
  for (const char* words : {"the tile fits the registers", "each side is a vector", "tile_m_1", "tile_n_1"})
    EXPECT_NE(answer.error.find(words), std::string::npos) << words << "\n" << answer.error;
  const Answer by_hand = ardea("run gemm 8,8,8 --schedule " + file);
  EXPECT_EQ(by_hand.exit_code, 2) << by_hand.out;
  EXPECT_NE(by_hand.error.find("a * b <= 8 does not hold for tile_m_0 = 1, tile_m_1 = 8"), std::string::npos)
      << by_hand.error;
}

}  // namespace
}  // namespace ardea::cli
