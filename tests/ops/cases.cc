#include "tests/ops/cases.h"

#include <map>
#include <stdexcept>

namespace ardea::test {

namespace {

struct TypeCase {
  std::vector<DataType> in;
  DataType acc = no_type, out = no_type;
};

const std::vector<TypeCase>& types_of(ops::Arithmetic arithmetic) {
  using ops::Arithmetic;
  static const std::map<Arithmetic, std::vector<TypeCase>> types = {
      {Arithmetic::products,
       {{{float16}},
        {{bfloat16}},
        {{float64}},
        {{float16}, float16},
        {{float16}, float32, float32},
        {{float32}, float64},
        {{float32}, no_type, int8},
        {{float32}, no_type, float8_e5m2},
        {{float8_e4m3}},
        {{float8_e5m2, float8_e4m3}, no_type, float16},
        {{int8}},
        {{uint8, int8}},
        {{int8}, no_type, int8},
        {{int8}, int64, int32},
        {{int32}},
        {{int4}},
        {{uint4, int8}, no_type, uint8},
        {{float16, int4}},
        {{bfloat16, uint8}, no_type, bfloat16}}},
      {Arithmetic::sums,
       {{{float16}},
        {{bfloat16}},
        {{float64}},
        {{float32}, float64, bfloat16},
        {{float8_e5m2}},
        {{int8}},
        {{uint8}, no_type, uint8},
        {{int4}, no_type, int4},
        {{int32}, int64}}},
      {Arithmetic::elementwise,
       {{{float16}},
        {{bfloat16}},
        {{float64}},
        {{float16, float32}},
        {{float8_e4m3}},
        {{int8}},
        {{uint8, int8}},
        {{int32}},
        {{uint4}, no_type, uint4}}},
      {Arithmetic::order,
       {{{float16}},
        {{bfloat16}},
        {{float64}},
        {{float8_e5m2}},
        {{int8}},
        {{uint8}},
        {{int32}},
        {{int4}, no_type, int4},
        {{float32}, no_type, int8}}},
      {Arithmetic::real,
       {{{float16}},
        {{bfloat16}},
        {{float64}},
        {{float16}, no_type, float32},
        {{float8_e4m3}},
        {{float32}, float64, bfloat16}}},
      {Arithmetic::places,
       {{{float16}},
        {{bfloat16}},
        {{float64}},
        {{float8_e4m3}},
        {{int8}},
        {{uint8}, no_type, int64},
        {{int32}},
        {{int4}},
        {{float32}, no_type, int64}}},
      {Arithmetic::moves,
       {{{float16}},
        {{bfloat16}},
        {{float64}},
        {{float8_e4m3}},
        {{float8_e5m2}},
        {{int4}},
        {{uint4}},
        {{int8}},
        {{uint8}},
        {{int32}},
        {{int64}}}},
  };
  return types.at(arithmetic);
}

using SizeLists = std::vector<std::vector<std::int64_t>>;

/// Matrices: primes, ones, sizes without a common factor.
const SizeLists matrices = {{1, 1}, {1, 13}, {17, 1}, {7, 11}, {13, 5}, {2, 31}, {3, 64}, {23, 9}};

const std::map<std::string, SizeLists>& shape_table() {
  // n,h,w,ci,co,kh,kw,stride,pad,dilation
  static const SizeLists c2d = {{1, 1, 1, 1, 1, 1, 1, 1, 0, 1}, {2, 5, 7, 3, 2, 3, 2, 1, 1, 1},
                                {1, 7, 5, 2, 3, 2, 2, 3, 0, 1},  // stride > kernel
                                {1, 3, 4, 2, 3, 2, 3, 2, 4, 1},  // padding > kernel
                                {1, 9, 8, 1, 2, 3, 3, 1, 2, 2}, {1, 11, 1, 5, 3, 3, 1, 2, 1, 3},
                                {3, 4, 6, 1, 5, 4, 6, 1, 0, 1},  // one window
                                {1, 6, 13, 2, 1, 5, 3, 4, 3, 2}};
  static const SizeLists c1d = {{1, 1, 1, 1, 1, 1, 0, 1},  {2, 13, 3, 5, 3, 1, 1, 1},
                                {1, 17, 2, 3, 2, 5, 0, 1}, {1, 5, 3, 2, 3, 2, 5, 1},
                                {3, 19, 1, 7, 4, 1, 0, 3}, {1, 7, 5, 1, 7, 1, 0, 1},
                                {1, 11, 2, 3, 1, 3, 2, 1}, {2, 23, 3, 1, 5, 2, 7, 4}};
  static const SizeLists c3d = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1}, {1, 3, 5, 4, 2, 3, 2, 3, 2, 1, 1, 1},
                                {1, 5, 4, 3, 2, 1, 1, 2, 2, 3, 0, 1}, {1, 2, 3, 2, 1, 2, 1, 2, 2, 2, 3, 1},
                                {2, 5, 3, 6, 1, 2, 2, 1, 3, 1, 0, 2}, {1, 4, 1, 7, 3, 1, 2, 1, 2, 2, 0, 3},
                                {1, 2, 2, 2, 2, 2, 2, 2, 2, 1, 0, 1}, {1, 7, 2, 3, 1, 1, 3, 2, 2, 2, 2, 2}};
  // n,h,w,ci,co,kh,kw,stride,pad,dilation[,output_padding]
  static const SizeLists t2d = {
      {1, 1, 1, 1, 1, 1, 1, 1, 0, 1},    {2, 3, 4, 3, 2, 3, 2, 1, 1, 1},
      {1, 3, 2, 2, 3, 2, 2, 3, 0, 1},     // stride > kernel: rows that nothing reaches
      {1, 5, 6, 2, 1, 2, 3, 2, 3, 1},     // padding > kernel
      {1, 3, 4, 2, 2, 4, 4, 2, 1, 1},     // no condition is left
      {1, 4, 3, 1, 2, 3, 2, 2, 1, 3, 2},  // stride and dilation without a common factor
      {1, 3, 2, 2, 1, 3, 3, 4, 1, 2, 3},  // and with one
      {1, 5, 1, 3, 2, 3, 5, 3, 2, 1, 1}, {1, 2, 3, 1, 3, 2, 3, 2, 0, 2}};
  static const SizeLists t1d = {{1, 1, 1, 1, 1, 1, 0, 1},    {2, 7, 3, 5, 3, 1, 1, 1},
                                {1, 5, 2, 3, 2, 5, 0, 1},    {1, 7, 3, 2, 3, 2, 4, 1},
                                {1, 5, 1, 2, 4, 2, 1, 1, 1}, {3, 4, 2, 1, 3, 3, 2, 2, 2},
                                {1, 6, 2, 3, 3, 4, 1, 6, 5}, {2, 11, 1, 3, 5, 1, 7, 4},
                                {1, 3, 2, 1, 5, 3, 0, 3},    {1, 2, 2, 3, 1, 3, 1, 1}};
  static const SizeLists t3d = {
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1},    {1, 2, 3, 2, 2, 3, 2, 3, 2, 1, 1, 1},
      {1, 2, 1, 3, 2, 1, 1, 2, 2, 3, 0, 1},    {1, 3, 4, 3, 1, 2, 1, 2, 2, 2, 2, 1},
      {2, 2, 2, 1, 1, 2, 2, 1, 3, 2, 0, 1, 1}, {1, 2, 1, 2, 3, 1, 2, 1, 2, 2, 0, 3, 2},
      {1, 2, 2, 2, 2, 1, 2, 2, 2, 2, 1, 2, 1}, {1, 3, 1, 2, 1, 1, 3, 2, 2, 3, 1, 1, 2}};
  SizeLists matrices_of_four = {{1, 1, 1, 1}, {1, 2, 3, 5}, {3, 1, 7, 2},   {2, 5, 1, 3},
                                {5, 3, 2, 1}, {3, 5, 7, 4}, {1, 13, 11, 2}, {4, 7, 3, 9}};
  static const std::map<std::string, SizeLists> table = {
      {"gemm",
       {{1, 1, 1}, {1, 7, 1}, {5, 1, 3}, {7, 11, 13}, {2, 31, 5}, {16, 9, 1}, {1, 8, 17}, {13, 16, 6}}},
      {"bmm", matrices_of_four},
      {"gemv", matrices},
      {"scan", {{1, 1, 1}, {1, 5, 5}, {3, 7, 4}, {2, 4, 9}, {5, 13, 1}, {1, 2, 11}, {4, 9, 8}, {7, 8, 9}}},
      {"c1d", c1d},
      {"c2d", c2d},
      {"dil",
       {{1, 7, 9, 2, 3, 3, 3, 1, 2, 2},
        {1, 5, 6, 1, 2, 2, 3, 1, 0, 2},
        {2, 8, 5, 2, 1, 3, 2, 2, 1, 3},
        {1, 3, 3, 3, 2, 2, 2, 1, 5, 4},
        {1, 13, 1, 2, 2, 3, 1, 5, 0, 6},
        {1, 1, 1, 1, 1, 1, 1, 1, 0, 5},
        {1, 9, 11, 1, 1, 3, 3, 3, 4, 4},
        {2, 6, 7, 1, 3, 4, 3, 1, 1, 2}}},
      {"c3d", c3d},
      {"t1d", t1d},
      {"t2d", t2d},
      {"t3d", t3d},
      {"grouped",
       {{1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1},
        {1, 5, 4, 6, 4, 3, 2, 1, 1, 1, 2},
        {2, 3, 3, 3, 3, 2, 2, 1, 0, 1, 3},
        {1, 7, 5, 4, 6, 2, 2, 3, 0, 1, 2},
        {1, 2, 3, 2, 4, 2, 2, 2, 3, 1, 2},
        {1, 7, 6, 5, 5, 3, 3, 1, 2, 2, 5},
        {1, 4, 4, 6, 9, 1, 1, 1, 0, 1, 3},
        {3, 3, 2, 7, 7, 3, 2, 2, 1, 1, 1}}},
      {"depthwise",
       {{1, 1, 1, 1, 1, 1, 1, 0},
        {2, 5, 7, 3, 3, 3, 1, 1},
        {1, 7, 5, 2, 2, 2, 3, 0},
        {1, 3, 4, 5, 2, 3, 2, 4},
        {1, 11, 1, 7, 3, 1, 1, 0},
        {3, 4, 6, 2, 4, 6, 1, 0},
        {1, 9, 8, 1, 5, 3, 2, 2},
        {1, 6, 13, 2, 1, 1, 5, 1}}},
      {"maxpool",
       {{1, 1, 1, 1, 1, 1, 0},
        {2, 5, 7, 3, 2, 2, 0},
        {1, 7, 5, 2, 3, 2, 1},
        {1, 3, 4, 5, 3, 1, 2},
        {1, 11, 9, 1, 2, 5, 0},
        {3, 4, 6, 2, 4, 3, 3},
        {1, 2, 2, 7, 2, 2, 1},
        {1, 13, 4, 2, 4, 7, 1}}},
      {"avgpool",
       {{1, 1, 1, 1, 1, 1, 0},
        {2, 5, 7, 3, 2, 2, 0},
        {1, 7, 5, 2, 3, 2, 1},
        {1, 3, 4, 5, 3, 1, 2},
        {1, 11, 9, 1, 2, 5, 0},
        {1, 4, 6, 2, 2, 3, 5},
        {1, 2, 2, 7, 2, 2, 1},
        {1, 13, 4, 2, 4, 7, 1}}},
      {"global_avgpool",
       {{1, 1, 1, 1},
        {1, 7, 1, 3},
        {2, 3, 5, 7},
        {3, 1, 11, 2},
        {1, 13, 2, 1},
        {5, 4, 3, 2},
        {1, 2, 17, 1},
        {2, 9, 4, 5}}},
      {"gemm_bias_relu",
       {{1, 1, 1}, {1, 7, 1}, {5, 1, 3}, {7, 11, 13}, {2, 31, 5}, {16, 9, 1}, {1, 8, 17}, {13, 16, 6}}},
      {"conv_bn_relu", c2d},
      {"attention",
       {{1, 1, 1}, {1, 5, 3}, {2, 3, 7}, {3, 1, 5}, {1, 11, 1}, {2, 7, 4}, {5, 2, 2}, {1, 8, 9}}},
      {"matmul_exp_matmul", matrices_of_four},
  };
  return table;
}

}  // namespace

