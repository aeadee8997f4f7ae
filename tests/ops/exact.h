#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ardea/te/create_prim_func.h"

namespace ardea::test {

/// Float32 values of a shape, small whole numbers drawn from the seed: sums and products of them are exact.
struct Numbers {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};
Numbers whole_numbers(const std::vector<std::int64_t>& shape, std::uint64_t seed);

/// The program that computes `result` from the inputs, run interpreted and compiled on the numbers; both must
/// give the same, which comes back with the given shape.
Numbers computed(const std::vector<te::Tensor>& inputs, const te::Tensor& result,
                 const std::vector<Numbers>& numbers, const std::vector<std::int64_t>& result_shape);

/// What f gives at every index of the shape.
Numbers filled(const std::vector<std::int64_t>& shape,
               const std::function<double(const std::vector<std::int64_t>&)>& f);

/// The element at an index.
float element(const Numbers& x, const std::vector<std::int64_t>& index);

/// The sentence of the Error that f throws; "" where it throws none.
std::string error_of(const std::function<void()>& f);

}  // namespace ardea::test
