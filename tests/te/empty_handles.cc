#include <gtest/gtest.h>

#include "ardea/te/compute.h"
#include "ardea/te/create_prim_func.h"
#include "ardea/te/extern.h"
#include "ardea/te/reduce.h"
#include "ardea/te/scan.h"
#include "tests/te/refused.h"

/// Empty expressions and tensors where te needs some: an Error that names the stage.

namespace ardea::te {
namespace {

const std::string empty_tensor =
    "a default-constructed te::Tensor was used; make one with placeholder or compute";
const std::string empty_expression =
    "an empty expression is used, one that was declared and never given a value; give it one first";

TEST(EmptyHandles, are_no_result_of_a_compute) {
  EXPECT_REFUSED(compute("C", {4}, [](const Var&) { return Expr(); }),
                 "compute(C): its function gives an empty expression, one that was never given a value");
  const Tensor A = placeholder("A", {4});
  EXPECT_REFUSED(compute("C", {4},
                         [&](const Var& i) {
                           Expr s;
                           s = s + A(i);
                           return s;
                         }),
                 "compute(C): " + empty_expression);
  const Axis k = reduce_axis(4, "k");
  EXPECT_REFUSED(compute("C", {4}, [&](const Var&) { return sum(Expr(), {k}); }),
                 "compute(C): sum: a value to reduce is an empty expression");
}

TEST(EmptyHandles, are_no_extents) {
  EXPECT_REFUSED(placeholder("A", {Expr()}), "placeholder(A): an extent is an empty expression");
  EXPECT_REFUSED(compute("C", {Expr()}, [](const Var& i) { return Expr(i); }),
                 "compute(C): extent 1 is an empty expression");
  EXPECT_REFUSED(reduce_axis(Expr(), "k"), empty_expression);
}

TEST(EmptyHandles, are_no_tensors_to_read) {
  const Tensor none;
  EXPECT_FALSE(none.defined());
  EXPECT_REFUSED(none(0), empty_tensor);
  EXPECT_REFUSED(none.name(), empty_tensor);
  EXPECT_REFUSED(scan("S", {none}, {none}, {none}), empty_tensor);
  EXPECT_REFUSED(create_prim_func({none}), "create_prim_func(main): an argument is an empty tensor");
}

}  // namespace
}  // namespace ardea::te
