#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "ardea/ir/intrinsics.h"
#include "ardea/runtime/array.h"
#include "tests/functions/errors/error.h"

namespace ardea::functions_test {
namespace {

const target::Target& host() {
  static const target::Target machine = target::host();
  return machine;
}

std::string generic_name() {
  return host().arch == target::Arch::x86_64 ? "generic-x86_64" : "generic-aarch64";
}

std::vector<std::string> functions() {
  std::vector<std::string> names;
  for (const Accuracy& row : accuracies()) names.emplace_back(row.function);
  return names;
}

struct Arguments {
  std::vector<double> x, y;
};

Arguments all_narrow(DataType type, Random& random) {
  const auto one = runtime::Array::zeros({1}, type);
  const auto value = [&](std::uint64_t bits) {
    one.set_bits(0, bits);
    return one.get_float(0);
  };
  Arguments all;
  for (std::uint64_t bits = 0; bits < 65536; ++bits) {
    all.x.push_back(value(bits));
    all.y.push_back(value(random.next() & 0xffff));
  }
  return all;
}

/// Every pair of some special arguments, then random ones.
Arguments pairs(DataType type, int count, Random& random) {
  Arguments all;
  const std::vector<double> special = special_arguments(type, 1);
  for (const double x : special)
    for (const double y : special) {
      all.x.push_back(x);
      all.y.push_back(y);
    }
  for (int i = 0; i < count; ++i) {
    all.x.push_back(random_argument(random, type));
    all.y.push_back(random_argument(random, type));
  }
  return all;
}

Arguments sampled(DataType type, std::uint64_t stride, int random_count, Random& random) {
  Arguments all{special_arguments(type, 40), {}};
  if (type == float32)
    for (std::uint64_t bits = 0; bits >> 32 == 0; bits += stride)
      all.x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (int i = 0; i < random_count; ++i) all.x.push_back(random_argument(random, type));
  return all;
}

void expect_within_stated_error(const Subject& subject, const Arguments& arguments, std::uint64_t seed) {
  const Worst worst = subject.measure(arguments.x, arguments.y);
  EXPECT_EQ(worst.count, static_cast<std::int64_t>(arguments.x.size()));
  EXPECT_LE(worst.ulp, error_ulp(*find_accuracy(subject.function()), subject.type()))
      << describe(subject, worst) << ", seed " << seed;
}

class EveryFunction : public testing::TestWithParam<std::string> {};

constexpr std::uint64_t seed = 20261115;

TEST_P(EveryFunction, stays_within_the_stated_error_on_all_narrow_values) {
  Random random(seed);
  for (const DataType type : {float16, bfloat16})
    expect_within_stated_error(Subject(GetParam(), type, host()), all_narrow(type, random), seed);
}

TEST_P(EveryFunction, stays_within_the_stated_error_in_float32) {
  Random random(seed);
  const Subject subject(GetParam(), float32, host());
  expect_within_stated_error(
      subject, subject.arity() == 2 ? pairs(float32, 100'000, random) : sampled(float32, 1009, 0, random),
      seed);
}

TEST_P(EveryFunction, stays_within_the_stated_error_in_float64) {
  Random random(seed);
  const Subject subject(GetParam(), float64, host());
  expect_within_stated_error(
      subject, subject.arity() == 2 ? pairs(float64, 50'000, random) : sampled(float64, 0, 100'000, random),
      seed);
}

// Machines without fused operations, scalars, odd lanes, no contraction: the same table.
TEST_P(EveryFunction, stays_within_the_stated_error_however_it_is_compiled) {
  Random random(seed);
  const auto check = [&](DataType type, const target::Target& target, const Subject::Options& options) {
    const Subject subject(GetParam(), type, target, options);
    const Arguments few =
        subject.arity() == 2 ? pairs(type, 2000, random) : sampled(type, 400'009, 5000, random);
    expect_within_stated_error(subject, few, seed);
  };
  const target::Target generic = target::find(generic_name());
  for (const DataType type : {float32, float64}) {
    check(type, generic, {.lanes = 4});
    check(type, host(), {.lanes = 1, .optimization_level = 1});
    check(type, host(), {.lanes = 7, .contract = false, .optimization_level = 0});
  }
}

// "bl\tardea_set_error": everything that is called must be ours.
TEST_P(EveryFunction, calls_nothing_even_where_the_machine_has_little) {
  Module both{"", {program_of(GetParam(), float32, 4), program_of(GetParam(), float64, 1)}};
  both.functions[1].name += "_scalar";
  for (const char* name : {"generic-x86_64", "generic-aarch64"}) {
    const std::string text = compile::assembly(both, target::find(name), {.optimization_level = 1});
    for (const std::string mnemonic : {"\tcallq\t", "\tcall\t", "\tbl\t"})
      for (std::size_t at = text.find(mnemonic); at != std::string::npos; at = text.find(mnemonic, at + 1)) {
        const std::string callee = text.substr(at + mnemonic.size(), 40);
        EXPECT_TRUE(callee.starts_with("ardea_") || callee.starts_with("*"))
            << name << " calls " << callee.substr(0, callee.find('\n'));
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, EveryFunction, testing::ValuesIn(functions()),
                         [](const auto& info) { return info.param; });

TEST(LibraryFunctions, are_called_where_the_program_or_the_option_asks_for_them) {
  const Function f = program_of("exp", float64, 4);
  const std::string ours = compile::llvm_ir(Module{"", {f}}, host());
  EXPECT_EQ(ours.find("@exp("), std::string::npos);
  EXPECT_NE(compile::llvm_ir(Module{"", {f}}, host(), {.library_functions = true}).find("@exp("),
            std::string::npos);
  Function asking = f;
  asking.attributes["library_functions"] = {make_bool(true)};
  EXPECT_NE(compile::llvm_ir(Module{"", {asking}}, host()).find("@exp("), std::string::npos);
}

TEST(Pieces, are_looked_up_by_one_instruction_where_vectors_fill_registers_of_avx512) {
  const target::Target wide = target::find("skylake-avx512"), narrow = target::find("avx2");
  const auto text = [](const std::string& function, int lanes, const target::Target& target) {
    return compile::assembly(Module{"", {program_of(function, float32, lanes)}}, target);
  };
  for (const std::string function : {"tanh", "erf"}) {
    const auto looks_up = [&](int lanes, const target::Target& target) {
      const std::string code = text(function, lanes, target);
      return code.find("vpermt2ps") != std::string::npos || code.find("vpermi2ps") != std::string::npos;
    };
    EXPECT_TRUE(looks_up(16, wide)) << function;
    EXPECT_FALSE(looks_up(8, wide)) << function;
    EXPECT_FALSE(looks_up(16, narrow)) << function;
  }
  EXPECT_EQ(text("tanh", 16, wide).find("vdivps"), std::string::npos);
}

TEST(Accuracy, is_stated_for_every_function_within_what_the_language_promises) {
  EXPECT_EQ(find_accuracy("sqrt"), nullptr);
  EXPECT_EQ(find_accuracy("nonsense"), nullptr);
  std::string before;
  for (const Accuracy& row : accuracies()) {
    EXPECT_LT(before, row.function);
    before = row.function;
    EXPECT_EQ(find_accuracy(row.function), &row);
    EXPECT_NE(find_intrinsic(row.function), nullptr);
    for (const DataType type : {float16, bfloat16}) EXPECT_LE(error_ulp(row, type), 1);
    for (const DataType type : {float32, float64}) EXPECT_LE(error_ulp(row, type), 4);
  }
}

}  // namespace
}  // namespace ardea::functions_test
