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
      {"c2d",
       {{1, 1, 1, 1, 1, 1, 1, 1, 0, 1},
        {2, 9, 7, 5, 13, 3, 3, 1, 1, 1},
        {1, 8, 56, 3, 7, 3, 3, 1, 1, 1},
        {1, 13, 11, 4, 17, 5, 3, 2, 2, 1},
        {1, 16, 32, 2, 9, 3, 3, 2, 0, 1},
        {2, 17, 33, 3, 6, 7, 7, 2, 3, 1},
        {1, 10, 19, 3, 33, 3, 3, 3, 1, 2},
        {1, 12, 13, 6, 40, 1, 1, 1, 0, 1},
        {3, 7, 7, 8, 15, 1, 1, 2, 0, 1},
        {1, 1, 40, 3, 5, 1, 5, 1, 0, 1},
        {1, 40, 1, 2, 70, 3, 1, 1, 1, 1}}},
      {"depthwise",
       {{1, 1, 1, 1, 1, 1, 1, 0},
        {2, 9, 7, 5, 3, 3, 1, 1},
        {1, 16, 32, 16, 3, 3, 1, 1},
        {1, 13, 21, 17, 3, 3, 2, 1},
        {1, 14, 14, 33, 3, 3, 2, 0},
        {1, 11, 37, 3, 5, 3, 3, 2},
        {1, 9, 18, 19, 7, 7, 1, 3}}},
      {"dil", {{1, 11, 12, 3, 18, 3, 3, 1, 2, 2}, {1, 14, 20, 2, 5, 2, 3, 2, 1, 3}}},
      {"c1d", {{1, 1, 1, 1, 1, 1, 0, 1}, {2, 37, 5, 19, 3, 1, 1, 1}, {1, 70, 3, 7, 5, 2, 2, 2}}},
      {"c3d",
       {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1},
        {1, 3, 6, 7, 2, 9, 3, 3, 3, 1, 1, 1},
        {2, 4, 5, 17, 3, 4, 2, 1, 3, 2, 1, 1}}},
  };
  return all;
}

}  // namespace

std::vector<ops::Workload> recipe_workloads() {
  std::vector<ops::Workload> all;
  for (const Sizes& sizes : float32_sizes())
    for (const auto& shape : sizes.shapes) {
      const auto& layouts = ops::find(sizes.op).layouts;
      for (const std::string& layout : layouts.empty() ? std::vector<std::string>{""} : layouts)
        all.push_back(ops::make_workload({.op = sizes.op, .sizes = shape, .layout = layout}));
    }
  return all;
}

}  // namespace ardea::test
