#include <gtest/gtest.h>

#include "ardea/te/compute.h"
#include "ardea/te/math.h"
#include "tests/stages/run.h"

/// The schedules that the third seed writes down: blocked products, packing, stages of five dimensions that
/// are aligned by compute_at.

namespace ardea::stages {
namespace {

using test::expect_same_answers;

struct SquareProduct {
  explicit SquareProduct(std::int64_t n)
      : A(te::placeholder("A", {n, n})),
        B(te::placeholder("B", {n, n})),
        k(te::reduce_axis(n, "k")),
        C(te::compute("C", {{"i", n}, {"j", n}},
                      [&](const Var& i, const Var& j) { return te::sum(A(i, k) * B(k, j), {k}); })) {}
  te::Tensor A, B;
  te::Axis k;
  te::Tensor C;
};

/// Blocks of bn, and in them blocks of bn2.
void tile_twice(const Schedule& s, const te::Tensor& C, std::int64_t bn, std::int64_t bn2) {
  const auto [mo, mi] = s[C].split(op(C).axis[0], {.factor = bn});
  const auto [no, ni] = s[C].split(op(C).axis[1], {.factor = bn});
  const auto [ko, ki] = s[C].split(s[C].op().reduce_axis[0], {.factor = bn});
  const auto [mio, mii] = s[C].split(mi, {.factor = bn2});
  const auto [nio, nii] = s[C].split(ni, {.factor = bn2});
  const auto [kio, kii] = s[C].split(ki, {.factor = bn2});
  s[C].reorder(mo, no, ko, mio, nio, kio, mii, nii, kii);
  s[C].vectorize(nii);
}

TEST(Seed003, tiles_a_product_twice) {
  for (const std::int64_t n : {32, 27}) {
    const SquareProduct p(n);
    const Schedule s = create_schedule({p.C});
    tile_twice(s, p.C, 16, 4);
    const Lowered lowered = lower(s, {p.A, p.B, p.C});
    expect_same_answers(lowered);
    if (n == 32) {
      EXPECT_EQ(
          test::loops_of(lowered.function),
          (std::vector<std::string>{"i_outer 2", "j_outer 2", "i_inner_outer_init 4", "j_inner_outer_init 4",
                                    "i_inner_inner_init 4", "j_inner_inner_init 4", "k_outer 2",
                                    "i_inner_outer 4", "j_inner_outer 4", "k_inner_outer 4",
                                    "i_inner_inner 4", "j_inner_inner 4", "k_inner_inner 4"}));
    }
  }
}

TEST(Seed003, packs_an_operand) {
  const std::int64_t n = 48, bn = 16;
  const te::Tensor A = te::placeholder("A", {n, n}), B = te::placeholder("B", {n, n});
  const te::Axis k = te::reduce_axis(n, "k");
  const te::Tensor packedB =
      te::compute("packedB", {{"bigN", n / bn}, {"k", n}, {"littleN", bn}},
                  [&](const Var& big, const Var& k, const Var& little) { return B(k, big * bn + little); });
  const te::Tensor C = te::compute("C", {{"m", n}, {"n", n}}, [&](const Var& i, const Var& j) {
    return te::sum(A(i, k) * packedB(floor_div(j, bn), k, floor_mod(j, bn)), {k});
  });
  const Schedule s = create_schedule({C});
  const auto [mo, no, mi, ni] = s[C].tile(op(C).axis[0], op(C).axis[1], bn, bn);
  const auto [ko, ki] = s[C].split(k, {.factor = 4});
  s[C].reorder(mo, no, ko, mi, ki, ni);
  s[C].vectorize(ni);
  s[C].parallel(mo);
  s[packedB].vectorize(op(packedB).axis[2]);
  s[packedB].parallel(op(packedB).axis[0]);
  expect_same_answers(lower(s, {A, B, C}));
}

/// c1 of four dimensions from c11 and cm1 of five: compute_at aligns the first loops of both.
TEST(Seed003, aligns_stages_of_five_dimensions) {
  const std::int64_t n = 16, block = 4, half = block / 2, blocks = n / block;
  const te::Tensor A = te::placeholder("A", {blocks, blocks, block, block});
  const te::Tensor B = te::placeholder("B", {blocks, blocks, block, block});
  const te::Axis k = te::reduce_axis(block, "k"), kb = te::reduce_axis(blocks, "kb");
  const std::vector<te::Dim> five = {
      {"io", blocks}, {"jo", blocks}, {"ko", blocks}, {"i", half}, {"j", half}};
  const te::Tensor cm1 =
      te::compute("cm1", five, [&](const Var& io, const Var& jo, const Var& ko, const Var& i, const Var& j) {
        return te::sum(A(io, ko, i, k) * B(ko, jo, k, j), {k});
      });
  const te::Tensor c11 =
      te::compute("c11", five, [&](const Var& io, const Var& jo, const Var& ko, const Var& i, const Var& j) {
        return cm1(io, jo, ko, i, j) + A(io, ko, i, j);
      });
  const te::Tensor c1 =
      te::compute("c1", {{"io", blocks}, {"jo", blocks}, {"i", block}, {"j", block}},
                  [&](const Var& io, const Var& jo, const Var& i, const Var& j) {
                    return te::sum(c11(io, jo, kb, floor_mod(i, half), floor_mod(j, half)), {kb});
                  });
  const Schedule s = create_schedule({c1});
  s[cm1].compute_at(s[c11], op(c11).axis[4]);
  s[c11].compute_at(s[c1], op(c1).axis[1]);
  s[c1].reorder(op(c1).axis[0], op(c1).axis[1], s[c1].op().reduce_axis[0], op(c1).axis[2], op(c1).axis[3]);
  const Lowered lowered = lower(s, {A, B, c1});
  expect_same_answers(lowered);
  EXPECT_EQ(
      test::loops_of(lowered.function),
      (std::vector<std::string>{"io 4", "jo 4", "io 1", "jo 1", "ko 4", "i 2", "j 2", "io 1", "jo 1", "ko 1",
                                "i 1", "j 1", "k 4", "i_init 4", "j_init 4", "kb 4", "i 4", "j 4"}));
}

/// Results of one operation are one stage.
TEST(Seed003, moves_all_results_of_an_operation_together) {
  const te::Tensor A = te::placeholder("A", {6, 9});
  const te::Axis k = te::reduce_axis(9, "k");
  const std::vector<te::Tensor> B = te::compute_all("B", {{"i", 6}}, [&](const Var& i) {
    return std::vector<te::Reduction>{te::sum(A(i, k), {k}), te::sum(A(i, k) * A(i, k), {k})};
  });
  const te::Tensor C = te::compute("C", {{"i", 6}}, [&](const Var& i) { return B[0](i) + B[1](i); });
  const Schedule s = create_schedule({C});
  s[B[0]].compute_at(s[C], op(C).axis[0]);
  EXPECT_EQ(s[B[1]].name(), "B");
  const Lowered lowered = lower(s, {A, C});
  expect_same_answers(lowered);
  EXPECT_EQ(test::loops_of(lowered.function), (std::vector<std::string>{"i 6", "i 1", "k 9"}));
}

}  // namespace
}  // namespace ardea::stages
