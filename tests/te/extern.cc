#include "ardea/te/extern.h"

#include <gtest/gtest.h>

#include "ardea/interp/interpreter.h"
#include "ardea/runtime/tensor_function.h"
#include "ardea/te/compute.h"
#include "tests/te/both_ways.h"
#include "tests/te/refused.h"

namespace ardea::te {
namespace {

using test::run_both_ways;

TEST(Extern, calls_a_registered_function_of_arrays) {
  runtime::register_tensor_function("test.reverse", [](std::span<const runtime::Array> arrays) {
    const auto from = arrays[0].values<float>(), to = arrays[1].values<float>();
    ASSERT_EQ(arrays[0].shape(), arrays[1].shape());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[from.size() - 1 - i];
  });
  const Var n = size("n");
  const Tensor X = placeholder("X", {n, 3});
  const Tensor twice =
      compute("twice", dims(X.shape()), [&](const Var& i, const Var& j) { return X(i, j) * 2; });
  const Tensor back = call_registered("back", "test.reverse", {twice}, {{"back", X.shape()}})[0];
  const Tensor Y = compute("Y", dims(X.shape()), [&](const Var& i, const Var& j) { return back(i, j) + 1; });
  const Function f = create_prim_func({X, Y});
  const runtime::Array x = runtime::Array::zeros({5, 3}, float32), y = runtime::Array::zeros({5, 3}, float32);
  for (int i = 0; i < 15; ++i) x.values<float>()[static_cast<std::size_t>(i)] = static_cast<float>(i);
  interp::run(f, {x, y});
  for (int i = 0; i < 15; ++i) EXPECT_EQ(y.get_float(i), 2 * (14 - i) + 1);
}

TEST(Extern, runs_a_statement_written_by_hand) {
  const std::int64_t n = 9;
  const Tensor X = placeholder("X", {n});
  const auto both = external("split", {X}, {{"even", {5}}, {"odd", {4}}},
                             [&](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
                               const Var i("i");
                               const Stmt store =
                                   make_if(equals(floor_mod(i, 2), make_int(0)),
                                           make_store(out[0], {floor_div(i, 2)}, make_load(in[0], {i})),
                                           make_store(out[1], {floor_div(i, 2)}, make_load(in[0], {i})));
                               return make_for(i, make_int(0), make_int(n), store);
                             });
  const Tensor Y = compute("Y", {4}, [&](const Var& i) { return both[0](i) - both[1](i); });
  const auto x = run_both_ways(create_prim_func({X, Y}));
  for (std::int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(x[1].get_float(i), static_cast<float>(x[0].get_float(2 * i) - x[0].get_float(2 * i + 1)));
}

TEST(Extern, refuses_tensors_that_it_does_not_list) {
  const Tensor X = placeholder("X", {4}), Z = placeholder("Z", {4});
  EXPECT_REFUSED(external("copy", {X}, {{"Y", {4}}},
                          [&](const auto&, const std::vector<Buffer>& out) {
                            return make_store(out[0], {make_int(0)}, Z(0));
                          }),
                 "extern(copy): its statement uses Z, which is not among its inputs; list it");
  EXPECT_REFUSED(external("none", {X}, {}, [](const auto&, const auto&) { return make_no_op(); }),
                 "extern(none): it has no output");
}

}  // namespace
}  // namespace ardea::te
