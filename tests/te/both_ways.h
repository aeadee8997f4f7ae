#pragma once

#include "ardea/runtime/array.h"
#include "ardea/te/create_prim_func.h"

namespace ardea::test {

/// The value of element `index` of the last output.
using Expected = std::function<double(const std::vector<runtime::Array>& arguments,
                                      const std::vector<std::int64_t>& index)>;

/// Fills the inputs from a seed, runs f interpreted and compiled, compares both (integers exactly, floats by
/// the derived tolerance) and gives the arguments after the interpreted run.
std::vector<runtime::Array> run_both_ways(const Function& f, std::uint64_t seed = 1,
                                          const std::map<std::string, std::int64_t>& sizes = {});

/// Compares every element of `array` with `expected` of its index, up to a relative error.
void expect_elements(const runtime::Array& array,
                     const std::function<double(const std::vector<std::int64_t>&)>& expected,
                     double relative_error = 1e-5);

}  // namespace ardea::test
