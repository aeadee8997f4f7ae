#pragma once

#include <span>
#include <string_view>

#include "ardea/support/data_type.h"

/// How far compiled code may be from an approximate function, in one table: docs/functions.md shows it, the
/// tests hold compiled code to it, and derived tolerances (ardea/measure) count it.

namespace ardea {

/// The largest error in units in the last place of the exact value, subnormal results in units of the
/// smallest number.
struct Accuracy {
  std::string_view function;
  double float32_ulp;
  double float64_ulp;
};

/// Every approximate function, sorted by name.
std::span<const Accuracy> accuracies();

/// The row of that function, or nullptr where it is exact or no function.
const Accuracy* find_accuracy(std::string_view function);

/// The error for a float type: 1 for float16 and bfloat16, whose results are rounded from float32.
double error_ulp(const Accuracy& row, DataType type);

}  // namespace ardea
