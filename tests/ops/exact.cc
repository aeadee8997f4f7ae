#include "tests/ops/exact.h"

#include <gtest/gtest.h>

#include "ardea/compile/compile.h"
#include "ardea/interp/interpreter.h"
#include "ardea/support/error.h"
#include "ardea/support/random.h"
#include "ardea/target/host.h"

namespace ardea::test {

Numbers whole_numbers(const std::vector<std::int64_t>& shape, std::uint64_t seed) {
  Random random(seed);
  return filled(shape, [&](const auto&) { return static_cast<double>(random.integer(-9, 9)); });
}

Numbers computed(const std::vector<te::Tensor>& inputs, const te::Tensor& result,
                 const std::vector<Numbers>& numbers, const std::vector<std::int64_t>& result_shape) {
  std::vector<te::Argument> arguments(inputs.begin(), inputs.end());
  arguments.emplace_back(result);
  const Function f = te::create_prim_func(arguments);
  const auto run = [&](const auto& call) {
    std::vector<runtime::Array> arrays;
    for (const Numbers& x : numbers) {
      arrays.push_back(runtime::Array::zeros(x.shape, float32));
      for (std::size_t i = 0; i < x.values.size(); ++i)
        arrays.back().set_float(static_cast<std::int64_t>(i), x.values[i]);
    }
    arrays.push_back(runtime::Array::zeros(result_shape, float32));
    call(arrays);
    const auto values = arrays.back().values<float>();
    return Numbers{result_shape, {values.begin(), values.end()}};
  };
  Numbers interpreted = run([&](const std::vector<runtime::Array>& arrays) {
    interp::run(f, {arrays.begin(), arrays.end()}, {.uninitialised_arguments = {arrays.size() - 1}});
  });
  const Numbers compiled = run([&](const std::vector<runtime::Array>& arrays) {
    const std::vector<runtime::Value> values(arrays.begin(), arrays.end());
    compile::callable(f, target::host(), {.contract = false}).call(values);
  });
  EXPECT_EQ(interpreted.values, compiled.values);
  return interpreted;
}

Numbers filled(const std::vector<std::int64_t>& shape,
               const std::function<double(const std::vector<std::int64_t>&)>& f) {
  Numbers numbers{shape, {}};
  std::vector<std::int64_t> index(shape.size(), 0);
  while (true) {
    numbers.values.push_back(static_cast<float>(f(index)));
    std::size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return numbers;
  }
}

float element(const Numbers& x, const std::vector<std::int64_t>& index) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < x.shape.size(); ++d) at = at * x.shape[d] + index.at(d);
  return x.values.at(static_cast<std::size_t>(at));
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
