#include "ardea/ir/accuracy.h"

#include <algorithm>
#include <array>

namespace ardea {

namespace {

constexpr std::array<Accuracy, 22> table = {{
    {"acos", 4, 4},  {"asin", 4, 4},  {"atan", 4, 4},  {"atan2", 4, 4}, {"cos", 4, 4},   {"cosh", 4, 4},
    {"erf", 4, 4},   {"exp", 4, 4},   {"exp10", 4, 4}, {"exp2", 4, 4},  {"expm1", 4, 4}, {"log", 4, 4},
    {"log10", 4, 4}, {"log1p", 4, 4}, {"log2", 4, 4},  {"pow", 4, 4},   {"rsqrt", 4, 4}, {"sigmoid", 4, 4},
    {"sin", 4, 4},   {"sinh", 4, 4},  {"tan", 4, 4},   {"tanh", 4, 4},
}};

}  // namespace

std::span<const Accuracy> accuracies() { return table; }

const Accuracy* find_accuracy(std::string_view function) {
  const auto at =
      std::lower_bound(table.begin(), table.end(), function,
                       [](const Accuracy& row, std::string_view name) { return row.function < name; });
  return at != table.end() && at->function == function ? &*at : nullptr;
}

double error_ulp(const Accuracy& row, DataType type) {
  if (type.bits == 16) return 1;
  return type.bits == 32 ? row.float32_ulp : row.float64_ulp;
}

}  // namespace ardea
