#include <gtest/gtest.h>

#include "text_programs.h"

/// Each construct, in the form that the printer writes: text → program → the same text.

namespace ardea {
namespace {

struct Construct {
  const char* name;
  const char* lines;
};

class TextConstruct : public testing::TestWithParam<Construct> {};

TEST_P(TextConstruct, prints_back) { expect_prints_back(around(GetParam().lines)); }

std::string name_of(const testing::TestParamInfo<Construct>& info) { return info.param.name; }

constexpr Construct statements[] = {
    {"store", "A[0, n] = x"},
    {"store_of_a_number", "B[0] = -128"},
    {"evaluate", "T.evaluate(n + 1)"},
    {"no_op", "T.evaluate(0)"},
    {"effect_as_a_line", "T.barrier(\"shared\")"},
    {"pure_call_evaluated", "T.evaluate(T.exp(x))"},
    {"let", "y: T.int32 = k * 2\nT.evaluate(y + k)"},
    {"let_of_a_number", "y: T.int8 = 5\nT.evaluate(y)"},
    {"let_of_a_vector", "y: T.float32x4 = T.Broadcast(x, 4)\nT.evaluate(y + y)"},
    {"let_of_a_handle", "h: T.handle = T.address_of(A[0, 0])\nh_1 = T.Buffer((4,), data=h)\nh_1[0] = x"},
    {"let_before_more", "with T.LetStmt(k * 2) as y:\n    T.evaluate(y)\nT.evaluate(n)"},
    {"let_of_a_typed_number_before_more",
     "with T.LetStmt(T.int32(2)) as y:\n    T.evaluate(y)\nT.evaluate(n)"},
    {"allocate",
     "D = T.allocate([4, n], \"float16\", \"shared\")\nD_1 = T.Buffer((4,), \"float16\", data=D, "
     "scope=\"shared\")\nD_1[0] = T.float16(1.0)"},
    {"allocate_with_annotations",
     "D = T.allocate([4], \"int8\", \"global\", annotations={\"a\": [1, [\"b\"]]})\nT.evaluate(0)"},
    {"allocate_with_an_annotation_of_sizes",
     "D = T.allocate([4], \"int8\", \"global\", annotations={\"a\": [[0, n * 2]]})\nT.evaluate(0)"},
    {"allocate_before_more",
     "with T.allocate([4], \"int8\", \"global\") as D:\n    T.evaluate(0)\nT.evaluate(1)"},
    {"view_of_a_parameter",
     "A_1 = T.Buffer((256,), data=A.data, strides=[2], elem_offset=k, align=16)\nA_1[n] = x"},
    {"view_before_more", "with T.decl_buffer((256,), data=A.data) as A_1:\n    A_1[n] = x\nA[0, 0] = x"},
    {"if", "if p:\n    T.evaluate(1)"},
    {"if_else", "if p:\n    T.evaluate(1)\nelse:\n    T.evaluate(2)"},
    {"elif", "if p:\n    T.evaluate(1)\nelif n < 3:\n    T.evaluate(2)\nelse:\n    T.evaluate(3)"},
    {"assert", "assert n > 0, \"n is \\\"small\\\"\\n\\x01\""},
    {"masked_store", "A.vstore([0, T.Ramp(n, 1, 4)], T.Broadcast(x, 4), predicate=T.Broadcast(p, 4))"},
    {"masked_load", "T.evaluate(A.vload([k, T.Ramp(0, 2, 4)], predicate=T.Broadcast(p, 4)))"},
};
INSTANTIATE_TEST_SUITE_P(Statements, TextConstruct, testing::ValuesIn(statements), name_of);

constexpr Construct loops[] = {
    {"range", "for i in range(10):\n    T.evaluate(i)"},
    {"range_from", "for i in range(1, 10):\n    T.evaluate(i)"},
    {"range_from_to_variables", "for i in range(n, n * 2):\n    T.evaluate(i)"},
    {"range_of_an_extent", "for i in range(n, n + 4):\n    T.evaluate(i)"},
    {"range_of_int32", "for i in range(T.int32(10)):\n    T.evaluate(i)"},
    {"range_from_int32", "for i in range(T.int32(1), T.int32(10)):\n    T.evaluate(i)"},
    {"range_of_a_narrow_variable", "for i in range(k):\n    T.evaluate(i)"},
    {"grid", "for i, j in T.grid(10, n):\n    T.evaluate(i + j)"},
    {"dependent_loops", "for i in range(10):\n    for j in range(i):\n        T.evaluate(i + j)"},
    {"annotated", "for i in T.serial(10, annotations={\"a\": 1, \"b\": \"c\"}):\n    T.evaluate(i)"},
    {"parallel", "for i in T.parallel(10):\n    T.evaluate(i)"},
    {"parallel_from", "for i in T.parallel(2, 10, annotations={\"a\": T.bool(False)}):\n    T.evaluate(i)"},
    {"vectorized", "for i in T.vectorized(8):\n    T.evaluate(i)"},
    {"unroll", "for i in T.unroll(8):\n    T.evaluate(i)"},
    {"thread", "for i in T.thread_binding(8, thread=\"threadIdx.x\"):\n    T.evaluate(i)"},
    {"virtual_thread",
     "for i in T.thread_binding(8, thread=\"vthread.y\", annotations={\"a\": 1}):\n    T.evaluate(i)"},
};

constexpr Construct blocks[] = {
    {"remap",
     "# with T.block(\"root\"):\nfor i, j in T.grid(4, n):\n    with T.block(\"b\"):\n        vi, vj = "
     "T.axis.remap(\"SR\", [i, j])\n        T.evaluate(vi)"},
    {"remap_of_a_shifted_loop",
     "# with T.block(\"root\"):\nfor i in T.parallel(2, 5):\n    for j in T.unroll(3):\n        with "
     "T.block(\"b\"):\n            vi, vj = T.axis.remap(\"SO\", [i, j])\n            T.evaluate(vi)"},
    {"one_iterator",
     "# with T.block(\"root\"):\nfor i in range(4):\n    with T.block(\"b\"):\n        vi = "
     "T.axis.spatial(4, i)\n        T.evaluate(vi)"},
    {"other_domain",
     "# with T.block(\"root\"):\nfor i, j in T.grid(4, 4):\n    with T.block(\"b\"):\n        vi = "
     "T.axis.spatial(5, i)\n        vj = T.axis.spatial(4, j)\n        T.evaluate(vi)"},
    {"kinds",
     "# with T.block(\"root\"):\nwith T.block(\"b\"):\n    va = T.axis.spatial(n, 0)\n    vb = "
     "T.axis.reduce((1, n), n - 1)\n    vc = T.axis.scan((2, 10), 5)\n    vd = T.axis.opaque((n + 1) * 2, "
     "n)\n    T.evaluate(va)"},
    {"narrow_iterators",
     "# with T.block(\"root\"):\nwith T.block(\"b\"):\n    va = T.axis.spatial(T.int32(4), 1)\n    vb = "
     "T.axis.spatial(k, k - 1)\n    vc = T.axis.spatial(4, k)\n    T.evaluate(va + vb)"},
    {"head",
     "# with T.block(\"root\"):\nwith T.block(\"b\"):\n    v = T.axis.reduce(4, 0)\n    T.where(n < 3)\n    "
     "T.reads(A[v, 0:16], C[n:n + 4])\n    T.writes(A[v, v])\n    T.block_attr({\"a\": \"b\"})\n    D = "
     "T.alloc_buffer((4,), \"int8\", scope=\"local\")\n    E = T.match_buffer(A[0:4, v], (4,), strides=[16], "
     "elem_offset=0)\n    with T.init():\n        A[v, v] = T.float32(0.0)\n    A[v, v] = E[v]"},
    {"regions_left_out", "# with T.block(\"root\"):\nwith T.block(\"b\"):\n    A[0, 0] = x"},
    {"empty_regions",
     "# with T.block(\"root\"):\nwith T.block(\"b\"):\n    T.reads()\n    T.writes(A[0:16, 0:16])\n    A[0, "
     "0] = x"},
    {"allocation_only", "# with T.block(\"root\"):\nD = T.alloc_buffer((4,))\nD[0] = x"},
    {"explicit_root",
     "with T.block(\"root\"):\n    T.reads(A[0, 0])\n    T.writes()\n    T.evaluate(A[0, 0])"},
    {"root_inside_a_root",
     "with T.block(\"root\"):\n    T.reads()\n    T.writes()\n    with T.block(\"root\"):\n        "
     "T.evaluate(0)"},
    {"definition_before_a_block",
     "# with T.block(\"root\"):\ny: T.int64 = n * 2\nwith T.block(\"b\"):\n    T.evaluate(y)"},
};
INSTANTIATE_TEST_SUITE_P(Loops, TextConstruct, testing::ValuesIn(loops), name_of);
INSTANTIATE_TEST_SUITE_P(Blocks, TextConstruct, testing::ValuesIn(blocks), name_of);

constexpr Construct expressions[] = {
    {"arithmetic", "T.evaluate(n + 1 - n * 2 // 3 % 4)"},
    {"brackets", "T.evaluate((n + 1) * (n - (2 - n)) // (n * n) - -n)"},
    {"float_division", "T.evaluate(x / T.float32(3.0) + T.Cast(\"float32\", n))"},
    {"bits", "T.evaluate(n & 1 | n ^ 2 << n >> 3 & ~n)"},
    {"bits_in_brackets", "T.evaluate((n | 1) & n << (1 << n))"},
    {"comparisons", "T.evaluate(n == 1 and n != 2 or n < 3 and not n <= 4 or n > 5 and n >= 6)"},
    {"logic_in_brackets", "T.evaluate((p or p) and not (p and p == p))"},
    {"comparison_of_comparisons", "T.evaluate((n < 1) == (n < 2))"},
    {"negative_numbers", "T.evaluate(n * -5 - -9223372036854775808)"},
    {"negation", "T.evaluate(-T.int64(5) + --n + -(n + 1))"},
    {"constants", "T.evaluate(T.Select(p, T.int8(-128), T.int8(127)))"},
    {"large_unsigned", "T.evaluate(T.uint64(18446744073709551615))"},
    {"bool_constants", "T.evaluate(p == T.bool(True) or T.bool(False))"},
    {"floats", "T.evaluate(T.float64(0.1) + T.float64(1e+300) * T.float64(-0.0))"},
    {"smallest_float", "T.evaluate(T.float32(1e-45) + T.float32(0.1) + T.float32(16777216.0))"},
    {"narrow_floats",
     "T.evaluate(T.Cast(\"float32\", T.float8_e4m3(448.0)) + T.Cast(\"float32\", T.bfloat16(0.1)))"},
    {"not_numbers",
     "T.evaluate(T.float32(\"nan\") + T.float32(\"-nan\") + T.float32(\"inf\") - T.float32(\"-inf\"))"},
    {"extremes", "T.evaluate(T.min(n, 1) + T.max(T.truncdiv(n, 2), T.truncmod(n, 3)))"},
    {"choice", "T.evaluate(T.Select(p, n, 0) + T.if_then_else(p, 1, n))"},
    {"vectors", "T.evaluate(T.Ramp(n, 2, 4) + T.Broadcast(n, 4))"},
    {"vector_of_a_narrow_number", "T.evaluate(T.Broadcast(T.int8(1), 4))"},
    {"shuffle", "T.evaluate(T.Shuffle([T.Ramp(n, 2, 4), T.Broadcast(n, 2)], [5, 0, 1]))"},
    {"slices", "A[0, 4:8] = A[n, n:n + 4] + A[k, n:n + 16:4]"},
    {"slices_of_constants", "A[0, 0:4] = A[1, 2:10:2]"},
    {"slice_of_a_narrow_base", "A[0, T.Cast(\"int64\", k):T.Cast(\"int64\", k) + 4] = T.Broadcast(x, 4)"},
    {"backward_vector", "T.evaluate(A[0, T.Ramp(8, -1, 4)])"},
    {"let_expression", "T.evaluate(T.Let(y * y, where={y: n + 1}))"},
    {"nested_lets", "T.evaluate(T.Let(T.Let(y * z, where={z: y + n}), where={y: n}))"},
    {"intrinsics", "T.evaluate(T.pow(x, T.fma(x, x, T.float32(1.0))) + T.sqrt(T.abs(x)))"},
    {"stated_types",
     "T.evaluate(T.reinterpret(\"int32\", x) + T.call_registered(\"f\", 1, x, \"s\", dtype=\"int32\"))"},
    {"memory", "T.call_registered(\"f\", A.data, T.address_of(A[n, 0]), dtype=\"void\")"},
    {"tests_of_floats", "T.evaluate(T.isnan(x) or T.isfinite(x))"},
    {"load_as_an_index", "T.evaluate(A[C[n], B[k]])"},
};
INSTANTIATE_TEST_SUITE_P(Expressions, TextConstruct, testing::ValuesIn(expressions), name_of);

TEST(TextFunctions, print_back) {
  for (const char* text : {
           "def empty():\n    T.evaluate(0)\n",
           "def scalar_of_a_handle(h: T.handle):\n    h_1 = T.Buffer((4,), data=h)\n    h_1[0] = "
           "T.float32(0.0)\n",
           "def no_dimensions(A: T.Buffer((), \"int8\")):\n    A[()] = A[()] + 1\n",
           "def layout(A: T.Buffer((4, 4), \"float32\", strides=[8, 1], elem_offset=2, scope=\"shared\", "
           "align=16)):\n    T.evaluate(0)\n",
           "def extents_from_scalars(A: T.Buffer((n, m + 1), \"float32\"), n: T.int64, m: T.int32):\n    "
           "T.evaluate(0)\n",
           "def symbolic(a: T.handle, b: T.handle):\n    T.func_attr({\"k\": 1})\n    n = T.int64()\n    m = "
           "T.int32()\n"
           "    A = T.match_buffer(a, (n, m))\n    B = T.match_buffer(b, (m,), \"int8\", strides=[n])\n"
           "    for i in range(n):\n        A[i, 0] = T.float32(0.0)\n",
       })
    expect_prints_back(text_header + text);
}

TEST(TextFunctions, of_narrow_indices_say_so) {
  const std::string head = "# from tvm.script import tir as T\n\n";
  expect_prints_back(
      head +
      "@T.prim_func(exact_types=True)\ndef f(A: T.Buffer((16,), \"float32\"), k: T.int32):\n"
      "    for i in range(T.int32(4)):\n        y: T.int64 = T.Cast(\"int64\", i)\n"
      "        A[i + k] = A[y + T.Cast(\"int64\", i)] + A[T.int32(0)]\n"
      "        A[i:i + 4] = A[T.int32(0):T.int32(4)] + A[T.Ramp(T.int8(100), T.int8(10), 4)]\n");
  // The same words without the decorator mean widened indices.
  const Function f =
      parse_function(text_header + "def f(A: T.Buffer((16,), \"float32\"), k: T.int32):\n    A[k] = A[k]\n");
  EXPECT_EQ(f.body.as<Store>()->indices[0].type(), int64);
}

TEST(TextModules, print_back) {
  const std::string head =
      "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\n";
  expect_prints_back(head + "class Empty:\n    pass\n");
  expect_prints_back(
      head +
      "class Two:\n    @T.prim_func\n    def f():\n        T.evaluate(0)\n\n    @T.prim_func\n    def g():\n"
      "        T.evaluate(1)\n");
  expect_prints_back(text_header +
                     "def f():\n    T.evaluate(0)\n\n@T.prim_func\ndef g():\n    T.evaluate(1)\n");
}

TEST(TextModules, give_each_parsed_block_an_id_of_its_own) {
  const std::string text = around("with T.block(\"b\"):\n    T.evaluate(0)");
  EXPECT_NE(root_block(parse_function(text))->id, root_block(parse_function(text))->id);
}

}  // namespace
}  // namespace ardea
