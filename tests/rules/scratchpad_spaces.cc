#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/arith/load.h"
#include "ardea/intrin/instruction.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/limits_of.h"
#include "ardea/lower/passes.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/space/engine.h"
#include "tests/rules/answers.h"
#include "tests/rules/laws.h"
#include "tests/support/sampled.h"

/// The spaces of machines with scratchpads: products and convolutions on a matrix unit that the rules know
/// from its records alone.

namespace ardea::rules {

namespace {

struct OnUnit {
  const char* op;
  std::vector<std::int64_t> sizes;
  const char* target = "vta-out32";
  bool narrow = false;
  bool transpose_b = false;
  const char* layout = "";
};

Function unit_program(const OnUnit& asked) {
  ops::Workload wanted{.op = asked.op, .sizes = asked.sizes, .in = {int8, int8}, .acc = int32};
  wanted.out = asked.narrow ? int8 : int32;
  wanted.layout = asked.layout;
  wanted.transpose_b = asked.transpose_b;
  return ops::create_function(ops::make_workload(wanted));
}

/// Draws from all sketches: each sample applies, is the symbolic program with its numbers, fits, and is
/// right, also with memory cut down to what is touched of it.
void expect_right_programs(const ProgramSpace& space, std::size_t samples) {
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  const Answers answers(space.program);
  const Drawn drawn = space.sample(samples, 5);
  ASSERT_EQ(drawn.choices.size(), samples);
  for (const Choice& choice : drawn.choices) {
    const Sketch& sketch = space.sketches[choice.sketch].sketch;
    SCOPED_TRACE(in_words(sketch, choice.point));
    const Function program = replayed_by_the_law(sketch, choice.point);
    EXPECT_EQ(fault_of(sketch, choice.point, space.target), "");
    answers.expect_of(program);
    answers.expect_of(lower::compact_allocations(lower::placed(program, space.target), space.target));
  }
}

class ScratchpadSpaces : public testing::TestWithParam<OnUnit> {};

TEST_P(ScratchpadSpaces, have_right_programs_only) {
  const target::Target target = target::find(GetParam().target);
  const ProgramSpace space = program_space(unit_program(GetParam()), target, rules_for(target));
  ASSERT_FALSE(space.sketches[0].sketch.knobs.empty()) << "no rule serves it";
  for (const auto& [sketch, solver] : space.sketches) {
    EXPECT_TRUE(sketch.model.has_value()) << to_string(sketch.ways);
    // Whether threads race is judged at witnesses; all else is proved.
    const bool has_threads = !sketch.ways.empty() && sketch.ways[0].question == "virtual threads share" &&
                             sketch.ways[0].taken > 0;
    EXPECT_TRUE(has_threads || sketch.deferred.empty()) << to_string(sketch.ways);
  }
  expect_right_programs(space, 10);
}

INSTANTIATE_TEST_SUITE_P(
    All, ScratchpadSpaces,
    testing::ValuesIn(test::sampled<OnUnit>(
        2,
        {OnUnit{"gemm", {1, 1, 1}}, OnUnit{"gemm", {3, 17, 5}}, OnUnit{"gemm", {7, 13, 11}},
         OnUnit{"gemm", {2, 7, 32}, "vta", true}, OnUnit{"gemm", {3, 17, 16}, "vta", true},
         OnUnit{"gemm", {5, 7, 13}, "vta-out32", false, true}, OnUnit{"gemm", {1, 5, 13}, "vta-out32", true},
         OnUnit{"gemv", {13, 19}}, OnUnit{"bmm", {3, 3, 5, 7}},
         OnUnit{"c2d", {1, 4, 3, 16, 16, 1, 1, 1, 0, 1}, "vta", true, false, "nhwc"},
         OnUnit{"c2d", {1, 5, 7, 16, 16, 3, 3, 2, 1, 1}, "vta-out32", false, false, "nhwc"},
         OnUnit{"c2d", {1, 4, 5, 16, 16, 3, 2, 1, 1, 1}}})),
    [](const auto& info) {
      std::string name = info.param.op;
      for (const std::int64_t size : info.param.sizes) name += "_" + std::to_string(size);
      name += info.param.narrow ? "_int8" : "";
      return name + (*info.param.layout != '\0' ? std::string("_") + info.param.layout : "");
    });

/// All tuples of numbers, on scratchpads of which each is soon full: what applies and fits is a solution.
TEST(ScratchpadRules, lose_nothing) {
  target::Target target = target::find("vta-out32");
  for (target::Scratchpad& one : target.accelerator->scratchpads)
    one.bytes = one.scope == "vta.inp" ? 64 : one.scope == "vta.wgt" ? 1024 : 256;
  const ProgramSpace space = program_space(unit_program({"gemm", {4, 32, 64}}), target, rules_for(target));
  Tried all;
  std::size_t place = 0;
  for (const auto& [sketch, solver] : space.sketches) {
    // One thread is left out of sketches of threads on purpose.
    if (sketch.ways[0].answers[sketch.ways[0].taken] != "nothing") continue;
    if (!test::takes_case(place++, 2)) continue;
    const Tried tried = expect_nothing_lost(sketch, target);
    all.valid += tried.valid;
    all.all += tried.all;
  }
  EXPECT_GT(all.valid, 20);
  EXPECT_LT(all.valid, all.all / 4);
}

/// Where a copy is made is a choice, and what it then holds is what the memory must hold.
TEST(ScratchpadRules, choose_where_copies_are_made) {
  target::Target target = target::find("vta-out32");
  const Function program = unit_program({"gemm", {4, 64, 64}});
  const auto answers = [](const ProgramSpace& space, const std::string& question) {
    std::vector<std::string> all;
    for (const auto& [sketch, solver] : space.sketches)
      for (const Way& way : sketch.ways)
        if (way.question == question &&
            std::find(all.begin(), all.end(), way.answers[way.taken]) == all.end())
          all.push_back(way.answers[way.taken]);
    std::sort(all.begin(), all.end());
    return all;
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(answers(program_space(program, target, rules_for(target)), "vta.wgt filled in"),
            (Words{"columns", "depth", "rows", "threads"}));
  target.accelerator->virtual_threads = 1;
  // All of B are 16 tiles of 256 bytes, the columns of one tile along k four of them.
  target.accelerator->scratchpads[1].bytes = std::int64_t{15} * 256;
  EXPECT_EQ(answers(program_space(program, target, rules_for(target)), "vta.wgt filled in"),
            (Words{"columns", "depth"}));
  target.accelerator->scratchpads[1].bytes = std::int64_t{3} * 256;
  EXPECT_EQ(answers(program_space(program, target, rules_for(target)), "vta.wgt filled in"), Words{"depth"});
}

TEST(ScratchpadRules, keep_to_what_copy_engines_count) {
  target::Target target = target::find("vta-out32");
  target.accelerator->copy_engines[0].max_extent = 2;
  const ProgramSpace space = program_space(unit_program({"gemm", {6, 96, 16}}), target, rules_for(target));
  const space::System& system = space.sketches[0].sketch.system;
  std::int64_t rows = 0, depth = 0;
  for (const space::Point& point : solutions_of(system)) {
    rows = std::max(rows, point[static_cast<std::size_t>(system.get("m_tiles_1").index)]);
    depth = std::max(depth, point[static_cast<std::size_t>(system.get("k_tiles_1").index)]);
  }
  EXPECT_EQ(rows, 2);
  EXPECT_EQ(depth, 2);
}

intrin::Instruction made_up_record(const std::string& name, const std::string& text,
                                   std::vector<std::string> scopes) {
  intrin::Instruction record;
  record.name = "test_unit." + name;
  record.meaning = arith::load_program(text, name + ".tir").functions[0];
  for (std::string& scope : scopes) record.operands.push_back({.scope = std::move(scope)});
  record.required_feature = "test-unit";
  return record;
}

std::string tile_copy(const std::string& shape, const std::string& type) {
  return "@T.prim_func\ndef copy(S: T.Buffer(" + shape + ", \"" + type + "\"), M: T.Buffer(" + shape +
         ", \"" + type + "\")):\n    for i, j in T.grid" + shape +
         ":\n        with T.block(\"S\"):\n            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
         "            S[vi, vj] = M[vi, vj]\n";
}

/// A machine of nobody's: two rows at once, weights by depth first, and a memory between for the left
/// operand.
target::Target made_up_machine() {
  static const bool once = [] {
    intrin::register_instruction(made_up_record("product", R"(@T.prim_func
def product(C: T.Buffer((2, 4), "int32"), A: T.Buffer((2, 8), "int8"), B: T.Buffer((8, 4), "int8")):
    for i, j, k in T.grid(2, 4, 8):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj] = C[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk, vj])
)",
                                                {"scratchpad.sums", "scratchpad.left", "scratchpad.right"}));
    intrin::register_instruction(made_up_record("reset", R"(@T.prim_func
def reset(C: T.Buffer((2, 4), "int32")):
    for i, j in T.grid(2, 4):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = 0
)",
                                                {"scratchpad.sums"}));
    const auto copy = [](const char* name, const char* shape, const char* type, const char* to,
                         const char* from) {
      intrin::register_instruction(made_up_record(name, tile_copy(shape, type), {to, from}));
    };
    copy("near", "(2, 8)", "int8", "scratchpad.near", "global");
    copy("left", "(2, 8)", "int8", "scratchpad.left", "scratchpad.near");
    copy("right", "(8, 4)", "int8", "scratchpad.right", "global");
    copy("store", "(2, 4)", "int32", "global", "scratchpad.sums");
    return true;
  }();
  target::Target target = target::find("vta");
  target.name = once ? "made-up" : "";
  target.features = {"+test-unit"};
  target.accelerator->scratchpads = {
      {"scratchpad.near", 256}, {"scratchpad.left", 64}, {"scratchpad.right", 128}, {"scratchpad.sums", 256}};
  target.accelerator->copy_engines = {};
  target.accelerator->virtual_threads = 1;
  return target;
}

