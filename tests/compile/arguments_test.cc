#include <functional>

#include "ardea/compile/compile_by_c.h"
#include "ardea/compile/runnable.h"
#include "ardea/interp/interpreter.h"
#include "ardea/support/error.h"
#include "tests/compile/both_ways.h"

#include <gtest/gtest.h>

namespace ardea::test {
namespace {

using runtime::Array;

const char* const scale_text = R"(
@T.prim_func
def scale(a: T.handle, b: T.handle, factor: T.float32, offset: T.int8):
    n = T.int64()
    A = T.match_buffer(a, (n, 5), "float32")
    B = T.match_buffer(b, (n, 5), "float32")
    for i, j in T.grid(n, 5):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * factor + T.Cast("float32", offset)
)";

class Arguments : public testing::Test {
 protected:
  runtime::Function scale = compile::callable(program(scale_text), host());
  Array a = Array::zeros({3, 5}, float32), b = Array::zeros({3, 5}, float32);

  template <class... Args>
  std::string refusal(Args&&... args) {
    return error_of([&] { scale(std::forward<Args>(args)...); });
  }
};

TEST_F(Arguments, that_fit_are_taken) {
  a.set_float(14, 2);
  EXPECT_EQ(refusal(a, b, 1.5, 1), "");
  EXPECT_EQ(b.get_float(14), 4);
  EXPECT_EQ(refusal(a, b, 3, -1), "") << "an integer is taken for a float";
  EXPECT_EQ(b.get_float(14), 5);
}

void expect_words(const std::string& sentence, const std::vector<std::string>& words) {
  EXPECT_FALSE(sentence.empty()) << "nothing was refused";
  for (const std::string& word : words)
    EXPECT_NE(sentence.find(word), std::string::npos) << sentence << "\nlacks: " << word;
}

TEST_F(Arguments, of_a_wrong_number_are_refused_with_their_names) {
  expect_words(refusal(a, b), {"scale", "2", "4", "factor"});
}

TEST_F(Arguments, of_a_wrong_kind_are_refused_by_name) {
  expect_words(refusal(1, b, 1.0, 1), {"argument A (1 of 4)", "is an integer", "expected a tensor"});
  expect_words(refusal(a, b, "two", 1), {"argument factor (3 of 4)", "is a string", "expected a float"});
  expect_words(refusal(a, b, 1.0, 1.5), {"argument offset (4 of 4)", "is a float", "expected an integer"});
  expect_words(refusal(a, b, 1.0, 300), {"argument offset (4 of 4)", "300", "int8"});
}

TEST_F(Arguments, of_a_wrong_type_rank_or_shape_are_refused_by_name) {
  expect_words(refusal(Array::zeros({3, 5}, float64), b, 1.0, 1),
               {"argument A", "has elements of float64", "expected float32"});
  expect_words(refusal(a, Array::zeros({15}, float32), 1.0, 1), {"argument B", "1 dimensions", "expected 2"});
  expect_words(refusal(Array::zeros({3, 6}, float32), b, 1.0, 1),
               {"argument A", "extent 2", "6", "expected 5"});
  expect_words(refusal(a, Array::zeros({4, 5}, float32), 1.0, 1), {"argument B", "extent 1", "4", "3 (n)"});
}

/// Wrong in one or several ways: then the same of them is named.
TEST_F(Arguments, are_refused_in_the_same_words_wherever_the_function_runs) {
  const Function f = program(R"(
@T.prim_func
def sums(a: T.handle, b: T.handle, count: T.int8, factor: T.float32):
    n = T.int64()
    m = T.int64()
    s = T.int64()
    A = T.match_buffer(a, (n, m), "float32", strides=[s, 1], align=16)
    B = T.match_buffer(b, (n * 2, 3), "float32")
    for i, j in T.grid(n * 2, 3):
        B[i, j] = T.Cast("float32", count) * factor
    for i, j, k in T.grid(n, 3, m):
        B[i, j] = B[i, j] + A[i, k] * factor
)");
  const auto zeros = [](std::vector<std::int64_t> shape) { return Array::zeros(std::move(shape), float32); };
  const Array memory = zeros({64});
  const auto at = [&](std::int64_t bytes, std::int64_t row) {
    return Array::strided_view(memory.data(), {2, 4}, {row, 1}, float32, static_cast<std::uint64_t>(bytes),
                               nullptr);
  };
  const Array good = at(0, 8), result = zeros({4, 3});
  const std::int64_t one = 1;
  const std::vector<std::vector<interp::Argument>> calls = {
      {good, result, one},
      {good, result, one, 0.5, one},
      {one, result, one, 0.5},
      {good, 0.5, one, 0.5},
      {good, Array(), one, 0.5},
      {good, result, 0.5, 0.5},
      {good, result, good, 0.5},
      {good, result, one, good},
      {good, result, std::int64_t{128}, 0.5},
      {good, result, std::int64_t{-129}, 0.5},
      {Array::zeros({2, 4}, float64), result, one, 0.5},
      {good, zeros({12}), one, 0.5},
      {good, zeros({4, 5}), one, 0.5},
      {good, zeros({5, 3}), one, 0.5},
      {Array::zeros({2, 4}, {8, 2}, float32), result, one, 0.5},
      {good, Array::zeros({4, 3}, {5, 1}, float32), one, 0.5},
      {at(4, 8), result, one, 0.5},
      {zeros({2, 0}), result, one, 0.5},
      {Array::zeros({3, 4, 1}, float64), zeros({5, 5}), one, 0.5},
      {at(4, 9), Array::zeros({4, 3}, {5, 1}, float32), std::int64_t{300}, good},
      {at(4, 9), Array::zeros({5, 3}, {5, 1}, float32), std::int64_t{300}, 0.5},
      {at(4, 9), Array::zeros({5, 3}, {5, 1}, float32), one, 0.5},
      {at(4, 9), Array::zeros({4, 3}, {5, 1}, float32), one, 0.5},
  };
  const runtime::Function by_llvm = compile::callable(f, host()), by_c = compile::compile_by_c(f, host());
  for (const auto& call : calls) {
    std::vector<runtime::Value> values;
    for (const interp::Argument& argument : call)
      std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
    const std::string interpreted = error_of([&] { interp::run(f, call); });
    SCOPED_TRACE(interpreted);
    EXPECT_NE(interpreted, "");
    EXPECT_EQ(interpreted, error_of([&] { by_llvm.call(values); }));
    // In a library of C the function is called by its symbol.
    EXPECT_EQ("ardea_" + interpreted, error_of([&] { by_c.call(values); }));
  }
  EXPECT_EQ(error_of([&] { interp::run(f, {good, result, one, 0.5}); }), "");
}

TEST_F(Arguments, that_lie_wrong_in_memory_are_refused_by_name) {
  const Array memory = Array::zeros({64}, float32);
  const Array transposed = Array::strided_view(memory.data(), {3, 5}, {1, 3}, float32, 0, nullptr);
  expect_words(refusal(transposed, b, 1.0, 1), {"argument A", "stride"});
  const Array between = Array::strided_view(memory.data(), {3, 5}, {5, 1}, float32, 6, nullptr);
  expect_words(refusal(a, between, 1.0, 1), {"argument B", "begins 2 bytes after a multiple of 4"});
}

/// Vectors of whole rows, a sum in lanes, tails: what states an alignment wherever one is known.
const char* const rows_text = R"(
@T.prim_func
def rows(A: T.Buffer((7, 37), "TYPE"FIELDS), B: T.Buffer((7, 37), "TYPE"FIELDS)):
    for i in range(7):
        for j in T.vectorized(37):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + A[vi, vj]
)";

