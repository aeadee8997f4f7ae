#include "tests/model_schedules/workloads.h"

#include <gtest/gtest.h>

#include <cctype>

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
        {130, 17, 1},
        {97, 300, 73}}},
      {"matmul_exp_matmul", {{1, 1, 1, 1}, {7, 5, 3, 2}, {33, 40, 29, 51}, {31, 64, 70, 35}}},
      {"gemm_bias_relu", {{1, 1, 1}, {7, 5, 3}, {29, 31, 67}, {97, 300, 73}}},
      {"bmm", {{1, 1, 1, 1}, {3, 17, 9, 35}, {2, 64, 32, 64}}},
      {"gemv", {{1, 1}, {5, 7}, {64, 64}, {37, 129}, {9, 300}, {1, 517}, {130, 3}, {17, 1}, {33, 517}}},
      {"reduce_sum", {{1, 1}, {5, 7}, {8, 128}, {1, 1031}, {19, 65}, {33, 2}, {1, 16640}, {5501, 3}}},
      {"reduce_max", {{1, 1}, {3, 13}, {1, 259}, {21, 64}}},
      {"argmax", {{1, 1}, {3, 13}, {1, 259}, {21, 64}, {5501, 3}, {19, 1003}}},
      {"mean", {{1, 1}, {11, 37}, {16, 16}, {2, 403}}},
      {"var", {{1, 1}, {7, 31}, {3, 256}, {2, 133}}},
      {"relu", {{1, 1}, {5, 7}, {101, 103}, {640, 13}, {1, 8209}}},
      {"add", {{3, 5}, {67, 129}}},
      {"transpose", {{1, 1}, {3, 2111}, {2111, 3}, {2, 37}, {37, 29}, {103, 7}, {61, 13}}},
      {"t1d", {{1, 29, 3, 9, 3, 2, 1, 1}, {2, 13, 2, 35, 5, 3, 2, 1}}},
      {"t2d",
       {{1, 5, 13, 3, 13, 4, 4, 2, 1, 1}, {1, 3, 9, 2, 9, 3, 3, 3, 0, 1}, {2, 4, 11, 3, 37, 3, 3, 2, 1, 1}}},
      {"maxpool",
       {{1, 9, 11, 5, 3, 2, 1}, {2, 13, 117, 3, 3, 2, 1}, {1, 1, 1, 1, 1, 1, 0}, {1, 7, 61, 2, 3, 2, 0}}},
      {"avgpool",
       {{1, 11, 37, 3, 5, 2, 2}, {1, 15, 19, 2, 3, 3, 0}, {1, 8, 300, 2, 3, 2, 1}, {1, 9, 9, 2, 7, 4, 3}}},
      {"global_avgpool",
       {{1, 7, 7, 5}, {2, 3, 11, 4}, {1, 13, 5, 17}, {3, 9, 9, 29}, {1, 2, 2, 3}, {1, 1, 1, 1}}},
      {"gelu", {{1, 19}, {16, 8}}},
      {"bias_add", {{1, 1}, {7, 9}, {83, 131}}},
      {"batchnorm", {{3, 17}, {5, 64}}},
      {"softmax", {{1, 1}, {5, 7}, {3, 128}, {2, 301}, {33, 1}, {4, 17}, {7, 1201}, {31, 1061}}},
      {"layernorm", {{1, 1}, {6, 11}, {3, 96}, {2, 257}, {5, 2}, {11, 761}}},
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

std::vector<ops::Workload> scheduled_workloads() {
  std::vector<ops::Workload> all = tensor_products();
  for (const Sizes& sizes : float32_sizes())
    for (const auto& shape : sizes.shapes) {
      const auto& layouts = ops::find(sizes.op).layouts;
      for (const std::string& layout : layouts.empty() ? std::vector<std::string>{""} : layouts)
        all.push_back(ops::make_workload({.op = sizes.op, .sizes = shape, .layout = layout}));
    }
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{1, 131, 37}, {3, 64, 5}, {7, 10, 33}})
    all.push_back(ops::make_workload({.op = "gemm", .sizes = shape, .transpose_b = true}));
  return all;
}

std::string line_of(const testing::TestParamInfo<ops::Workload>& info) {
  std::string name = ops::to_string(info.param);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace ardea::test
