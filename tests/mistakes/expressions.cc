#include <gtest/gtest.h>

#include "ardea/stages/lower.h"
#include "ardea/te/compute.h"
#include "ardea/te/create_prim_func.h"
#include "ardea/te/math.h"
#include "ardea/te/scan.h"
#include "tests/mistakes/said.h"

/// Mistakes in tensor expressions, and in what is made of them.

namespace ardea {
namespace {

using te::Tensor;

Tensor matrix(const char* name = "A") { return te::placeholder(name, {8, 6}); }

Tensor doubled(const Tensor& a) {
  return te::compute("D", {8, 6}, [&](const Var& i, const Var& j) { return a(i, j) * 2; });
}

const std::vector<CppMistake>& mistakes_in_expressions() {
  static const std::vector<CppMistake> all = {
      {"an index too few", [] { te::compute("B", {8}, [&](const Var& i) { return matrix()(i); }); },
       "compute(B): A: it has 2 dimensions, but is indexed with 1 index"},
      {"an index too many", [] { te::compute("B", {8}, [&](const Var& i) { return matrix()(i, i, i); }); },
       "compute(B): A: it has 2 dimensions, but is indexed with 3 indices"},
      {"two types in a sum",
       [] {
         const Tensor a = matrix(), n = te::placeholder("N", {8, 6}, int32);
         te::compute("B", {8, 6}, [&](const Var& i, const Var& j) { return a(i, j) + n(i, j); });
       },
       "compute(B): +: the operands A[i0, i1] and N[i0, i1] are float32 and int32; cast one of them"},
      {"integers divided by a slash",
       [] { te::compute("B", {8}, [&](const Var& i) { return matrix()(i / Expr(i), 0); }); },
       "compute(B): /: the operands are int64; integers divide by floor_div(a, b), in text a // b, or by "
       "trunc_div(a, b), in text T.truncdiv(a, b)"},
      {"an expression that was never set",
       [] {
         te::compute("B", {8}, [&](const Var& i) {
           Expr sum;
           return sum + matrix()(i, 0);
         });
       },
       "compute(B): an empty expression is used, one that was declared and never given a value; give it one "
       "first"},
      {"an axis that is not reduced over",
       [] {
         const te::Axis k = te::reduce_axis(6, "k");
         const Tensor b = te::compute("B", {8}, [&](const Var& i) { return matrix()(i, k); });
         te::create_prim_func({b});
       },
       "compute(B): its value uses the reduce axis k, and nothing reduces over it; write te::sum(…, {k}), or "
       "max, min, …"},
      {"an axis reduced over twice",
       [] {
         const te::Axis k = te::reduce_axis(6, "k");
         const Tensor a = matrix();
         const Tensor b = te::compute("B", {8}, [&](const Var& i) { return te::sum(a(i, k), {k}); });
         const Tensor c = te::compute("C", {8}, [&](const Var& i) { return te::sum(a(i, k), {k}); });
         te::create_prim_func({a, b, c});
       },
       "compute(C): the reduce axis k belongs to compute(B) already; make another reduce_axis for C"},
      {"a sum over nothing",
       [] { te::compute("B", {8}, [&](const Var& i) { return te::sum(matrix()(i, 0), {}); }); },
       "compute(B): sum: there is no axis to reduce over; make one with reduce_axis"},
      {"a sum over an index of the result",
       [] {
         te::compute("B", {8}, [&](const Var& i) {
           return te::sum(matrix()(i, 0), {te::Axis{i, {make_int(0), make_int(8)}, IteratorKind::spatial}});
         });
       },
       "compute(B): sum: i0 is no reduce axis; make one with reduce_axis"},
      {"a function of another number of indices than dimensions",
       [] { te::compute_from("B", {8, 6}, 1, [&](const std::vector<Var>& i) { return matrix()(i[0], 0); }); },
       "compute(B): its shape has 2 dimensions, but its function takes 1 index; give it one index a "
       "dimension"},
      {"several results of a compute of one",
       [] {
         te::compute("B", {8},
                     [&](const Var& i) { return std::vector<Expr>{matrix()(i, 0), matrix()(i, 1)}; });
       },
       "compute(B): its function gives 2 results; call compute_all, which gives them all"},
      {"an extent below nothing", [] { te::placeholder("A", {8, -6}); },
       "placeholder(A): an extent is -6, must be at least 1"},
      {"an extent that is a float", [] { te::placeholder("A", {te::Index(make_float(2.5))}); },
       "placeholder(A): an extent is float32, must be an integer"},
      {"sides of two types",
       [] {
         const Tensor a = matrix(), n = te::placeholder("N", {8, 6}, int32);
         te::compute("B", {8, 6},
                     [&](const Var& i, const Var& j) { return te::if_then_else(i < j, a(i, j), n(i, j)); });
       },
       "compute(B): T.if_then_else: the sides are float32 and int32; cast one of them"},
      {"a condition that is a number",
       [] {
         const Tensor a = matrix();
         te::compute("B", {8, 6},
                     [&](const Var& i, const Var& j) { return te::if_then_else(i, a(i, j), a(i, j)); });
       },
       "compute(B): T.if_then_else: the condition is int64, must be a scalar bool"},
      {"an input that is no argument", [] { te::create_prim_func({doubled(matrix())}); },
       "create_prim_func(main): A is read, but is not among the arguments; add it"},
      {"one tensor twice among the arguments",
       [] {
         const Tensor a = matrix();
         te::create_prim_func({a, a, doubled(a)});
       },
       "create_prim_func(main): A is given twice"},
      {"a program without a result", [] { te::create_prim_func({matrix()}); },
       "create_prim_func(main): no argument is computed; add the tensors that you want"},
      {"no arguments at all", [] { te::create_prim_func({}); },
       "create_prim_func(main): no argument is computed; add the tensors that you want"},
      {"a size that no argument tells",
       [] {
         const Var n = te::size("n");
         const Tensor b = te::compute("B", {4}, [&](const Var& i) { return te::cast(float32, i + n); });
         te::create_prim_func({b});
       },
       "create_prim_func(main): n is used, but is neither an argument, an extent of an argument nor an axis "
       "of the computation that uses it; list it among the arguments, or among the axes of the reduction if "
       "it is one"},
      {"a read beyond the end",
       [] {
         const Tensor a = matrix();
         const Tensor b = te::compute("B", {8}, [&](const Var& i) { return a(i + 1, 0); });
         te::create_prim_func({a, b});
       },
       "create_prim_func: main: `B[v_i0] = A[v_i0 + 1, 0]` reads outside A: its index v_i0 + 1 in dimension "
       "1 runs from 1 to 8, but the extent there is 8; shorten the loop, enlarge the buffer, or guard the "
       "access"},
      {"a state read at its own step",
       [] {
         const Tensor x = te::placeholder("X", {5, 3}), s = te::placeholder("s", {5, 3});
         const Tensor init = te::compute("init", {1, 3}, [&](const Var&, const Var& i) { return x(0, i); });
         const Tensor next =
             te::compute("next", {5, 3}, [&](const Var& t, const Var& i) { return s(t, i) + x(t, i); });
         te::scan("prefix", {init}, {next}, {s});
       },
       "scan(prefix): next reads s[i0, i1], which is not proved to be a step before i0; a state knows its "
       "earlier steps only"},
      {"a stage schedule of a tensor that is not in the graph",
       [] {
         stages::Schedule s = stages::create_schedule({doubled(matrix())});
         s[matrix("Other")].compute_inline();
       },
       "s[Other]: no output of the schedule needs Other; name it in create_schedule"},
      {"a stage placed in its own loop",
       [] {
         const Tensor d = doubled(matrix());
         stages::Schedule s = stages::create_schedule({d});
         s[d].compute_at(s[d], stages::op(d).axis[0]);
       },
       "s[D].compute_at(s[D], i0): a stage cannot stand in its own loops"},
      {"an output left out",
       [] {
         const Tensor a = matrix(), d = doubled(a);
         stages::lower(stages::create_schedule({d}), {a});
       },
       "lower(main): D is an output of the schedule, and is neither among the arguments nor read by a stage: "
       "it would be computed for nobody; add it to the arguments, or leave it out of create_schedule"},
      {"an input left out of a stage schedule",
       [] {
         const Tensor d = doubled(matrix());
         stages::lower(stages::create_schedule({d}), {d});
       },
       "create_prim_func(main): A is read, but is not among the arguments; add it"},
  };
  return all;
}

TEST(MistakesInCpp, expressions) {
  for (const CppMistake& m : mistakes_in_expressions()) expect_said(m);
}

}  // namespace
}  // namespace ardea