std::vector<ops::Workload> shapes_of(const std::string& op) {
  const auto& table = shape_table();
  const auto at = table.find(op);
  const SizeLists& shapes = at == table.end() ? matrices : at->second;
  const ops::Operator& row = ops::find(op);
  std::vector<ops::Workload> workloads;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    ops::Workload w{.op = op, .sizes = shapes[i]};
    w.transpose_b = row.can_transpose_b && i % 2 == 1;
    if (!row.layouts.empty()) w.layout = row.layouts[i % row.layouts.size()];
    workloads.push_back(ops::make_workload(w));
    // Images are tested in both layouts on the shapes with several channels.
    if (row.layouts.size() > 1 && i % 3 == 1) {
      w.layout = row.layouts[(i + 1) % row.layouts.size()];
      workloads.push_back(ops::make_workload(w));
    }
  }
  return workloads;
}

std::vector<ops::Workload> workloads_of(const std::string& op) {
  std::vector<ops::Workload> workloads = shapes_of(op);
  const std::size_t shapes = workloads.size();
  std::size_t next = 1;  // the first shape is the trivial one
  for (const TypeCase& types : types_of(ops::find(op).arithmetic)) {
    ops::Workload w = workloads[next];
    w.in = types.in;
    w.acc = types.acc;
    w.out = types.out;
    workloads.push_back(ops::make_workload(w));
    next = next + 1 == shapes ? 1 : next + 1;
  }
  return workloads;
}

}  // namespace ardea::test
