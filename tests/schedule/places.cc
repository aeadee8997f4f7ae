#include <gtest/gtest.h>

#include <filesystem>

#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/legal_loops.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/text_file.h"
#include "tests/schedule/campaign/check_schedule.h"

/// What the cases in tests/schedule/cases cannot say of steps that move blocks.

namespace ardea::schedule {
namespace {

Function program(const std::string& name) {
  const std::filesystem::path folder(ARDEA_SOURCE_DIR "/tests/schedule/programs");
  return parse_function(read_text_file(folder / (name + ".tir")));
}

std::string names(const std::vector<LoopRef>& loops) {
  std::string text;
  for (const LoopRef& loop : loops) text += (text.empty() ? "" : " ") + loop.var.name();
  return text;
}

TEST(LegalLoops, are_those_around_all_consumers_outermost_first) {
  Schedule s(program("blur"));
  const std::vector<LoopRef> tiles = s.loops(Split{s.get_loops(s.get_block("C"))[0], {std::nullopt, 4}});
  EXPECT_EQ(names(legal_loops(s.program(), s.get_block("D"))), "i_0 i_1");
  EXPECT_EQ(names(legal_loops(s.program(), s.get_block("B"))), "i");
  s.apply(ComputeAt{s.get_block("D"), tiles[0]});
  EXPECT_EQ(names(legal_loops(s.program(), s.get_block("B"))), "i_0 ax0");
}

TEST(LegalLoops, are_none_where_consumers_share_no_loop) {
  Schedule s(program("best"));
  EXPECT_EQ(names(legal_loops(s.program(), s.get_block("best"))), "");
  EXPECT_EQ(legal_loops_text(s.program(), s.get_block("best")), "no loop is legal for best");
}

TEST(LegalLoops, of_symbolic_programs_can_be_proved) {
  Schedule s(program("symbolic_chain"));
  s.loops(Split{s.get_loops(s.get_block("C"))[1], {std::nullopt, 4}});
  for (const char* block : {"S", "B"})
    for (const LoopRef& loop : legal_loops(s.program(), s.get_block(block))) {
      Schedule copy = s;
      EXPECT_NO_THROW(copy.apply(ComputeAt{copy.get_block(block), loop})) << block << " " << loop.var.name();
    }
  EXPECT_EQ(names(legal_loops(s.program(), s.get_block("B"))), "i j_0 j_1");
}

TEST(ComputeAt, keeps_the_block_and_takes_its_loops) {
  Schedule s(program("blur"));
  const BlockRef d = s.get_block("D");
  const LoopRef old = s.get_loops(d)[0];
  s.apply(ComputeAt{d, s.get_loops(s.get_block("C"))[0]});
  EXPECT_EQ(s.get_loops(d).size(), 2U);
  try {
    s.apply(Split{old, {std::nullopt, 2}});
    FAIL() << "the loop is gone";
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.code(), "loop_is_gone");
    EXPECT_NE(std::string(refused.what()).find("left nothing of it"), std::string::npos) << refused.what();
  }
}

TEST(ComputeAt, is_right_at_every_legal_loop_of_chains) {
  int taken = 0;
  for (const char* name : {"blur", "conv", "symbolic_chain", "best_of_two", "pooling", "two_products"}) {
    const Function original = program(name);
    Schedule s(original);
    std::vector<BlockRef> blocks;
    for (const Path& path : all_blocks(s.program())) blocks.push_back(s.get_block(path.block().name));
    for (const BlockRef& consumer : blocks) s.get_loops(consumer);  // so that the trace names every loop
    for (const BlockRef& block : blocks)
      for (const LoopRef& loop : legal_loops(s.program(), block)) {
        Schedule moved = s;
        moved.apply(ComputeAt{block, loop});
        EXPECT_NO_THROW(check(original, moved, 7)) << print(moved.program());
        ++taken;
      }
  }
  EXPECT_GT(taken, 10);
}

}  // namespace
}  // namespace ardea::schedule
