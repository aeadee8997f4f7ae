#include "tests/te/both_ways.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ardea/compile/compile.h"
#include "ardea/ir/print.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"

namespace ardea::test {

std::vector<runtime::Array> run_both_ways(const Function& f, std::uint64_t seed,
                                          const std::map<std::string, std::int64_t>& sizes) {
  SCOPED_TRACE(print(f) + "seed " + std::to_string(seed));
  const auto before = measure::make_arguments(f, {.seed = seed, .sizes = sizes});
  const auto interpreted = measure::copy_arguments(before), compiled = measure::copy_arguments(before);
  interp::run(f, interpreted);
  std::vector<runtime::Value> values;
  for (const interp::Argument& argument : compiled)
    std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
  compile::callable(f, target::host()).call(values);
  for (const measure::Comparison& c :
       measure::check(f, before, compiled, measure::Reference::interpreter).arguments) {
    EXPECT_EQ(c.mismatches, 0) << c.argument << " at " << c.index << ": " << c.got << " instead of "
                               << c.expected;
    EXPECT_EQ(c.unbounded, 0) << c.argument;
  }
  std::vector<runtime::Array> arrays;
  for (const interp::Argument& argument : interpreted)
    if (const auto* array = std::get_if<runtime::Array>(&argument)) arrays.push_back(*array);
  return arrays;
}

void expect_elements(const runtime::Array& array,
                     const std::function<double(const std::vector<std::int64_t>&)>& expected,
                     double relative_error) {
  std::vector<std::int64_t> index(array.shape().size());
  for (std::int64_t flat = 0; flat < array.element_count(); ++flat) {
    std::int64_t rest = flat;
    for (std::size_t d = index.size(); d-- > 0;) {
      index[d] = rest % array.shape()[d];
      rest /= array.shape()[d];
    }
    const double want = expected(index), got = array.get_float(flat);
    ASSERT_NEAR(got, want, relative_error * std::max(1.0, std::abs(want))) << "element " << flat;
  }
}

}  // namespace ardea::test
