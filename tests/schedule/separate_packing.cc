#include "ardea/schedule/separate_packing.h"

#include <gtest/gtest.h>

#include "ardea/arith/load.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"

namespace ardea::schedule {
namespace {

/// product(X, W, Y) whose body is given, with the buffer P in between.
Function product(const std::string& body) {
  return arith::load_program(R"(@T.prim_func
def product(X: T.Buffer((4,), "float32"), W: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "float32")):
    P = T.alloc_buffer((4,))
)" + body,
                             "product.tir")
      .functions[0];
}

std::string loop(const std::string& block, const std::string& statement) {
  return "    for i in range(4):\n        with T.block(\"" + block +
         "\"):\n            v = T.axis.spatial(4, i)\n            " + statement + "\n";
}

const std::string pack = loop("pack", "P[3 - v] = W[v]"), use = loop("use", "Y[v] = X[v] * P[3 - v]");

std::string refusal(const Function& f, const std::string& parameter) {
  try {
    separate_packing(f, parameter);
  } catch (const Error& e) {
    return e.what();
  }
  return "no refusal";
}

TEST(SeparatePacking, gives_a_function_that_packs_and_one_that_computes) {
  const SeparatedPacking made = separate_packing(product(pack + use), "W");
  EXPECT_EQ(made.parameter, 1U);
  EXPECT_EQ(print(made.pack), R"(# from tvm.script import tir as T

@T.prim_func
def product_pack(W: T.Buffer((4,), "float32"), W_packed: T.Buffer((4,), "float32")):
    # with T.block("root"):
    for i in range(4):
        with T.block("pack"):
            v = T.axis.spatial(4, i)
            T.reads(W[v])
            T.writes(W_packed[3 - v])
            W_packed[3 - v] = W[v]
)");
  EXPECT_EQ(print(made.main), R"(# from tvm.script import tir as T

@T.prim_func
def product(X: T.Buffer((4,), "float32"), W_packed: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "float32")):
    # with T.block("root"):
    for i in range(4):
        with T.block("use"):
            v = T.axis.spatial(4, i)
            T.reads(X[v], W_packed[3 - v])
            T.writes(Y[v])
            Y[v] = X[v] * W_packed[3 - v]
)");
}

TEST(SeparatePacking, refuses_what_is_no_packing_with_the_reason) {
  const auto expect = [](const Function& f, const std::string& parameter, const std::string& part) {
    const std::string said = refusal(f, parameter);
    EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_TRUE(said.starts_with("separate_packing(parameter=" + parameter + "): ")) << said;
  };
  expect(product(pack + use), "B", "product has no array of that name");
  expect(product(loop("pack", "P[v] = X[v]") + use), "W", "product does not read it");
  expect(product(pack + loop("again", "Y[v] = W[v] * P[v]")), "W", "several statements read it");
  expect(product(loop("both", "P[3 - v] = W[v] * X[v]") + use), "W", "what reads it also touches");
  expect(product(loop("out", "Y[v] = W[v]")), "W", "what reads it makes Y, which is no buffer of product");
  expect(product(pack + loop("over", "P[v] = P[v] * X[v]") + use), "W", "P is written again");
  expect(product(pack + use), "Y", "product writes it");
}

}  // namespace
}  // namespace ardea::schedule
