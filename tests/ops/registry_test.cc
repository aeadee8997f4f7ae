#include <gtest/gtest.h>

#include <set>

#include "ardea/ops/registry.h"
#include "ardea/support/text_file.h"
#include "tests/ops/cases.h"
#include "tests/ops/exact.h"

namespace ardea::test {
namespace {

using ops::make_workload;
using ops::Workload;

std::string refusal(const Workload& w) {
  return error_of([&] { make_workload(w); });
}

TEST(Registry, has_every_operator_with_its_sizes_in_order) {
  const std::vector<std::pair<std::string, std::string>> wanted = {
      {"gemm", "m,k,n"},
      {"bmm", "b,m,k,n"},
      {"gemv", "m,k"},
      {"c1d", "n,w,ci,co,k,stride,pad,dilation"},
      {"t1d", "n,w,ci,co,k,stride,pad,dilation[,output_padding]"},
      {"c2d", "n,h,w,ci,co,kh,kw,stride,pad,dilation"},
      {"dil", "n,h,w,ci,co,kh,kw,stride,pad,dilation"},
      {"t2d", "n,h,w,ci,co,kh,kw,stride,pad,dilation[,output_padding]"},
      {"c3d", "n,d,h,w,ci,co,kd,kh,kw,stride,pad,dilation"},
      {"t3d", "n,d,h,w,ci,co,kd,kh,kw,stride,pad,dilation[,output_padding]"},
      {"grouped", "n,h,w,ci,co,kh,kw,stride,pad,dilation,groups"},
      {"depthwise", "n,h,w,c,kh,kw,stride,pad"},
      {"scan", "m,n,k"},
      {"mean", "m,n"},
      {"var", "m,n"},
      {"softmax", "m,n"},
      {"layernorm", "m,n"},
      {"reduce_sum", "m,n"},
      {"reduce_max", "m,n"},
      {"argmax", "m,n"},
      {"batchnorm", "m,n"},
      {"relu", "m,n"},
      {"add", "m,n"},
      {"mul", "m,n"},
      {"sigmoid", "m,n"},
      {"tanh", "m,n"},
      {"gelu", "m,n"},
      {"bias_add", "m,n"},
      {"transpose", "m,n"},
      {"maxpool", "n,h,w,c,k,stride,pad"},
      {"avgpool", "n,h,w,c,k,stride,pad"},
      {"global_avgpool", "n,h,w,c"},
      {"gemm_bias_relu", "m,k,n"},
      {"conv_bn_relu", "n,h,w,ci,co,kh,kw,stride,pad,dilation"},
      {"attention", "heads,seq,dim"},
      {"matmul_exp_matmul", "m,k,l,n"}};
  EXPECT_EQ(wanted.size(), ops::operators().size());
  for (const auto& [name, sizes] : wanted) EXPECT_EQ(ops::size_names(ops::find(name)), sizes) << name;
  for (const char* name : {"c2d", "dil", "t2d"})
    EXPECT_EQ(ops::find(name).layouts, (std::vector<std::string>{"nchw", "nhwc"}));
}

TEST(Registry, every_operator_is_tested_on_eight_shapes_and_is_documented) {
  const std::string guide = read_text_file(ARDEA_SOURCE_DIR "/docs/operators.md");
  for (const ops::Operator& op : ops::operators()) {
    std::set<std::vector<std::int64_t>> shapes;
    for (const Workload& w : shapes_of(op.name)) shapes.insert(w.sizes);
    EXPECT_GE(shapes.size(), 8u) << op.name;
    EXPECT_NE(guide.find("| `" + op.name + "` | `" + ops::size_names(op) + "` |"), std::string::npos)
        << op.name << " has no row with its sizes in docs/operators.md";
    EXPECT_FALSE(op.doc.empty() || op.formula.empty() || op.flop_formula.empty() || op.output.empty());
  }
}

TEST(Registry, promises_the_shapes_that_it_builds) {
  for (const ops::Operator& op : ops::operators())
    for (const Workload& w : workloads_of(op.name)) {
      EXPECT_EQ(make_workload(w), w);  // nothing is left to fill in
      const std::vector<ops::Shape> promised = op.shapes(w);
      const std::vector<te::Tensor> built = ops::build(w);
      ASSERT_EQ(promised.size(), built.size());
      for (std::size_t i = 0; i < built.size(); ++i) {
        std::vector<std::int64_t> want, got;
        for (const ops::Count extent : promised[i]) want.push_back(extent.value());
        for (const Expr& extent : built[i].shape()) got.push_back(constant_int(extent).value_or(-1));
        EXPECT_EQ(got, want) << ops::to_string(w);
        EXPECT_EQ(built[i].type(), i < w.in.size() ? w.in[i] : w.out) << ops::to_string(w);
      }
    }
}

TEST(Registry, counts_operations_and_bytes) {
  const struct {
    Workload workload;
    int flops = 0, bytes = 0;
  } cases[] = {
      {{"gemm", {64, 32, 16}}, 65536, 4 * (64 * 32 + 32 * 16 + 64 * 16)},
      {{"gemm", {64, 32, 16}, {int8}}, 65536, 64 * 32 + 32 * 16 + 4 * 64 * 16},
      {{"gemm", {3, 5, 7}, {int4}}, 210, 8 + 18 + 84},  // halves of a byte round up
      {{"bmm", {2, 3, 5, 7}}, 420, 4 * (30 + 70 + 42)},
      {{"gemv", {3, 5}, {float16}}, 30, 2 * (15 + 5 + 3)},
      {{"c2d", {1, 5, 5, 2, 3, 3, 3, 1, 1, 1}}, 2 * 75 * 18, 4 * (50 + 54 + 75)},
      {{"t2d", {1, 3, 3, 2, 3, 2, 2, 2, 0, 1}}, 2 * 9 * 6 * 4, 4 * (18 + 24 + 108)},
      {{"grouped", {1, 4, 4, 4, 6, 1, 1, 1, 0, 1, 2}}, 2 * 16 * 6 * 2, 4 * (64 + 12 + 96)},
      {{"depthwise", {1, 4, 4, 3, 2, 2, 2, 0}}, 2 * 3 * 4 * 4, 4 * (48 + 12 + 12)},
      {{"scan", {2, 5, 3}}, 2 * (0 + 1 + 2 + 3 + 3), 4 * (6 + 10)},
      {{"scan", {2, 3, 9}}, 2 * (0 + 1 + 2), 4 * (18 + 6)},
      {{"mean", {3, 5}}, 18, 4 * (15 + 3)},
      {{"softmax", {3, 5}, {bfloat16}}, 75, 2 * (15 + 15)},
      {{"layernorm", {3, 5}}, 156, 4 * (15 + 5 + 5 + 15)},
      {{"transpose", {3, 5}}, 0, 120},
      {{"maxpool", {1, 4, 4, 3, 2, 2, 0}}, 12 * 4, 4 * (48 + 12)},
      {{"avgpool", {1, 4, 4, 3, 2, 2, 0}}, 12 * 5, 4 * (48 + 12)},
      {{"gemm_bias_relu", {2, 3, 4}, {int8}}, 48 + 16, 6 + 12 + 16 + 32},
      {{"attention", {2, 3, 5}}, 2 * 9 * 26, 4 * 4 * 30},
      {{"matmul_exp_matmul", {2, 3, 4, 5}}, 48 + 8 + 80, 4 * (6 + 12 + 20 + 10)},
  };
  for (const auto& c : cases) {
    const Workload w = make_workload(c.workload);
    EXPECT_EQ(ops::flops(w), c.flops) << ops::to_string(w);
    EXPECT_EQ(ops::bytes(w), c.bytes) << ops::to_string(w);
  }
}

TEST(Registry, names_the_nearest_operators) {
  EXPECT_EQ(error_of([] { ops::find("gem"); }),
            "there is no operator called \"gem\"; did you mean gemm, gemv or bmm?");
  EXPECT_EQ(refusal({"softmaxx", {2, 2}}), "there is no operator called \"softmaxx\"; did you mean softmax?");
  EXPECT_EQ(error_of([] {
              ops::find("fast_fourier");
            }).rfind("there is no operator called \"fast_fourier\"; there are gemm, ", 0),
            0u);
}

TEST(Registry, refuses_a_wrong_number_of_sizes) {
  EXPECT_EQ(refusal({"gemm", {64, 64}}), "gemm: 2 sizes are given, but it takes 3: m,k,n");
  EXPECT_EQ(refusal({"gemv", {1}}), "gemv: 1 size is given, but it takes 2: m,k");
  EXPECT_EQ(refusal({"t1d", {1, 2}}),
            "t1d: 2 sizes are given, but it takes 8 or 9: n,w,ci,co,k,stride,pad,dilation[,output_padding]");
}

TEST(Registry, refuses_sizes_that_make_no_sense) {
  EXPECT_EQ(refusal({"gemm", {64, 0, 64}}), "gemm: k is 0, must be at least 1");
  EXPECT_EQ(refusal({"relu", {-3, 5}}), "relu: m is -3, must be at least 1");
  EXPECT_EQ(refusal({"c1d", {1, 8, 2, 2, 3, 1, -1, 1}}), "c1d: pad is -1, must be at least 0");
  EXPECT_EQ(refusal({"gemm", {1 << 30, 1 << 30, 1 << 30}}),
            "gemm: with m=1073741824, k=1073741824, n=1073741824 an array or the number of operations does "
            "not fit in "
            "63 bits; choose smaller sizes");
  EXPECT_EQ(
      refusal({"add", {std::int64_t{1} << 62, 4}}),
      "add: with m=4611686018427387904, n=4 an array or the number of operations does not fit in 63 bits; "
      "choose smaller sizes");
  // Neither argument nor result, but the padded image between them.
  constexpr std::int64_t far = 1 << 30;
  EXPECT_EQ(refusal({"c2d", {1, 1, 1, 1, 1, 1, 1, far, far, 1}}),
            "c2d: with n=1, h=1, w=1, ci=1, co=1, kh=1, kw=1, stride=1073741824, pad=1073741824, dilation=1 "
            "an array "
            "or the number of operations does not fit in 63 bits; choose smaller sizes");
  EXPECT_EQ(
      refusal({"c2d", {1, 4, 4, 1, 1, 5, 1, 1, 0, 1}}),
      "c2d: the output's h comes out as 0: a window of 5 elements 1 apart does not fit in 4 elements with "
      "padding 0 at both ends; enlarge h or the padding, or reduce the window");
  EXPECT_EQ(
      refusal({"t1d", {1, 2, 1, 1, 1, 1, 3, 1}}),
      "t1d: the output's w comes out as -4: (2 - 1) * stride 1 + dilation 1 * (1 - 1) + output padding 0 + 1 "
      "- 2 * padding 3; reduce the padding");
  EXPECT_EQ(refusal({"t1d", {1, 2, 1, 1, 1, 2, 0, 1, 2}}),
            "t1d: output padding is 2, must be at least 0 and less than the stride 2 or the dilation 1");
  EXPECT_EQ(refusal({"grouped", {1, 4, 4, 6, 4, 1, 1, 1, 0, 1, 3}}),
            "grouped: 6 input and 4 output channels do not both divide into 3 groups");
}

TEST(Registry, refuses_layouts_and_transpositions_that_are_not_there) {
  EXPECT_EQ(refusal({.op = "c2d", .sizes = {1, 4, 4, 1, 1, 1, 1, 1, 0, 1}, .layout = "chwn"}),
            "c2d: there is no layout \"chwn\"; choose nchw or nhwc");
  EXPECT_EQ(refusal({.op = "gemm", .sizes = {1, 1, 1}, .layout = "nchw"}),
            "gemm: layout nchw is given, but it has no choice of layouts; leave it out");
  EXPECT_EQ(refusal({.op = "relu", .sizes = {1, 1}, .transpose_b = true}),
            "relu: it has no B to transpose; leave transpose_b (--tb) out");
}

TEST(Registry, refuses_types_that_make_no_sense) {
  const std::vector<std::int64_t> s = {4, 4, 4};
  EXPECT_EQ(
      refusal({"gemm", s, {float32, float32, float32}}),
      "gemm: 3 input types are given, but it has 2 inputs: A, B; give one type for all, or one for each");
  EXPECT_EQ(
      refusal({"softmax", {4, 4}, {int8}}),
      "softmax: an input is int8, but it needs floats: float16, bfloat16, float32, float64, float8_e4m3 or "
      "float8_e5m2");
  EXPECT_EQ(refusal({"gemm", s, {boolean}}).rfind("gemm: an input is bool, but it needs numbers: ", 0), 0u);
  EXPECT_EQ(refusal({"gemm", s, {float32, int32}}),
            "gemm: no type can hold float32 or int32 together; give inputs of one kind, or a float beside "
            "int4, uint4, "
            "int8 or uint8");
  EXPECT_EQ(refusal({"add", {4, 4}, {float32, int8}}),
            "add: no type can hold float32 or int8 together; give inputs of one kind");
  EXPECT_EQ(refusal({"gemm", s, {float16}, int32}),
            "gemm: inputs of float16 cannot be computed in int32; choose float32, float16 or float64");
  EXPECT_EQ(
      refusal({"gemm", s, {int8}, no_type, float32}),
      "gemm: values computed in int32 cannot be stored as float32; choose int4, uint4, int8, uint8, int32 or "
      "int64");
  EXPECT_EQ(refusal({"transpose", {4, 4}, {int8}, no_type, int32}),
            "transpose: values computed in int8 cannot be stored as int32; choose int8");
}

TEST(Registry, fills_in_the_default_types) {
  const auto types = [](const Workload& w) {
    const Workload made = make_workload(w);
    return std::vector<DataType>{made.acc, made.out};
  };
  using T = std::vector<DataType>;
  const std::vector<std::int64_t> s = {4, 4, 4};
  EXPECT_EQ(types({"gemm", s}), (T{float32, float32}));
  EXPECT_EQ(types({"gemm", s, {float16}}), (T{float32, float16}));
  EXPECT_EQ(types({"gemm", s, {bfloat16}}), (T{float32, bfloat16}));
  EXPECT_EQ(types({"gemm", s, {float64}}), (T{float64, float64}));
  EXPECT_EQ(types({"gemm", s, {float8_e4m3}}), (T{float32, float32}));
  EXPECT_EQ(types({"gemm", s, {int8}}), (T{int32, int32}));
  EXPECT_EQ(types({"gemm", s, {uint8, int8}}), (T{int32, int32}));
  EXPECT_EQ(types({"gemm", s, {float16, int4}}), (T{float32, float16}));
  EXPECT_EQ(types({"reduce_max", {4, 4}, {int8}}), (T{int8, int8}));
  EXPECT_EQ(types({"reduce_sum", {4, 4}, {int8}}), (T{int32, int32}));
  EXPECT_EQ(types({"add", {4, 4}, {int8}}), (T{int32, int8}));
  EXPECT_EQ(types({"add", {4, 4}, {float16, float32}}), (T{float32, float32}));
  EXPECT_EQ(types({"transpose", {4, 4}, {int4}}), (T{int4, int4}));
  EXPECT_EQ(make_workload({"gemm_bias_relu", s, {int8}}).in, (T{int8, int8, int32}));
  EXPECT_EQ(make_workload({"gemm_bias_relu", s, {uint8, int8}}).in, (T{uint8, int8, int32}));
  EXPECT_EQ(make_workload({"gemm_bias_relu", s, {float16}}).in, (T{float16, float16, float16}));
}

TEST(Registry, reads_sizes_and_types) {
  EXPECT_EQ(ops::parse_sizes("64,-1,7"), (std::vector<std::int64_t>{64, -1, 7}));
  EXPECT_EQ(ops::parse_types("uint8,int8"), (std::vector<DataType>{uint8, int8}));
  const auto sizes = [](const std::string& text) { return error_of([&] { ops::parse_sizes(text); }); };
  const std::string way_out = " is no whole number; write numbers with commas between them, as 64,64,64";
  EXPECT_EQ(sizes(""), "sizes \"\": \"\"" + way_out);
  EXPECT_EQ(sizes("64,,64"), "sizes \"64,,64\": \"\"" + way_out);
  EXPECT_EQ(sizes("64x64"), "sizes \"64x64\": \"64x64\"" + way_out);
  EXPECT_EQ(sizes("1e3"), "sizes \"1e3\": \"1e3\"" + way_out);
  EXPECT_EQ(sizes("99999999999999999999"),
            "sizes \"99999999999999999999\": 99999999999999999999 does not fit in 63 bits");
  EXPECT_EQ(error_of([] { ops::parse_types("flaot32"); }),
            "there is no element type called \"flaot32\"; did you mean float32?");
  EXPECT_EQ(
      error_of([] { ops::parse_types("int8x4"); }).rfind("there is no element type called \"int8x4\"", 0),
      0u);
}

TEST(Registry, a_workload_names_itself_in_one_line) {
  EXPECT_EQ(ops::to_string(make_workload({.op = "t1d", .sizes = {1, 8, 2, 3, 3, 1, 0, 1}, .in = {float16}})),
            "t1d 1,8,2,3,3,1,0,1,0 in=float16,float16 acc=float32 out=float16 layout=ncw");
}

}  // namespace
}  // namespace ardea::test
