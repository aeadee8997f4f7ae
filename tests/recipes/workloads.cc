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

struct Types {
  std::vector<DataType> in;
  DataType acc, out;
};

/// Types that tensor instructions take, and shapes at their edges.
std::vector<ops::Workload> tensor_products() {
  const std::vector<Types> types = {{{uint8, int8}, int32, int32},
                                    {{int8, uint8}, int32, int32},
                                    {{int8, int8}, int32, int32},
                                    {{uint8, uint8}, int32, int32},
                                    {{uint8, int8}, int32, uint8},
                                    {{bfloat16, bfloat16}, float32, float32},
                                    {{bfloat16, bfloat16}, float32, bfloat16}};
  // The last has operands that do not fit in the first cache.
  const std::vector<std::vector<std::int64_t>> shapes = {{1, 1, 1},    {7, 5, 3},     {64, 128, 64},
                                                         {29, 31, 67}, {33, 130, 17}, {1, 37, 129},
                                                         {61, 1, 70},  {50, 68, 48},  {18, 1100, 17}},
                                               some = {{29, 31, 67}, {64, 128, 64}, {1, 37, 129}};
  std::vector<ops::Workload> all;
  for (std::size_t t = 0; t < types.size(); ++t)
    for (const auto& shape : t == 0 || t == 6 ? shapes : some)
      all.push_back(ops::make_workload(
          {.op = "gemm", .sizes = shape, .in = types[t].in, .acc = types[t].acc, .out = types[t].out}));
  for (const Types& t : {types[0], types[6]})
    all.push_back(ops::make_workload(
        {.op = "gemm", .sizes = {29, 67, 35}, .in = t.in, .acc = t.acc, .out = t.out, .transpose_b = true}));
  return all;
}

}  // namespace

std::vector<ops::Workload> recipe_workloads() {
  std::vector<ops::Workload> all = tensor_products();
  for (const Sizes& sizes : float32_sizes())
    for (const auto& shape : sizes.shapes)
      all.push_back(ops::make_workload({.op = sizes.op, .sizes = shape}));
  return all;
}

}  // namespace ardea::test
