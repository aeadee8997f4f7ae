#include "ardea/ir/accuracy.h"

#include <algorithm>
#include <array>

namespace ardea {

namespace {

// Above what tools measured: the largest error over all float32 values and many float64 ones
// (docs/functions.md).
constexpr std::array<Accuracy, 22> accuracy_table = {{
    {"acos", 1.5, 1.5}, {"asin", 2.5, 2.5},  {"atan", 2.5, 2.5},  {"atan2", 2.5, 2.5}, {"cos", 1.6, 1},
    {"cosh", 2, 2},     {"erf", 1.5, 1.5},   {"exp", 1.5, 1.5},   {"exp10", 1.5, 2},   {"exp2", 1.5, 1.5},
    {"expm1", 1.5, 2},  {"log", 1, 1},       {"log10", 1.5, 1},   {"log1p", 1.6, 2},   {"log2", 1.5, 1},
    {"pow", 1, 1.5},    {"rsqrt", 1.6, 1.6}, {"sigmoid", 1.5, 2}, {"sin", 1.6, 1},     {"sinh", 2, 2.5},
    {"tan", 3.6, 2.5},  {"tanh", 1.5, 2},
}};

}  // namespace

std::span<const Accuracy> accuracies() { return accuracy_table; }

const Accuracy* find_accuracy(std::string_view function) {
  const auto at =
      std::lower_bound(accuracy_table.begin(), accuracy_table.end(), function,
                       [](const Accuracy& row, std::string_view name) { return row.function < name; });
  return at != accuracy_table.end() && at->function == function ? &*at : nullptr;
}

double error_ulp(const Accuracy& row, DataType type) {
  if (type.bits == 16) return 1;
  return type.bits == 32 ? row.float32_ulp : row.float64_ulp;
}

}  // namespace ardea
