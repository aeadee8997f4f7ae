#include <gtest/gtest.h>

#include "ardea/te/compute.h"
#include "tests/stages/run.h"
#include "tests/te/refused.h"

/// Cache stages and what is said about memory.

namespace ardea::stages {
namespace {

/// E = exp-like chain around a product: S = A * 2, C = S · B, D = C + 1
struct Chain {
  te::Tensor A = te::placeholder("A", {20, 16}), B = te::placeholder("B", {16, 12});
  te::Axis k = te::reduce_axis(16, "k");
  te::Tensor S =
      te::compute("S", {{"i", 20}, {"k", 16}}, [&](const Var& i, const Var& l) { return A(i, l) * 2; });
  te::Tensor C = te::compute("C", {{"i", 20}, {"j", 12}},
                             [&](const Var& i, const Var& j) { return te::sum(S(i, k) * B(k, j), {k}); });
  te::Tensor D =
      te::compute("D", {{"i", 20}, {"j", 12}}, [&](const Var& i, const Var& j) { return C(i, j) + 1; });
  Schedule s = create_schedule({D});
};

TEST(CacheWrite, moves_the_computation_to_a_stage_of_its_own) {
  const Chain c;
  const te::Tensor CL = c.s.cache_write(c.C, "global");
  EXPECT_EQ(names_of(c.s[CL].leaves()), "i.c, j.c, k");
  EXPECT_EQ(names_of(c.s[c.C].leaves()), "i, j");
  EXPECT_REFUSED(c.s[c.C].split(c.k, 4),
                 "s[C].split(k, factor=4): k is an axis of C.global, not of C, which copies what C.global "
                 "computes; the leaves of C are i, j");
  const auto [io, ii] = c.s[c.C].split(op(c.C).axis[0], 5);
  c.s[CL].compute_at(c.s[c.C], io);
  const auto [ko, ki] = c.s[CL].split(c.k, 4);
  c.s[CL].reorder(ko, c.s[CL].op().axis[0], ki, c.s[CL].op().axis[1]);
  c.s[c.C].parallel(io);
  test::expect_same_answers(lower(c.s, {c.A, c.B, c.D}));
}

TEST(CacheWrite, comes_before_the_loops) {
  const Chain c;
  c.s[c.C].split(op(c.C).axis[0], 5);
  EXPECT_REFUSED(c.s.cache_write(c.C, "global"),
                 "s.cache_write(C, \"global\"): directive 1, s[C].split(i, factor=5), is about the loops of "
                 "C, which compute now and copy after this; take cache_write before it");
  EXPECT_REFUSED(c.s.cache_write(c.A, "global"),
                 "s.cache_write(A, \"global\"): A is not computed element by element");
}

TEST(CacheRead, copies_an_input_a_result_and_a_cache) {
  const Chain c;
  const auto [io, jo, ii, ji] = c.s[c.C].tile(op(c.C).axis[0], op(c.C).axis[1], 5, 4);
  const te::Tensor BB = c.s.cache_read(c.B, "global", {c.C});
  const te::Tensor SS = c.s.cache_read(c.S, "global", {c.C});
  const te::Tensor SSS = c.s.cache_read(SS, "global", {c.C});
  EXPECT_EQ(c.s[BB].name(), "B.global");
  EXPECT_EQ(names_of(c.s[BB].leaves()), "ax0, ax1");
  c.s[BB].compute_at(c.s[c.C], jo);
  c.s[SSS].compute_at(c.s[c.C], io);
  c.s[SS].vectorize(c.s[SS].op().axis[1]);
  test::expect_same_answers(lower(c.s, {c.A, c.B, c.D}));
}

TEST(CacheRead, is_read_by_those_that_read_the_tensor) {
  const Chain c;
  c.s.cache_read(c.B, "global", {c.D});
  EXPECT_REFUSED(lower(c.s, {c.A, c.B, c.D}),
                 "directive 1, s.cache_read(B, \"global\", [D]): D does not read B");
  EXPECT_REFUSED(c.s.cache_read(c.B, "global", {}),
                 "s.cache_read(B, \"global\", []): name the stages that read the copy");
  EXPECT_REFUSED(c.s.cache_read(c.A, "global", {c.B}),
                 "s.cache_read(A, \"global\", [B]): B is an input, and reads nothing");
  EXPECT_REFUSED(c.s.cache_read(c.C, "global", {c.S}),
                 "s.cache_read(C, \"global\", [S]): S is made before C, and cannot read it");
}

TEST(Caches, follow_one_another) {
  const Chain c;
  const te::Tensor CL = c.s.cache_write(c.C, "global");
  const auto [ko, ki] = c.s[CL].split(c.k, 4);
  const te::Tensor CF = c.s.rfactor(CL, ki);
  const te::Tensor BB = c.s.cache_read(c.B, "global", {CF});
  c.s[c.S].compute_inline();
  c.s[CF].parallel(ki);
  c.s[BB].compute_at(c.s[CF], ki);
  test::expect_same_answers(lower(c.s, {c.A, c.B, c.D}));
}

TEST(DoubleBuffer, fills_a_copy_while_the_one_before_is_read) {
  const Chain c;
  const auto [ko, ki] = c.s[c.C].split(c.k, 4);
  c.s[c.C].reorder(ko, op(c.C).axis[0], ki, op(c.C).axis[1]);
  const te::Tensor BB = c.s.cache_read(c.B, "global", {c.C});
  c.s[BB].double_buffer();
  c.s[BB].compute_at(c.s[c.C], ko);
  const Lowered lowered = lower(c.s, {c.A, c.B, c.D});
  EXPECT_NE(schedule::print(lowered.trace).find("sch.double_buffer("), std::string::npos);
  test::expect_same_answers(lowered);
}

TEST(Memory, has_a_scope_and_strides) {
  const Chain c;
  c.s[c.S].set_scope("shared");
  c.s[c.C].storage_align(op(c.C).axis[0], 8, 3);
  EXPECT_REFUSED(c.s[c.C].storage_align(c.k, 8, 3),
                 "s[C].storage_align(k, 8, 3): k is no dimension of C; those are i, j");
  test::expect_same_answers(lower(c.s, {c.A, c.B, c.D}));
}

TEST(Tensorize, takes_the_loops_inside_when_the_init_is_outside) {
  const te::Tensor A = te::placeholder("A", {16, 8}), B = te::placeholder("B", {8, 12});
  const te::Axis k = te::reduce_axis(8, "k");
  const te::Tensor C = te::compute("C", {{"i", 16}, {"j", 12}}, [&](const Var& i, const Var& j) {
    return te::sum(A(i, k) * B(k, j), {k});
  });
  const Schedule s = create_schedule({C});
  const auto [io, jo, ii, ji] = s[C].tile(op(C).axis[0], op(C).axis[1], 4, 4);
  const auto [ko, ki] = s[C].split(k, 4);
  s[C].tensorize(ii, "ardea.tile_4x4x4_f32");
  s[C].reorder(io, jo, ko, ii, ji, ki);
  test::expect_same_answers(lower(s, {A, B, C}));
}

}  // namespace
}  // namespace ardea::stages
