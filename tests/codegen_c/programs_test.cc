#include <gtest/gtest.h>

#include <filesystem>

#include "ardea/arith/load.h"
#include "ardea/arith/verify.h"
#include "ardea/codegen/c/codegen_c.h"
#include "ardea/compile/compile.h"
#include "ardea/interp/interpreter.h"
#include "ardea/lower/pipeline.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/support/error.h"
#include "tests/campaign/campaign.h"
#include "tests/campaign/compare.h"
#include "tests/codegen/lowered.h"
#include "tests/codegen_c/compiled_text.h"
#include "tests/support/sampled.h"

/// Whole programs, from text or from the random campaign, as C against the interpreter: many functions in one
/// file, because starting a C compiler takes longer than most of them.

namespace ardea::test {
namespace {

using Arguments = std::vector<interp::Argument>;

struct Program {
  Function function;
  Arguments before;
  std::string where;  ///< seed or file
};

/// The programs lowered, as one text.
std::string text_of(const std::vector<Program>& programs, std::vector<Function>& lowered) {
  for (const Program& program : programs) lowered.push_back(lower::lower(program.function, host()));
  return codegen::c_source(lowered, host(), {.contract = false});
}

Program with_arguments(Function f, std::uint64_t seed, const std::map<std::string, std::int64_t>& sizes,
                       std::string where) {
  Arguments before = measure::make_arguments(f, {.seed = seed, .sizes = sizes});
  return {std::move(f), std::move(before), std::move(where)};
}

std::vector<Program> examples() {
  std::vector<Program> programs;
  for (const auto& file : std::filesystem::directory_iterator(std::string(ARDEA_SOURCE_DIR) + "/examples")) {
    if (file.path().extension() != ".tir") continue;
    for (const Function& f : arith::load_file(file.path()).functions)
      programs.push_back(with_arguments(f, 5, {}, file.path().filename()));
  }
  return programs;
}

/// The campaign's programs of these seeds that verify accepts, each under a name of its own.
std::vector<Program> random_programs(std::uint64_t first, std::uint64_t count) {
  std::vector<Program> programs;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const campaign::Case test = campaign::make_case(seed);
    Function f = test.program;
    f.name = "seed_" + std::to_string(seed);
    std::map<std::string, std::int64_t> sizes;
    for (const Var& v : shape_variables(f)) sizes[v.name()] = v.name() == "n" ? test.n : test.m;
    programs.push_back(with_arguments(f, seed, sizes, "seed " + std::to_string(seed)));
  }
  return programs;
}

void expect_within_tolerance(const Program& program, const Arguments& got) {
  const auto report = measure::check(program.function, program.before, got, measure::Reference::interpreter);
  for (const measure::Comparison& c : report.arguments)
    EXPECT_EQ(c.mismatches, 0) << program.where << ": argument " << c.argument << ", element " << c.index
                               << " is " << c.got << ", expected " << c.expected;
}

Arguments after(const Program& program, const runtime::Function& code) {
  Arguments arguments = measure::copy_arguments(program.before);
  std::vector<runtime::Value> values;
  for (const interp::Argument& argument : arguments)
    std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
  EXPECT_EQ(error_of([&] { code.call(values); }), "");
  return arguments;
}

/// To the bit; where functions are approximate within their tolerance, and then to the bit what LLVM makes of
/// the same lowered program.
void expect_the_interpreters_answers(const std::vector<Program>& programs,
                                     const std::vector<std::string>& flags) {
  std::vector<Function> lowered;
  const std::string text = text_of(programs, lowered);
  const runtime::Module module = module_of("programs", lowered, loaded_library(text, flags));
  for (const Program& program : programs) {
    SCOPED_TRACE(program.where);
    const Function& f = program.function;
    const Arguments got = after(program, module.get_function(f.name));
    if (campaign::is_bit_exact(f)) {
      const Arguments expected = measure::copy_arguments(program.before);
      interp::run(f, expected);
      EXPECT_EQ(campaign::first_bit_difference(f, expected, got), "");
    } else {
      expect_within_tolerance(program, got);
      const runtime::Function by_llvm =
          compile::callable(f, host(), {.contract = false, .optimization_level = 1});
      EXPECT_EQ(campaign::first_bit_difference(f, after(program, by_llvm), got), "") << "by LLVM";
    }
  }
}

TEST(CSource, gives_the_interpreters_answers_on_the_examples) {
  expect_the_interpreters_answers(examples(), strict_flags());
}

constexpr std::size_t programs_a_range = 20;

class SeedRange : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SeedRange, gives_the_interpreters_answers_on_random_programs) {
  expect_the_interpreters_answers(random_programs(GetParam(), sampled_count(3, programs_a_range)),
                                  strict_flags());
}

INSTANTIATE_TEST_SUITE_P(CSource, SeedRange, testing::Values(1001, 1101));

/// Behaviour that C leaves undefined would end the process with a sentence of the sanitizer.
TEST(CSource, has_no_undefined_behaviour_on_random_programs) {
  if (sanitizer_flags().empty()) GTEST_SKIP() << "cc has no undefined-behaviour sanitizer";
  expect_the_interpreters_answers(random_programs(1201, sampled_count(3, 15)), sanitizer_flags());
}

TEST(CSource, compiles_without_warnings_at_full_optimisation) {
  std::vector<Function> lowered;
  const std::string example_text = text_of(examples(), lowered);
  lowered.clear();
  const std::string random_text = text_of(random_programs(1301, sampled_count(2, 10)), lowered);
  const std::vector<std::string> compilers = c_compilers();
  ASSERT_FALSE(compilers.empty());
  for (const std::string& compiler : compilers) {
    EXPECT_EQ(complaints(compiler, example_text, {"-O2"}), "") << compiler;
    EXPECT_EQ(complaints(compiler, random_text, {"-O2"}), "") << compiler;
  }
}

}  // namespace
}  // namespace ardea::test
