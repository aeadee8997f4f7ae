#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "ardea/lower/pipeline.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/support/random.h"
#include "tests/rules/answers.h"
#include "tests/rules/laws.h"
#include "tests/support/sampled.h"

/// The spaces of products of matrices lose nothing.

namespace ardea::rules {

namespace {

struct SmallProduct {
  std::vector<std::int64_t> sizes;
  const char* target = "generic-x86_64";
  bool transpose_b = false;
  std::int64_t registers = 4;
  bool small_caches = false;  ///< then panels are asked for ahead, or not
};

void PrintTo(const SmallProduct& asked, std::ostream* out) {
  *out << fmt::format("{} {}{}", fmt::join(asked.sizes, ","), asked.target, asked.transpose_b ? " tb" : "");
}

/// Few registers, so that limits bind.
target::Target small_target(const SmallProduct& asked) {
  target::Target target = target::find(asked.target);
  target.vector_registers = static_cast<int>(asked.registers);
  if (asked.small_caches)
    target.caches = {{.level = 1, .bytes = 256, .ways = 4, .line_bytes = 64},
                     {.level = 2, .bytes = 384, .ways = 8, .line_bytes = 64}};
  return target;
}

class SmallProducts : public testing::TestWithParam<SmallProduct> {};

TEST_P(SmallProducts, lose_nothing_that_is_valid) {
  const std::optional<int> most = tuples_to_try(15);
  const target::Target target = small_target(GetParam());
  const Function program = ops::create_function(
      ops::make_workload({.op = "gemm", .sizes = GetParam().sizes, .transpose_b = GetParam().transpose_b}));
  const ProgramSpace space = program_space(program, target, rules_for(target));
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  for (const SolvedSketch& solved : space.sketches) {
    const Tried tried = expect_nothing_lost(solved.sketch, target, most);
    EXPECT_GE(tried.valid - tried.twins, 1) << to_string(solved.sketch.ways);
    if (!most)
      fmt::print("{}: {} tuples, {} valid, {} of them twins\n", to_string(solved.sketch.ways), tried.all,
                 tried.valid, tried.twins);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmallProducts,
                         testing::ValuesIn(test::sampled<SmallProduct>(
                             4,
                             {SmallProduct{{12, 12, 12}}, SmallProduct{{12, 12, 12}, "generic-aarch64"},
                              SmallProduct{{12, 12, 12}, "generic-x86_64", true, 6, true},
                              SmallProduct{{7, 5, 11}}, SmallProduct{{7, 5, 11}, "generic-aarch64", true, 32},
                              SmallProduct{{11, 5, 7}}, SmallProduct{{11, 5, 7}, "generic-aarch64", true}})));

/// Products of bytes for an instruction with 16 sums: four vectors of columns, and panels of up to six. Every
/// point has the form of its sketch.
TEST(ProductSpace, of_an_instruction_has_the_form_of_its_replays) {
  const target::Target target = target::find("cascade-lake");
  const Function program = ops::create_function(ops::make_workload(
      {.op = "gemm", .sizes = {11, 9, 64}, .in = {uint8, int8}, .acc = int32, .out = int32}));
  const ProgramSpace space = program_space(program, target, rules_for(target));
  int tried = 0;
  for (const SolvedSketch& solved : space.sketches)
    for (const space::Point& point : solutions_of(solved.sketch.system)) {
      SCOPED_TRACE(in_words(solved.sketch, point));
      replayed_by_the_law(solved.sketch, point);
      ++tried;
    }
  EXPECT_GE(tried, 20);
}

/// Rows that tiles of instructions leave over may be padded to a whole tile.
TEST(ProductSpace, of_an_instruction_pads_rows) {
  struct Bytes {
    const char* target = nullptr;
    DataType left;
  };
  for (const auto& [name, left] : test::sampled<Bytes>(
           2, {Bytes{"cascade-lake", uint8}, Bytes{"cascade-lake", int8}, Bytes{"neoverse-v1", int8}})) {
    const target::Target target = target::find(name);
    const Function program = ops::create_function(ops::make_workload(
        {.op = "gemm", .sizes = {29, 9, 70}, .in = {left, int8}, .acc = int32, .out = int32}));
    const ProgramSpace space = program_space(program, target, rules_for(target));
    const Answers answers(program);
    int padded = 0;
    for (const auto& [sketch, solver] : space.sketches) {
      if (to_string(sketch.ways).find("left over = rows padded") == std::string::npos) continue;
      EXPECT_TRUE(sketch.model.has_value());
      for (const space::Point& point : solver->sample(3, 5).points) {
        SCOPED_TRACE(in_words(sketch, point));
        answers.expect_of(lower::lower_unpacked(replayed_by_the_law(sketch, point), target));
        ++padded;
      }
      expect_nothing_lost(sketch, target, 8);
    }
    EXPECT_EQ(padded, 3) << name;
  }
}

/// Six threads share blocks of rows and columns: a loop over pairs of blocks when lowered. Sizes that share
/// no factor, so that the last blocks are shorter.
TEST(ProductSpace, of_many_threads_shares_blocks) {
  target::Target target = target::find("avx2");
  target.cores = 6;
  const Function program = ops::create_function(ops::make_workload({.op = "gemm", .sizes = {89, 67, 97}}));
  const ProgramSpace space = program_space(program, target, rules_for(target));
  const Answers answers(program);
  std::size_t shared = 0;
  for (const auto& [sketch, solver] : space.sketches) {
    if (to_string(sketch.ways).find("shared by threads = blocks") == std::string::npos) continue;
    if (!test::takes_case(shared++, 5)) continue;
    for (const space::Point& point : solver->sample(1, 7).points) {
      SCOPED_TRACE(in_words(sketch, point));
      answers.expect_of(lower::lower_unpacked(replayed_by_the_law(sketch, point), target));
    }
  }
  EXPECT_GE(shared, 4U);
  target.cores = 3;
  for (const auto& [sketch, solver] : program_space(program, target, rules_for(target)).sketches)
    EXPECT_EQ(to_string(sketch.ways).find("blocks"), std::string::npos) << "three threads are no grid";
}

/// One of the divisors of a number that are no more than `most`.
std::int64_t drawn_divisor(Random& random, std::int64_t number, std::int64_t most) {
  std::vector<std::int64_t> all;
  for (std::int64_t d = 1; d <= std::min(number, most); ++d)
    if (number % d == 0) all.push_back(d);
  return all[static_cast<std::size_t>(random.integer(0, std::ssize(all) - 1))];
}

/// Rows and columns in blocks of whole tiles, which divide them, and a sum in blocks of steps that divide it:
/// each such product whose tile of sums fits the registers is a point.
TEST(ProductSpace, has_every_tiling_that_divides) {
  constexpr std::uint64_t seed = 7;
  struct Shape {
    std::int64_t m, k, n;
    const char* target;
  };
  for (const Shape& shape : {Shape{1024, 1024, 1024, "neoverse-v1"}, Shape{1024, 1024, 1024, "avx2"},
                             Shape{96, 1000, 360, "generic-x86_64"}, Shape{97, 64, 131, "sapphirerapids"}}) {
    const target::Target target = target::find(shape.target);
    const Function program =
        ops::create_function(ops::make_workload({.op = "gemm", .sizes = {shape.m, shape.k, shape.n}}));
    Derivation model_way(program, target, std::vector<std::size_t>{});
    derive(model_way, rules_for(target));
    const Sketch sketch = make_sketch(program, model_way);
    const space::Solver solver(sketch.system);
    Random random(seed);
    const std::int64_t lanes = target.vector_bits / 32;
    for (int i = 0; i < 200; ++i) {
      const std::int64_t rows = drawn_divisor(random, shape.m, target.vector_registers);
      const std::int64_t columns = drawn_divisor(random, shape.n, target.vector_registers / rows * lanes);
      const std::vector<std::pair<const char*, std::int64_t>> tiling = {
          {"C_rows", rows},
          {"C_columns", columns},
          {"C_steps", drawn_divisor(random, shape.k, shape.k)},
          {"C_row_tiles", drawn_divisor(random, shape.m / rows, shape.m)},
          {"C_column_tiles", drawn_divisor(random, shape.n / columns, shape.n)}};
      std::vector<space::Constraint> numbers;
      std::string words;
      for (const auto& [knob, value] : tiling) {
        numbers.push_back(sketch.system.canonical(
            {knob, "", {}, space::Linear{{{1, sketch.system.get(knob)}}, 0, space::Relation::eq, value}}));
        words += fmt::format("{} = {}, ", knob, value);
      }
      ASSERT_EQ(solver.solve(numbers, 1).answer, space::Answer::yes)
          << words << "drawn from the seed " << seed << " for " << shape.target;
    }
  }
}

}  // namespace

}  // namespace ardea::rules
