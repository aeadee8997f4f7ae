#include <fmt/core.h>

#include "ardea/ardea.h"

/// A product under a stage schedule: the directives, the program that they make, the primitives they were
/// realised by, and the answer of one element.

using namespace ardea;

int main() {
  const std::int64_t n = 64;
  te::Tensor A = te::placeholder("A", {n, n}), B = te::placeholder("B", {n, n});
  te::Axis k = te::reduce_axis(n, "k");
  te::Tensor C =
      te::compute("C", {{"i", n}, {"j", n}}, [&](Var i, Var j) { return te::sum(A(i, k) * B(k, j), {k}); });
  te::Tensor D = te::compute("D", {{"i", n}, {"j", n}}, [&](Var i, Var j) { return C(i, j) + 1; });

  stages::Schedule s = stages::create_schedule({D});
  auto [io, jo, ii, ji] = s[D].tile(stages::op(D).axis[0], stages::op(D).axis[1], 16, 16);
  s[D].vectorize(ji);
  s[D].parallel(io);
  s[C].compute_at(s[D], jo);  // a tile of C right before the tile of D that reads it
  auto [ko, ki] = s[C].split(k, {.factor = 4});
  auto [i, j] = std::pair(stages::op(C).axis[0], stages::op(C).axis[1]);
  s[C].reorder(ko, i, ki, j);
  s[C].unroll(ki);
  s[C].vectorize(j);
  stages::Lowered lowered = stages::lower(s, {A, B, D});

  fmt::print("{}\n{}\n{}\n", stages::print(s), print(lowered.function), schedule::print(lowered.trace));
  auto a = runtime::Array::zeros({n, n}, float32), b = runtime::Array::zeros({n, n}, float32);
  auto d = runtime::Array::empty({n, n}, float32);
  for (float& x : a.values<float>()) x = 2;
  for (float& x : b.values<float>()) x = 0.5;
  compile::callable(lowered.function, target::host())(a, b, d);
  fmt::print("D[3, 5] = {}\n", d.values<float>()[3 * n + 5]);
  return d.values<float>()[3 * n + 5] == static_cast<float>(n) + 1 ? 0 : 1;
}
