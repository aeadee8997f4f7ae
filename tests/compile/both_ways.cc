#include "tests/compile/both_ways.h"

#include <gtest/gtest.h>

#include <cmath>
#include <unordered_map>

#include "ardea/arith/load.h"
#include "ardea/interp/interpreter.h"
#include "ardea/support/error.h"
#include "ardea/support/random.h"

namespace ardea::test {

const target::Target& host() {
  static const target::Target machine = target::host();
  return machine;
}

Function program(const std::string& text) { return arith::load_program(text, "test").functions.at(0); }

std::vector<runtime::Array> random_arguments(const Function& f, std::uint64_t seed,
                                             const std::vector<std::int64_t>& sizes) {
  Random random(seed);
  std::unordered_map<Var, std::int64_t> extents;
  for (const Var& var : shape_variables(f)) extents[var] = sizes.at(extents.size());
  std::vector<runtime::Array> arrays;
  for (const Parameter& parameter : f.parameters) {
    std::vector<std::int64_t> shape;
    for (const Expr& extent : parameter.buffer->shape)
      shape.push_back(extent.is<VarNode>() ? extents.at(Var(extent)) : *constant_int(extent));
    const auto array = runtime::Array::zeros(shape, parameter.buffer->type);
    for (std::int64_t i = 0; i < array.element_count(); ++i)
      if (array.type().is_float())
        array.set_float(i, 4 * random.real() - 2);
      else
        array.set_int(i, random.integer(-7, 7));
    arrays.push_back(array);
  }
  return arrays;
}

namespace {

double ulp_of(double value, DataType type) {
  const int mantissa_bits = type.bits == 64 ? 52 : type.bits == 32 ? 23 : 7;
  return std::ldexp(1, std::max(std::ilogb(value == 0 ? 1e-30 : value), -100) - mantissa_bits);
}

bool agree(const runtime::Array& a, const runtime::Array& b, std::int64_t i, double ulps) {
  if (a.get_bits(i) == b.get_bits(i)) return true;
  if (!a.type().is_float()) return false;
  const double x = a.get_float(i), y = b.get_float(i);
  if (std::isnan(x) && std::isnan(y)) return true;
  return ulps > 0 && std::fabs(x - y) <= ulps * ulp_of(x, a.type());
}

}  // namespace

void expect_same_both_ways(const Function& f, std::uint64_t seed, const std::vector<std::int64_t>& sizes,
                           double ulps) {
  expect_same_at_sizes(f, seed, {sizes}, ulps);
}

namespace {

/// Of one program, compiled at some level.
struct Compiled {
  int level;
  runtime::Function call;
};

void expect_same_at(const Function& f, const std::vector<Compiled>& ways, std::uint64_t seed,
                    const std::vector<std::int64_t>& sizes, double ulps) {
  const std::vector<runtime::Array> inputs = random_arguments(f, seed, sizes);
  std::vector<runtime::Array> interpreted;
  for (const runtime::Array& array : inputs) interpreted.push_back(array.copy());
  interp::run(f, {interpreted.begin(), interpreted.end()});
  for (const auto& [level, call] : ways) {
    std::vector<runtime::Value> arguments;
    std::vector<runtime::Array> compiled;
    for (const runtime::Array& array : inputs) compiled.push_back(array.copy());
    arguments.assign(compiled.begin(), compiled.end());
    call.call(arguments);
    for (std::size_t k = 0; k < compiled.size(); ++k)
      for (std::int64_t i = 0; i < compiled[k].element_count(); ++i)
        ASSERT_TRUE(agree(interpreted[k], compiled[k], i, ulps))
            << f.name << ", seed " << seed << ", level " << level << ": " << f.parameters[k].buffer->name
            << " at " << i << " is " << interpreted[k].get_float(i) << " interpreted and "
            << compiled[k].get_float(i) << " compiled";
  }
}

}  // namespace

void expect_same_at_sizes(const Function& f, std::uint64_t seed,
                          const std::vector<std::vector<std::int64_t>>& sizes, double ulps) {
  std::vector<Compiled> ways;
  for (const int level : {0, 3})
    ways.push_back({level, compile::callable(f, host(), {.contract = false, .optimization_level = level})});
  for (const std::vector<std::int64_t>& one : sizes) {
    expect_same_at(f, ways, seed, one, ulps);
    if (testing::Test::HasFatalFailure()) return;
  }
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace ardea::test
