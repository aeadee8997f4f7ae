#include <gtest/gtest.h>

#include "ardea/arith/regions.h"
#include "ardea/compile/compile.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/merge.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/random.h"
#include "ardea/support/text_file.h"

/// The steps of the walk-through, and what it prints after them.

namespace ardea::schedule {
namespace {

std::string fixture(const std::string& name) {
  return read_text_file(ARDEA_SOURCE_DIR "/tests/fixtures/seed002/" + name);
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

TEST(Walkthrough, makes_lanes_of_the_columns_of_a_tile) {
  Schedule s(parse(fixture("blocks_fused_by_hand.tir")).functions[0]);
  for (const char* block : {"C", "F"}) s.apply(Vectorize{s.get_loops(s.get_block(block)).back()});
  EXPECT_EQ(print(s.program()), expected("blocks_vectorized.tir"));
}

TEST(Walkthrough, takes_the_decisions_of_the_sampled_schedule) {
  Schedule s(naive());
  s.replay(parse_steps(R"(b = sch.get_block("C")
m, l, k = sch.get_loops(b)
m_factors = sch.sample_perfect_tile(loop=m, n=2, decision=[128, 8])
mo, mi = sch.split(m, m_factors)
k_factors = sch.sample_perfect_tile(loop=k, n=2, decision=[512, 4])
ko, ki = sch.split(k, k_factors)
l_factors = sch.sample_perfect_tile(loop=l, n=2, decision=[128, 8])
lo, li = sch.split(l, l_factors)
sch.reorder(mo, lo, ko, mi, ki, li)
)",
                       "steps"));
  EXPECT_EQ(print(s.program()), expected("blocks_sampled.tir"));
}

/// The program that the text's tuner finds, in the names that it gives to loops it fuses with nothing.
TEST(Walkthrough, rebuilds_the_tuned_program) {
  Schedule s(naive());
  s.replay(parse_steps(read_text_file(ARDEA_SOURCE_DIR "/examples/walkthrough/tuned_steps.py"), "steps"));
  const Function tuned = arith::complete_regions(parse(fixture("blocks_tuned.tir")).functions[0]);
  EXPECT_EQ(first_difference(s.program(), tuned), "");
  std::string text = expected("blocks_tuned.tir");
  const std::string suffix = "_fused";
  for (std::size_t at = text.find(suffix); at != std::string::npos; at = text.find(suffix))
    text.erase(at, suffix.size());
  EXPECT_EQ(print(s.program()), text);
}

/// A lowered program of the text keeps its result to itself; here it becomes an argument, as in ours.
Function with_result(std::string text) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace("E: T.Buffer((1024, 3072), \"float32\"))",
          "E: T.Buffer((1024, 3072), \"float32\"), F: T.Buffer((1024, 3072), \"float32\"))");
  replace("        F = T.allocate([3145728], \"float32\", \"global\")\n", "");
  replace("data=F)", "data=F.data)");
  return parse(text).functions[0];
}

TEST(Walkthrough, lowered_programs_of_the_text_compute_what_ours_do) {
  std::vector<runtime::Value> values;
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{1024, 2048}, {2048, 1024}, {1024, 3072}, {1024, 3072}}) {
    runtime::Array array = runtime::Array::empty(shape, float32);
    Random random(values.size() + 1);
    for (float& x : array.values<float>()) x = static_cast<float>(random.real() / 1024);
    values.emplace_back(array);
  }
  const auto result = [&](const Function& program) {
    runtime::Array f = runtime::Array::empty({1024, 3072}, float32);
    std::fill(f.values<float>().begin(), f.values<float>().end(), -1.0f);
    values.back() = f;
    compile::callable(program, target::host()).call(values);
    return std::vector<float>(f.values<float>().begin(), f.values<float>().end());
  };
  Schedule ours(naive());
  for (const char* block : {"C", "F"}) {
    const auto loops = ours.get_loops(ours.get_block(block));
    ours.apply(Reorder{{loops[0], loops[2], loops[1]}});
  }
  const std::vector<float> expected_values = result(ours.program());
  for (const char* name : {"lowered_reorder.tir", "lowered_tile_k.tir", "lowered_tile_all.tir"}) {
    const std::vector<float> got = result(with_result(fixture(name)));
    std::size_t different = 0;
    // All terms are positive: the relative error of a sum of 1024 is at most 1024 units of 6e-8, twice.
    for (std::size_t i = 0; i < got.size(); ++i)
      if (!(std::abs(got[i] - expected_values[i]) <= 1.3e-4f * expected_values[i])) ++different;
    EXPECT_EQ(different, 0u) << name;
  }
}

}  // namespace
}  // namespace ardea::schedule
