#include <gtest/gtest.h>

#include "text_programs.h"

/// Bad programs, and the sentence each is answered with: place, fact, way out.

namespace ardea {
namespace {

struct WrongText {
  const char* name;
  const char* text;
  const char* message;  ///< after the name of the text
};

std::string name_of_wrong(const testing::TestParamInfo<WrongText>& info) { return info.param.name; }

void expect_error(const std::string& text, const std::string& message) {
  try {
    parse(text, "bad.tir");
    ADD_FAILURE() << "accepted:\n" << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "bad.tir:" + message) << text;
  }
}

// clang-format off

constexpr WrongText whole_texts[] = {
    {"empty_text", "",
     "1:1: found the end of the text, expected @I.ir_module or @T.prim_func"},
    {"only_comments", "# nothing\n",
     "2:1: found the end of the text, expected @I.ir_module or @T.prim_func"},
    {"no_decorator", "def f():\n    pass\n",
     "1:1: found 'def', expected @I.ir_module or @T.prim_func"},
    {"wrong_decorator", "@T.prim_fun\ndef f():\n    pass\n",
     "1:4: found 'prim_fun', expected 'prim_func'"},
    {"unknown_decorator_option", "@T.prim_func(private=True)\ndef f():\n    pass\n",
     "1:14: found 'private', expected 'exact_types'"},
    {"truncated_head", "@T.prim_func\ndef f(A: T.Buffer((16",
     "2:22: found the end of the text, expected ')'"},
    {"truncated_after_colon", "@T.prim_func\ndef f():",
     "2:9: found the end of the text, expected an indented line"},
    {"body_not_indented", "@T.prim_func\ndef f():\npass\n",
     "3:1: found 'pass', expected an indented line"},
    {"text_after_the_module", "@I.ir_module\nclass M:\n    @T.prim_func\n    def f():\n        pass\nx\n",
     "6:1: found 'x', expected the end of the text after the module"},
    {"function_twice", "@T.prim_func\ndef f():\n    pass\n@T.prim_func\ndef f():\n    pass\n",
     "4:1: the function f is defined twice"},
    {"parameter_twice", "@T.prim_func\ndef f(n: T.int32, n: T.int32):\n    pass\n",
     "2:19: the parameter n is given twice"},
    {"unknown_parameter_type", "@T.prim_func\ndef f(n: T.int31):\n    pass\n",
     "2:12: there is no type \"int31\"; did you mean int32, int16 or int4?"},
    {"vector_parameter", "@T.prim_func\ndef f(n: T.int32x4):\n    pass\n",
     "2:10: the parameter n is int32x4, must be a scalar, T.handle or T.Buffer"},
    {"unknown_extent", "@T.prim_func\ndef f(A: T.Buffer((m,), \"float32\"), n: T.int64):\n    pass\n",
     "2:20: there is no variable or buffer m here; did you mean n?"},
    {"unknown_element_type", "@T.prim_func\ndef f(A: T.Buffer((4,), \"float23\")):\n    pass\n",
     "2:25: there is no type \"float23\"; did you mean float16, float32 or float64?"},
    {"zero_extent", "@T.prim_func\ndef f(A: T.Buffer((4, 0), \"float32\")):\n    pass\n",
     "2:19: buffer A: the extent 0 is not positive"},
    {"negative_extent", "@T.prim_func\ndef f(A: T.Buffer((-4,), \"float32\")):\n    pass\n",
     "2:19: buffer A: the extent -4 is not positive"},
    {"float_extent", "@T.prim_func\ndef f(A: T.Buffer((1.5,), \"float32\")):\n    pass\n",
     "2:20: extents must be integers, this one is float32"},
    {"too_large", "@T.prim_func\ndef f(A: T.Buffer((4294967296, 1073741824, 2), \"float32\")):\n    pass\n",
     "2:19: buffer A: (4294967296, 1073741824, 2) elements of float32 are more than 2^62 bytes"},
    {"strides_of_another_rank", "@T.prim_func\ndef f(A: T.Buffer((4, 4), \"float32\", strides=[4])):\n    pass\n",
     "2:19: buffer A: 1 strides for 2 dimensions"},
    {"unknown_buffer_keyword", "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\", offset=4)):\n    pass\n",
     "2:36: there is no offset= here; the keywords are dtype=, strides=, elem_offset=, scope=, align="},
    {"unknown_scope", "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\", scope=\"gobal\")):\n    pass\n",
     "2:42: there is no scope \"gobal\"; the scopes are global, shared, shared.dyn, warp, local, register, scratchpad.*, wmma.*, mma.*, amx.*, vta.*"},
    {"odd_alignment", "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\", align=3)):\n    pass\n",
     "2:42: align=3 is not a power of two"},
    {"extent_of_no_parameter", "@T.prim_func\ndef f(a: T.handle):\n    n = T.int64()\n    A = T.match_buffer(a, (4,))\n    pass\n",
     "3:5: n is an extent of no parameter"},
    {"float_symbolic_extent", "@T.prim_func\ndef f(a: T.handle):\n    n = T.float32()\n    pass\n",
     "3:11: the symbolic extent n is float32, must be an integer"},
    {"match_of_a_scalar", "@T.prim_func\ndef f(a: T.int32):\n    A = T.match_buffer(a, (4,))\n    pass\n",
     "3:24: T.match_buffer: a is no T.handle parameter"},
    {"load_in_a_parameter_shape", "@T.prim_func\ndef f(a: T.handle, b: T.handle):\n    A = T.match_buffer(a, (4,), \"int32\")\n    B = T.match_buffer(b, (A[0],))\n    pass\n",
     "4:5: the shape of the parameter B must be arithmetic on extents"},
    {"tab", "@T.prim_func\ndef f():\n\tpass\n",
     "3:1: a tab in the indentation; indent with spaces"},
    {"odd_indentation", "@T.prim_func\ndef f():\n    if True:\n        pass\n      pass\n",
     "5:7: this line is indented like no line around it"},
    {"deeper_line", "@T.prim_func\ndef f():\n    pass\n      pass\n",
     "4:7: this line is indented deeper than the one before"},
    {"other_alphabet", "@T.prim_func\ndef f():\n    α = 1\n",
     "3:5: a character outside ASCII; names are letters a to z, digits and _"},
};

/// Lines of a function `def f(A: 16x16 float32, B: 64 int8, C: 64 int64, n: int64, k: int32, x: float32, p: bool)`.
constexpr WrongText lines_of_a_function[] = {
    {"open_string", "assert p, \"message",
     "3:23: found the end of the line inside a string, expected its closing quote"},
    {"bad_escape", "assert p, \"\\q\"",
     "3:16: an escape other than \\n, \\r, \\t, \\0, \\\\, \\\", \\' or \\xNN in a string"},
    {"huge_integer", "T.evaluate(99999999999999999999)",
     "3:16: the integer 99999999999999999999 does not fit 64 bits"},
    {"integer_over_int64", "T.evaluate(n + 9223372036854775808)",
     "3:18: the constant 9223372036854775808 does not fit int64"},
    {"number_then_letter", "T.evaluate(12ab)",
     "3:18: found 'a' right after the number 12"},
    {"unknown_name", "A[0, 0] = xx",
     "3:15: there is no variable or buffer xx here; did you mean x?"},
    {"unknown_buffer", "D[0] = x",
     "3:5: there is no variable or buffer D here; did you mean A, B or C?"},
    {"unknown_function", "A[0, 0] = T.sqroot(x)",
     "3:17: there is no T.sqroot; did you mean sqrt or rsqrt?"},
    {"unknown_cast_type", "A[0, 0] = T.Cast(\"flot32\", n)",
     "3:22: there is no type \"flot32\"; did you mean float32, float16 or float64?"},
    {"buffer_without_index", "A[0, 0] = A",
     "3:15: A is a buffer; write an element such as A[…], or A.data for its memory"},
    {"index_of_a_variable", "T.evaluate(n[0])",
     "3:16: n is a variable, only buffers have elements"},
    {"too_few_indices", "A[0] = x",
     "3:5: A[…]: 1 indices for 2 dimensions"},
    {"float_index", "A[0, x] = x",
     "3:5: A[…]: index 2 is float32, must be an integer"},
    {"value_of_another_type", "A[0, 0] = n",
     "3:5: A[…] = …: the value is int64, the place float32; cast the value"},
    {"narrowing_store", "B[0] = k",
     "3:5: B[…] = …: the value is int32, the place int8; cast the value"},
    {"mixed_operands", "T.evaluate(n + x)",
     "3:18: +: the operands n and x are int64 and float32; cast one of them"},
    {"integer_division", "T.evaluate(n / 2)",
     "3:18: /: the operands are int64; integers divide by floor_div(a, b), in text a // b, or by trunc_div(a, b), in text T.truncdiv(a, b)"},
    {"chained_comparison", "T.evaluate(0 < n < 4)",
     "3:22: comparisons do not chain; write a < b and b < c"},
    {"power", "T.evaluate(n ** 2)",
     "3:18: there is no operator **; write T.pow(x, y)"},
    {"number_that_does_not_fit", "B[0] = 128",
     "3:5: the constant 128 does not fit int8, whose values are -128 to 127"},
    {"negative_unsigned", "T.evaluate(T.uint8(-1))",
     "3:18: the constant -1 does not fit uint8, whose values are 0 to 255"},
    {"float_that_does_not_fit", "T.evaluate(T.float16(70000.0))",
     "3:18: the number 70000.0 does not fit float16"},
    {"real_for_an_integer", "T.evaluate(T.int32(1.5))",
     "3:18: the number 1.5 is not of type int32"},
    {"word_for_a_float", "T.evaluate(T.float32(\"infinite\"))",
     "3:18: T.float32(\"infinite\"): expected a number, \"inf\", \"-inf\", \"nan\" or \"-nan\""},
    {"no_infinity", "T.evaluate(T.infinity(\"float8_e4m3\"))",
     "3:18: float8_e4m3 has no infinity"},
    {"arithmetic_on_a_storage_type", "T.evaluate(T.float8_e4m3(1.0) + T.float8_e4m3(1.0))",
     "3:35: + on float8_e4m3: this type can only be loaded, cast and stored; cast it first"},
    {"condition_of_an_integer", "if n:\n    pass",
     "3:8: if: the condition is int64, must be a scalar bool"},
    {"wrong_number_of_arguments", "T.evaluate(T.exp(x, x))",
     "3:18: T.exp: takes 1 argument, got 2"},
    {"exp_of_an_integer", "T.evaluate(T.exp(n))",
     "3:18: T.exp: argument 1 is int64, must be a float16, bfloat16, float32 or float64"},
    {"missing_stated_type", "T.call_registered(\"f\", n)",
     "3:7: T.call_registered: the call must state its type, as in T.call_registered(…, dtype=\"float32\")"},
    {"one_lane", "T.evaluate(T.Broadcast(x, 1))",
     "3:18: T.Broadcast: 1 lanes, must be 2 to 4096"},
    {"slice_without_a_constant_length", "A[0, 0:n] = x",
     "3:10: the slice of a vector needs a constant length, as in A[i:i + 4]"},
    {"slice_with_an_odd_step", "T.evaluate(A[0, 0:5:2])",
     "3:21: the slice is 5 long, which its step 2 does not divide"},
    {"statement_in_an_expression", "T.evaluate(T.allocate([4], \"float32\"))",
     "3:18: T.allocate stands in no expression, but on a line of its own"},
    {"expression_as_a_line", "n + 1",
     "3:7: found '+', expected '=', ':' or an element such as A[i] on the left of '='"},
    {"constant_as_a_line", "T.int32(5)",
     "3:5: found an expression, expected a statement; T.evaluate(…) makes it one"},
    {"else_alone", "else:\n    pass",
     "3:5: found 'else', expected a statement"},
    {"while", "while p:\n    pass",
     "3:5: found 'while', expected a statement"},
    {"augmented", "A[0, 0] += x",
     "3:13: found '+=', expected '='"},
    {"loop_over_a_variable", "for i in n:\n    pass",
     "3:14: found 'n', expected range(…), T.grid(…), or a loop such as T.parallel(…)"},
    {"unknown_loop", "for i in T.simd(4):\n    pass",
     "3:16: there is no loop T.simd; the loops are range, T.grid, T.serial, T.parallel, T.vectorized, T.unroll, T.thread_binding"},
    {"two_names_for_one_range", "for i, j in range(4):\n    pass",
     "3:9: 2 loop variables for 1 ranges"},
    {"float_range", "for i in range(x):\n    pass",
     "3:20: the extent of a loop is float32, must be an integer"},
    {"unknown_thread", "for i in T.thread_binding(4, thread=\"threadIdx.w\"):\n    pass",
     "3:41: there is no thread \"threadIdx.w\"; the threads are threadIdx.x, threadIdx.y, threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z, vthread, vthread.x, vthread.y, vthread.z"},
    {"no_thread", "for i in T.thread_binding(4):\n    pass",
     "3:16: T.thread_binding must say which thread, as in T.thread_binding(32, thread=\"threadIdx.x\")"},
    {"reads_outside_a_block", "T.reads(A[0, 0])",
     "3:7: T.reads stands at the head of a block, before its first statement"},
    {"reads_after_a_statement", "with T.block(\"b\"):\n    T.evaluate(0)\n    T.reads(A[0, 0])",
     "5:11: T.reads stands at the head of a block, before its first statement"},
    {"reads_twice", "with T.block(\"b\"):\n    T.reads()\n    T.reads()\n    pass",
     "5:11: T.reads is given twice in block \"b\""},
    {"allocation_in_a_loop", "for i in range(4):\n    D = T.alloc_buffer((4,))",
     "4:15: T.alloc_buffer stands at the head of a block, before its first statement"},
    {"axis_outside_a_block", "v = T.axis.spatial(4, 0)",
     "3:11: T.axis stands at the head of a block, before its first statement"},
    {"unknown_axis", "with T.block(\"b\"):\n    v = T.axis.parallel(4, 0)",
     "4:20: there is no T.axis.parallel; the kinds are spatial, reduce, scan, opaque and remap"},
    {"remap_of_a_scalar", "with T.block(\"b\"):\n    v = T.axis.remap(\"S\", [n])",
     "4:32: T.axis.remap: n is not the variable of a loop"},
    {"remap_of_too_few", "for i in range(4):\n    with T.block(\"b\"):\n        v, w = T.axis.remap(\"SS\", [i])",
     "5:41: T.axis.remap: 2 names and 2 kinds for 1 loops"},
    {"remap_of_an_unknown_kind", "for i in range(4):\n    with T.block(\"b\"):\n        v = T.axis.remap(\"P\", [i])",
     "5:30: T.axis.remap: the kinds \"P\" must be S (spatial), R (reduce) or O (ordered)"},
    {"binding_of_another_type", "with T.block(\"b\"):\n    v = T.axis.spatial(4, x)",
     "4:31: T.axis.spatial: the binding is float32, the domain int64; cast one of them"},
    {"region_of_another_rank", "with T.block(\"b\"):\n    T.reads(A[0])\n    pass",
     "4:17: A[…]: 1 indices for 2 dimensions"},
    {"where_of_an_integer", "with T.block(\"b\"):\n    T.where(n)\n    pass",
     "4:17: T.where: the condition is int64, must be a scalar bool"},
    {"view_without_data", "D = T.Buffer((4,), \"float32\")",
     "3:11: buffer D: T.Buffer here is a view and needs data=, such as data=A.data"},
    {"view_of_an_expression", "D = T.Buffer((4,), data=n)",
     "3:29: data= must be the memory of an allocation, or of a buffer as in A.data"},
    {"let_of_another_type", "y: T.float32 = n",
     "3:5: y is declared float32, its value is int64; cast the value"},
    {"attribute_twice", "T.func_attr({\"a\": 1, \"a\": 2})",
     "3:26: the annotation \"a\" is given twice"},
    {"attribute_of_a_loop", "for i in range(4):\n    for j in T.serial(4, annotations={\"a\": n + i}):\n        pass",
     "4:48: the value of an annotation must be a number, a bool, a string, an integer of the program's sizes and scalars, or a list of these"},
    {"missing_bracket", "A[0, 0 = x",
     "3:12: found '=', expected ']'"},
    {"missing_message", "assert p",
     "3:13: found the end of the line, expected ','"},
    {"empty_block", "with T.block(\"b\"):\nT.evaluate(0)",
     "4:5: found 'T', expected an indented line"},
};

// clang-format on

class BadText : public testing::TestWithParam<WrongText> {};
TEST_P(BadText, is_refused_with_its_sentence) { expect_error(GetParam().text, GetParam().message); }
INSTANTIATE_TEST_SUITE_P(Texts, BadText, testing::ValuesIn(whole_texts), name_of_wrong);

class BadLines : public testing::TestWithParam<WrongText> {};
TEST_P(BadLines, are_refused_with_their_sentence) {
  std::string text = around(GetParam().text);
  text.erase(0, text.find('@'));  // without the comment, the lines begin at line 3
  expect_error(text, GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(Lines, BadLines, testing::ValuesIn(lines_of_a_function), name_of_wrong);

TEST(BadText, with_a_nul_byte_is_refused) {
  using namespace std::string_literals;
  expect_error("@T.prim_func\ndef f():\n    \0\n"s,
               "3:5: the byte 0x00 begins no name, number, string or operator");
  expect_error("@T.prim_func\ndef f():\n    assert True, \"\0\"\n"s,
               "3:19: a NUL byte inside a string; write \\x00");
}

TEST(BadText, reports_its_first_fault) {
  expect_error("@T.prim_func\ndef f():\n    x = y\n    z = $\n",
               "3:9: there is no variable or buffer y here");
}

TEST(ParseFunction, wants_exactly_one) {
  const std::string f = "@T.prim_func\ndef f():\n    pass\n", g = "@T.prim_func\ndef g():\n    pass\n";
  EXPECT_EQ(parse_function(f, "one.tir").name, "f");
  try {
    parse_function(f + g, "two.tir");
    ADD_FAILURE() << "accepted two functions";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "two.tir: found 2 functions, expected one");
  }
}

}  // namespace
}  // namespace ardea
