#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "ardea/arith/regions.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/fuse.h"
#include "ardea/schedule/merge.h"
#include "ardea/schedule/reorder.h"
#include "ardea/schedule/schedule.h"
#include "ardea/schedule/split.h"

/// The steps of the walk-through, and what it prints after them.

namespace ardea::schedule {
namespace {

std::string fixture(const std::string& name) {
  std::ifstream file(std::string(ARDEA_SOURCE_DIR) + "/tests/fixtures/seed002/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Function naive() { return parse_function(fixture("blocks.tir")); }

/// The only function of a fixture, printed as functions are.
std::string expected(const std::string& name) { return print(parse(fixture(name)).functions[0]); }

void tile(Schedule& s, const std::string& block, std::int64_t rows, std::int64_t depth,
          std::int64_t columns) {
  const std::vector<LoopRef> loops = s.get_loops(s.get_block(block));
  const auto m = s.loops(Split{loops[0], {rows / 16, 16}});
  const auto k = s.loops(Split{loops[2], {depth / 8, 8}});
  const auto l = s.loops(Split{loops[1], {columns / 8, 8}});
  s.apply(Reorder{{m[0], l[0], k[0], m[1], k[1], l[1]}});
}

TEST(Walkthrough, tiles_both_products) {
  Schedule s(naive());
  tile(s, "C", 1024, 2048, 1024);
  tile(s, "F", 1024, 1024, 3072);
  EXPECT_EQ(print(s.program()), expected("blocks_tiled.tir"));
}

TEST(Walkthrough, prints_the_trace) {
  Schedule s(naive());
  const auto loops = s.get_loops(s.get_block("C"));
  const auto m = s.loops(Split{loops[0], {std::nullopt, 16}});
  const auto k = s.loops(Split{loops[2], {std::nullopt, 8}});
  const auto l = s.loops(Split{loops[1], {std::nullopt, 8}});
  s.apply(Reorder{{m[0], l[0], k[0], m[1], k[1], l[1]}});
  EXPECT_EQ(print(s.program()), expected("blocks_traced.tir"));
  const std::string script = R"(# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="C", func_name="main")
  l1, l2, l3 = sch.get_loops(block=b0)
  l4, l5 = sch.split(loop=l1, factors=[None, 16], preserve_unit_iters=True, disable_predication=False)
  l6, l7 = sch.split(loop=l3, factors=[None, 8], preserve_unit_iters=True, disable_predication=False)
  l8, l9 = sch.split(loop=l2, factors=[None, 8], preserve_unit_iters=True, disable_predication=False)
  sch.reorder(l4, l8, l6, l5, l7, l9)
)";
  EXPECT_EQ(print(s.trace()), script);
  Schedule again(naive());
  again.replay(parse_steps(script, "script"));
  EXPECT_EQ(print(again.program()), print(s.program()));
}

/// The element-wise block under the loops over tiles of the first product.
void merge_exponential(Schedule& s) {
  const std::vector<LoopRef> loops = s.get_loops(s.get_block("C"));
  const std::vector<LoopRef> elements = s.get_loops(s.get_block("D"));
  const auto m = s.loops(Split{elements[0], {1024 / 16, 16}});
  const auto l = s.loops(Split{elements[1], {1024 / 8, 8}});
  s.apply(Reorder{{m[0], l[0], m[1], l[1]}});
  s.apply(Merge{{loops[1], l[0]}});
}

TEST(Walkthrough, merges_the_exponential_into_the_first_product) {
  Schedule s(naive());
  tile(s, "C", 1024, 2048, 1024);
  tile(s, "F", 1024, 1024, 3072);
  merge_exponential(s);
  EXPECT_EQ(print(s.program()), expected("blocks_merged.tir"));
}

/// What TVM refuses, so that the text does it by hand.
TEST(Walkthrough, merges_the_rows_of_both_products) {
  Schedule s(naive());
  tile(s, "C", 1024, 2048, 1024);
  tile(s, "F", 1024, 1024, 3072);
  merge_exponential(s);
  s.apply(Merge{{s.get_loops(s.get_block("C"))[0], s.get_loops(s.get_block("F"))[0]}});
  const Function by_hand = arith::complete_regions(parse(fixture("blocks_fused_by_hand.tir")).functions[0]);
  EXPECT_EQ(first_difference(s.program(), by_hand), "");
}

}  // namespace
}  // namespace ardea::schedule