Function rows_of(DataType type, const std::string& fields) {
  return program(replaced(replaced(rows_text, "TYPE", to_string(type)), "FIELDS", fields));
}

/// The function in every backend, with its name.
std::vector<std::pair<std::string, std::function<void(const Array&, const Array&)>>> ways(const Function& f) {
  return {
      {"interpreted", [f](const Array& in, const Array& out) { interp::run(f, {in, out}); }},
      {"by LLVM", [g = compile::callable(f, host())](const Array& in, const Array& out) { g(in, out); }},
      {"by C", [g = compile::compile_by_c(f, host())](const Array& in, const Array& out) { g(in, out); }}};
}

TEST(Alignment, arrays_may_begin_on_any_element) {
  for (const DataType type : {float32, float64, int8, bfloat16, int16})
    for (const auto& [way, call] : ways(rows_of(type, ""))) {
      const Array in = Array::zeros({300}, type), out = Array::zeros({300}, type);
      const auto shifted = [&](const Array& memory) {
        return Array::strided_view(memory.data(), {7, 37}, {37, 1}, type,
                                   static_cast<std::uint64_t>(type.bytes()), nullptr);
      };
      for (std::int64_t i = 0; i < 300; ++i) in.set_float(i, static_cast<double>(i % 60));
      call(shifted(in), shifted(out));
      for (std::int64_t i = 0; i < 300; ++i)
        ASSERT_EQ(out.get_float(i), i >= 1 && i < 260 ? 2.0 * static_cast<double>(i % 60) : 0)
            << way << ", " << to_string(type) << " at " << i;
    }
}

