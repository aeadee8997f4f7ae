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
        {3, 9, 70},
        {2, 131, 139},
        {8, 16, 33},
        {33, 67, 1},
        {61, 1, 70},
        {130, 17, 1}}},
      {"gemv", {{1, 1}, {5, 7}, {64, 64}, {37, 129}, {9, 300}, {1, 517}, {130, 3}, {17, 1}, {33, 517}}},
      {"reduce_sum", {{1, 1}, {5, 7}, {8, 128}, {1, 1031}, {19, 65}, {33, 2}, {1, 16640}, {5501, 3}}},
      {"reduce_max", {{1, 1}, {3, 13}, {1, 259}, {21, 64}}},
      {"mean", {{1, 1}, {11, 37}, {16, 16}, {2, 403}}},
      {"var", {{1, 1}, {7, 31}, {3, 256}, {2, 133}}},
      {"relu", {{1, 1}, {5, 7}, {101, 103}, {640, 13}, {1, 8209}}},
      {"add", {{3, 5}, {67, 129}}},
      {"gelu", {{1, 19}, {16, 8}}},
      {"bias_add", {{1, 1}, {7, 9}, {83, 131}}},
      {"batchnorm", {{3, 17}, {5, 64}}},
      {"softmax", {{1, 1}, {5, 7}, {3, 128}, {2, 301}, {33, 1}, {4, 17}, {7, 1201}, {31, 1061}}},
      {"layernorm", {{1, 1}, {6, 11}, {3, 96}, {2, 257}, {5, 2}, {11, 761}}},
  };
  return all;
}

}  // namespace

std::vector<ops::Workload> recipe_workloads() {
  std::vector<ops::Workload> all;
  for (const Sizes& sizes : float32_sizes())
    for (const auto& shape : sizes.shapes)
      all.push_back(ops::make_workload({.op = sizes.op, .sizes = shape}));
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{1, 131, 37}, {3, 64, 5}, {7, 10, 33}})
    all.push_back(ops::make_workload({.op = "gemm", .sizes = shape, .transpose_b = true}));
  return all;
}

}  // namespace ardea::test
