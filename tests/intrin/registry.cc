#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "ardea/interp/interpreter.h"
#include "ardea/intrin/instruction.h"
#include "ardea/intrin/product_shape.h"
#include "ardea/ir/builder.h"
#include "ardea/runtime/array.h"

namespace ardea::intrin {
namespace {

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// C[0] = A[0] + A[1]
Instruction pair_sum(const std::string& name) {
  FunctionBuilder f("pair_sum");
  const Buffer c = f.parameter("C", std::vector<std::int64_t>{1}),
               a = f.parameter("A", std::vector<std::int64_t>{2});
  f.store(c, {make_int(0)}, make_load(a, {make_int(0)}) + make_load(a, {make_int(1)}));
  return {.name = name,
          .meaning = f.build(),
          .operands = {{"global", 4}, {"global", 4}},
          .required_feature = {},
          .implementations = {}};
}

TEST(Instructions, a_registered_record_is_found_and_runs) {
  register_instruction(pair_sum("test.pair_sum"));
  const std::vector<std::string> names = instruction_names();
  EXPECT_NE(std::find(names.begin(), names.end(), "test.pair_sum"), names.end());
  const runtime::Array c = runtime::Array::zeros({1}, float32), a = runtime::Array::zeros({2}, float32);
  a.set_float(0, 1.5);
  a.set_float(1, 2);
  interp::run(find_instruction("test.pair_sum").meaning, {c, a});
  EXPECT_EQ(c.get_float(0), 3.5);
}

TEST(Instructions, say_how_much_they_multiply_at_once) {
  const auto shape = [](const std::string& name) {
    const ProductShape s = product_shape(name);
    return std::vector<std::int64_t>{s.rows, s.columns, s.depth, s.group};
  };
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(shape("amx.tdpbusd"), (Shape{16, 16, 64, 4}));
  EXPECT_EQ(shape("amx.tdpbf16ps"), (Shape{16, 16, 32, 2}));
  EXPECT_EQ(shape("avx512.vpdpbusd_broadcast_u8"), (Shape{1, 16, 4, 4}));
  EXPECT_EQ(shape("neon.smmla"), (Shape{2, 2, 8, 8}));
  EXPECT_EQ(shape("neon.bfmmla"), (Shape{2, 2, 4, 4}));
  EXPECT_EQ(shape("neon.sdot_lane"), (Shape{1, 4, 4, 4}));
  EXPECT_EQ(shape("vta.gemm"), (Shape{1, 16, 16, 16}));
  EXPECT_EQ(
      error_of([] { product_shape("amx.tilezero_i32"); }),
      "product_shape(amx.tilezero_i32): it has no operand C, so that it is no sum C of products of A and B");
}

TEST(Instructions, a_taken_name_is_refused) {
  register_instruction(pair_sum("test.taken"));
  EXPECT_EQ(error_of([] { register_instruction(pair_sum("test.taken")); }),
            "register_instruction(test.taken): the name is taken; choose another");
}

TEST(Instructions, an_unknown_name_is_answered_with_the_nearest) {
  EXPECT_EQ(error_of([] { find_instruction("ardea.dot4_i9"); }),
            "there is no tensor instruction \"ardea.dot4_i9\"; did you mean ardea.dot4_i8?");
}

TEST(Instructions, records_that_contradict_themselves_are_refused) {
  Instruction operands = pair_sum("test.operands");
  operands.operands.pop_back();
  EXPECT_EQ(error_of([&] { register_instruction(operands); }),
            "register_instruction(test.operands): 1 operands for 2 buffer parameters");
  Instruction alignment = pair_sum("test.alignment");
  alignment.operands[0].alignment_bytes = 0;
  EXPECT_EQ(error_of([&] { register_instruction(alignment); }),
            "register_instruction(test.alignment): an alignment of 0 bytes, must be positive");
  Instruction shape = pair_sum("test.shape");
  shape.meaning.parameters.push_back({Var("D", handle_type), make_buffer("D", {Expr(Var("n"))})});
  EXPECT_EQ(error_of([&] { register_instruction(shape); }),
            "register_instruction(test.shape): the extents of D must be constants");
  Instruction scalar = pair_sum("test.scalar");
  scalar.meaning.parameters.push_back({Var("x", float32)});
  EXPECT_EQ(error_of([&] { register_instruction(scalar); }),
            "register_instruction(test.scalar): the parameter x is float32, must be a buffer or an integer");
  EXPECT_EQ(error_of([&] { register_instruction(pair_sum("")); }),
            "register_instruction: the record has no name");
}

TEST(Instructions, a_meaning_that_does_not_verify_is_refused) {
  Instruction beyond = pair_sum("test.beyond");
  const Buffer c = beyond.meaning.parameters[0].buffer;
  beyond.meaning.body = make_store(c, {make_int(1)}, make_float(0));
  const std::string sentence = error_of([&] { register_instruction(beyond); });
  EXPECT_EQ(sentence.rfind("register_instruction(test.beyond)", 0), 0u) << sentence;
  EXPECT_NE(sentence.find('C'), std::string::npos) << sentence;
}

}  // namespace
}  // namespace ardea::intrin
