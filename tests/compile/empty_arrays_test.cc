#include <gtest/gtest.h>

#include "ardea/compile/compile_by_c.h"
#include "ardea/interp/interpreter.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"
#include "tests/compile/both_ways.h"

/// Arrays without an element, as numpy has them: the same law in the interpreter, in LLVM's code and in a
/// library of C.

namespace ardea::test {
namespace {

using runtime::Array;

const char* const product_of_any_size = R"(
@T.prim_func
def product(a: T.handle, b: T.handle, c: T.handle):
    m = T.int64()
    n = T.int64()
    k = T.int64()
    A = T.match_buffer(a, (m, k), "float32")
    B = T.match_buffer(b, (k, n), "float32")
    C = T.match_buffer(c, (m, n), "float32")
    for i, j, r in T.grid(m, n, k):
        with T.block("C"):
            vi, vj, vr = T.axis.remap("SSR", [i, j, r])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vr] * B[vr, vj]
)";

struct Way {
  const char* name;
  std::function<void(const Array&, const Array&, const Array&)> call;
};

std::vector<Way> ways_of(const Function& f) {
  return {{"interp", [f](const Array& a, const Array& b, const Array& c) { interp::run(f, {a, b, c}); }},
          {"llvm", [run = compile::callable(f, host())](const Array& a, const Array& b,
                                                        const Array& c) { run(a, b, c); }},
          {"c", [run = compile::compile_by_c(f, host())](const Array& a, const Array& b, const Array& c) {
             run(a, b, c);
           }}};
}

TEST(EmptyArrays, a_call_that_has_nothing_to_write_does_nothing) {
  for (const Way& way : ways_of(program(product_of_any_size)))
    for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{
             {0, 3, 5}, {3, 0, 5}, {0, 0, 5}, {0, 3, 0}, {0, 0, 0}, {1, 0, 1}}) {
      const Array a = Array::zeros({m, k}, float32), b = Array::zeros({k, n}, float32),
                  c = Array::zeros({m, n}, float32);
      EXPECT_EQ(error_of([&] { way.call(a, b, c); }), "") << way.name << " " << m << " " << n << " " << k;
    }
}

TEST(EmptyArrays, a_sum_over_nothing_is_refused_and_leaves_its_result_alone) {
  for (const Way& way : ways_of(program(product_of_any_size))) {
    const Array a = Array::zeros({2, 0}, float32), b = Array::zeros({0, 3}, float32),
                c = Array::zeros({2, 3}, float32);
    c.set_float(4, 7);
    const std::string sentence = error_of([&] { way.call(a, b, c); });
    for (const char* part :
         {"product: ", "but C, which it writes, is not", "nothing would be computed", "fill it yourself"})
      EXPECT_NE(sentence.find(part), std::string::npos) << way.name << ": " << sentence;
    EXPECT_EQ(c.get_float(4), 7) << way.name;
  }
}

TEST(EmptyArrays, sizes_are_compared_before_they_are_found_empty) {
  for (const Way& way : ways_of(program(product_of_any_size))) {
    const Array a = Array::zeros({0, 2}, float32), b = Array::zeros({4, 3}, float32),
                c = Array::zeros({0, 3}, float32);
    EXPECT_NE(error_of([&] { way.call(a, b, c); }).find("is 4, expected 2"), std::string::npos) << way.name;
  }
}

TEST(EmptyArrays, need_no_memory) {
  const runtime::Function product = compile::callable(program(product_of_any_size), host());
  const Array a = Array::view(nullptr, {0, 2}, float32), c = Array::view(nullptr, {0, 3}, float32);
  EXPECT_EQ(error_of([&] { product(a, Array::zeros({2, 3}, float32), c); }), "");
}

TEST(EmptyArrays, what_is_only_read_through_a_tensor_instruction_is_not_taken_for_written) {
  const Function f = program(R"(
@T.prim_func
def dots(x: T.handle, w: T.handle, y: T.handle):
    n = T.int64()
    X = T.match_buffer(x, (n, 4), "int8")
    W = T.match_buffer(w, (4, 4), "int8")
    Y = T.match_buffer(y, (n, 4), "int32")
    for i, j in T.grid(n, 4):
        Y[i, j] = 0
        T.tensor_instruction("ardea.dot4_i8", T.address_of(Y[i, j]), T.address_of(X[i, 0]), T.address_of(W[j, 0]))
)");
  for (const Way& way : ways_of(f))
    EXPECT_EQ(error_of([&] {
                way.call(Array::zeros({0, 4}, int8), Array::zeros({4, 4}, int8), Array::zeros({0, 4}, int32));
              }),
              "")
        << way.name;
}

}  // namespace
}  // namespace ardea::test