/// Rules ask records, and no machine by its name: levels and scopes are the record's.
TEST(ScratchpadRules, serve_a_machine_by_its_records) {
  const target::Target target = made_up_machine();
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{3, 11, 3}, {2, 8, 5}}) {
    const ProgramSpace space = program_space(unit_program({"gemm", sizes}), target, rules_for(target));
    ASSERT_FALSE(space.sketches[0].sketch.knobs.empty());
    std::vector<std::string> scopes;
    visit_stmts(space.sketches[0].sketch.symbolic.body, [&](const Stmt& s) {
      if (const auto* block = s.as<Block>())
        for (const Buffer& buffer : block->allocations) scopes.push_back(buffer->scope);
    });
    for (const target::Scratchpad& one : target.accelerator->scratchpads)
      EXPECT_NE(std::find(scopes.begin(), scopes.end(), one.scope), scopes.end()) << one.scope;
    expect_right_programs(space, 12);
  }
}

/// What the unit cannot do stays as it is written.
TEST(ScratchpadRules, leave_the_rest_to_the_host) {
  const auto knobs = [](const OnUnit& asked) {
    const target::Target target = target::find(asked.target);
    return program_space(unit_program(asked), target, rules_for(target)).sketches[0].sketch.knobs.size();
  };
  EXPECT_GT(knobs({"gemm", {4, 16, 16}}), 0U);
  EXPECT_EQ(knobs({"gemm", {4, 16, 16}, "vta"}), 0U);              // it stores bytes
  EXPECT_EQ(knobs({"gemm", {4, 16, 17}, "vta", true}), 0U);        // whole tiles of them
  EXPECT_EQ(knobs({"c2d", {1, 4, 4, 3, 16, 3, 3, 1, 1, 1}}), 0U);  // windows are not padded
  EXPECT_EQ(knobs({"depthwise", {1, 4, 4, 16, 3, 3, 1, 1}}), 0U);  // no product of matrices
}

TEST(RulesFor, has_a_table_for_each_kind) {
  const auto names = [](const char* target) {
    std::vector<std::string> all;
    for (const Rule& rule : rules_for(target::find(target))) all.push_back(rule.name);
    return all;
  };
  const std::vector<std::string> pads = names("vta");
  for (const char* name : {"always inline", "multi-level tiling", "add cache stage", "tensorize",
                           "add multi-level scratchpad", "add multi-scope scratchpad"})
    EXPECT_NE(std::find(pads.begin(), pads.end(), name), pads.end()) << name;
  EXPECT_NE(names("avx2"), pads);
}

}  // namespace

}  // namespace ardea::rules
