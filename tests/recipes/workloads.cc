#include "tests/recipes/workloads.h"

namespace ardea::test {

namespace {

struct Sizes {
  const char* op;
  std::vector<std::vector<std::int64_t>> shapes;
};

const std::vector<Sizes>& float32_sizes() {
  static const std::vector<Sizes> all = {
      {"gemm",
       {{1, 1, 1},
        {7, 5, 3},
        {64, 64, 64},
        {29, 31, 67},
        {15, 130, 33},
        {1, 37, 129},
        {61, 1, 70},
        {130, 17, 1}}},
  };
  return all;
}

}  // namespace

std::vector<ops::Workload> recipe_workloads() {
  std::vector<ops::Workload> all;
  for (const Sizes& sizes : float32_sizes())
    for (const auto& shape : sizes.shapes)
      all.push_back(ops::make_workload({.op = sizes.op, .sizes = shape}));
  return all;
}

}  // namespace ardea::test
