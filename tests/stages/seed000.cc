#include <gtest/gtest.h>

#include "ardea/te/compute.h"
#include "tests/stages/run.h"

/// The schedule that the first seed prints for a dense layer on a CPU, as it is written there. There every
/// split has nparts = 1 until the solver fills numbers in; both are run.

namespace ardea::stages {
namespace {

struct Dense {
  explicit Dense(std::int64_t n)
      : A(te::placeholder("A", {n, n})),
        B(te::placeholder("B", {n, n})),
        k(te::reduce_axis(n, "k")),
        dense(te::compute("dense", {{"i", n}, {"j", n}},
                          [&](const Var& i, const Var& j) { return te::sum(A(i, k) * B(j, k), {k}); })) {}
  te::Tensor A, B;
  te::Axis k;
  te::Tensor dense;
};

/// What the seed calls "tile": each axis in two, the outer ones outside.
std::vector<Axis> tile(const Stage& stage, const std::vector<Axis>& axes, std::int64_t nparts) {
  std::vector<Axis> outer, inner;
  for (const Axis& axis : axes) {
    const auto [o, i] = stage.split(axis, {.nparts = nparts});
    outer.push_back(o);
    inner.push_back(i);
  }
  std::vector<Axis> order = outer;
  order.insert(order.end(), inner.begin(), inner.end());
  stage.reorder(order);
  return inner;
}

Lowered scheduled(const Dense& d, std::int64_t nparts, std::int64_t unroll) {
  const Schedule s = create_schedule({d.dense});
  const te::Tensor dense_global = s.cache_write(d.dense, "global");
  // stage dense: unroll pragma
  const auto [i_o, i_i] = s[d.dense].split(op(d.dense).axis[0], {.nparts = nparts});
  const auto [j_o, j_i] = s[d.dense].split(op(d.dense).axis[1], {.nparts = nparts});
  s[d.dense].reorder(i_o, j_o, i_i, j_i);
  s[d.dense].pragma(i_o, "auto_unroll_max_step", {unroll});
  s[d.dense].pragma(i_o, "unroll_explicit", {true});
  // parallel
  const auto [i_i_o, i_i_i] = s[d.dense].split(i_i, {.nparts = nparts});
  const auto [j_i_o, j_i_i] = s[d.dense].split(j_i, {.nparts = nparts});
  s[d.dense].reorder(i_i_o, j_i_o, i_i_i, j_i_i);
  const Axis fused = s[d.dense].fuse(i_i_o, j_i_o);
  EXPECT_EQ(fused.name(), "i.inner.outer.j.inner.outer.fused");
  s[d.dense].parallel(fused);
  // tile for cache
  const std::vector<Axis> elements = tile(s[d.dense], {i_i_i, j_i_i}, nparts);
  EXPECT_EQ(names_of(elements), "i.inner.inner.inner, j.inner.inner.inner");
  // stage dense.global
  EXPECT_EQ(s[dense_global].name(), "dense.global");
  EXPECT_EQ(names_of(s[dense_global].leaves()), "i.c, j.c, k");
  s[dense_global].compute_at(s[d.dense], j_o);
  std::vector<Axis> all = s[dense_global].leaves();
  for (int level = 0; level < 3; ++level) all = tile(s[dense_global], all, nparts);
  EXPECT_EQ(names_of(all), "i.c.inner.inner.inner, j.c.inner.inner.inner, k.inner.inner.inner");
  return lower(s, {d.A, d.B, d.dense});
}

TEST(Seed000, takes_the_printed_schedule) {
  const Lowered lowered = scheduled(Dense(64), 1, 0);
  test::expect_same_answers_compiled(lowered);
  const std::vector<std::string> loops = test::loops_of(lowered.function);
  EXPECT_EQ(loops.size(), 2u + 6u + 12u + 5u);
  EXPECT_EQ(loops[0], "i_outer 1");
  EXPECT_EQ(loops[1], "j_outer 1");
  EXPECT_EQ(loops.back(), "j_inner_inner_inner 64");
}

TEST(Seed000, takes_it_with_numbers) {
  test::expect_same_answers_compiled(scheduled(Dense(64), 2, 16));
  test::expect_same_answers(scheduled(Dense(27), 3, 4));
}

}  // namespace
}  // namespace ardea::stages