TEST(Alignment, that_is_promised_is_demanded_of_every_call) {
  const Array in = Array::zeros({300}, float32), out = Array::zeros({300}, float32);
  const auto at = [](const Array& memory, int bytes) {
    return Array::strided_view(memory.data(), {7, 37}, {37, 1}, float32, static_cast<std::uint64_t>(bytes),
                               nullptr);
  };
  for (const auto& [way, call] : ways(rows_of(float32, ", align=32"))) {
    EXPECT_EQ(error_of([&] { call(at(in, 32), at(out, 64)); }), "") << way;
    expect_words(error_of([&] { call(at(in, 32), at(out, 68)); }),
                 {"B", "begins 4 bytes after a multiple of 32, must begin on one; pass an aligned copy"});
    expect_words(error_of([&] { call(at(in, 16), at(out, 64)); }),
                 {"A", "begins 16 bytes after a multiple of 32"});
  }
}

TEST(Build, refuses_a_program_that_breaks_a_law) {
  const Buffer a = make_buffer("A", std::vector<std::int64_t>{4});
  const Function f{"broken", {{a->data, a}}, {}, make_store(a, {make_int(9)}, make_float(1))};
  expect_words(error_of([&] { compile::callable(f, host()); }), {"A", "9"});
}

TEST(Build, refuses_a_target_that_this_machine_is_not) {
  const Function f = program(scale_text);
  const char* other = host().arch == target::Arch::x86_64 ? "generic-aarch64" : "generic-x86_64";
  expect_words(error_of([&] { compile::callable(f, target::find(other)); }),
               {other, "x86_64", "aarch64", "host"});
  EXPECT_NE(compile::assembly({{}, {f}}, target::find(other)).find("scale"), std::string::npos)
      << "its code can still be read";
  expect_words(error_of([&] { compile::callable(f, target::find("h200")); }), {"h200", "bind a loop"});
  expect_words(error_of([&] { compile::llvm_ir({{}, {f}}, target::find("h200")); }),
               {"h200", "this is code for CPUs"});
}

TEST(Build, refuses_features_that_the_machine_lacks_by_name) {
  const target::Target small = target::find("generic-x86_64"), large = target::find("sapphirerapids");
  expect_words(error_of([&] { compile::require_runnable(large, small); }),
               {"sapphirerapids", "avx512f", "fma"});
  EXPECT_EQ(error_of([&] { compile::require_runnable(small, large); }), "");
  target::Target off = small;
  off.features = {"+sse2", "-avx2"};
  EXPECT_EQ(error_of([&] { compile::require_runnable(off, small); }), "");
}

}  // namespace
}  // namespace ardea::test
