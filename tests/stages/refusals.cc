#include <gtest/gtest.h>

#include "ardea/te/compute.h"
#include "tests/stages/run.h"
#include "tests/te/refused.h"

/// What is refused, when, and in which words.

namespace ardea::stages {
namespace {

/// D = (A · B) + 1
struct ProductPlusOne {
  te::Tensor A = te::placeholder("A", {16, 8}), B = te::placeholder("B", {8, 12});
  te::Axis k = te::reduce_axis(8, "k");
  te::Tensor C = te::compute("C", {{"i", 16}, {"j", 12}},
                             [&](const Var& i, const Var& j) { return te::sum(A(i, k) * B(k, j), {k}); });
  te::Tensor D =
      te::compute("D", {{"i", 16}, {"j", 12}}, [&](const Var& i, const Var& j) { return C(i, j) + 1; });
  Axis i = op(D).axis[0], j = op(D).axis[1];
  Schedule s = create_schedule({D});
};

TEST(Leaves, say_which_directive_took_an_axis) {
  const ProductPlusOne c;
  const auto [io, ii] = c.s[c.D].split(c.i, 4);
  EXPECT_REFUSED(c.s[c.D].reorder(c.j, c.i),
                 "s[D].reorder(j, i): i has already been split: directive 1, s[D].split(i, factor=4), made "
                 "i.outer, i.inner of it; the leaves of D are i.outer, i.inner, j");
  const Axis fused = c.s[c.D].fuse(ii, c.j);
  EXPECT_EQ(fused.name(), "i.inner.j.fused");
  EXPECT_REFUSED(c.s[c.D].vectorize(c.j),
                 "s[D].vectorize(j): j has already been fused: directive 2, s[D].fuse(i.inner, j), made "
                 "i.inner.j.fused of it; the leaves of D are i.outer, i.inner.j.fused");
  EXPECT_REFUSED(c.s[c.C].compute_at(c.s[c.D], c.i),
                 "s[C].compute_at(s[D], i): i has already been split: directive 1, s[D].split(i, factor=4), "
                 "made i.outer, i.inner of it; the leaves of D are i.outer, i.inner.j.fused");
}

TEST(Leaves, belong_to_their_stage) {
  const ProductPlusOne c;
  EXPECT_REFUSED(c.s[c.D].split(c.k, 2),
                 "s[D].split(k, factor=2): k is an axis of C, not of D; the leaves of D are i, j");
  EXPECT_REFUSED(c.s[c.C].split(Axis("x", IteratorKind::spatial), 2),
                 "s[C].split(x, factor=2): x is no axis of C; the leaves of C are i, j, k");
  EXPECT_REFUSED(c.s[c.A].split(c.i, 2),
                 "s[A].split(i, factor=2): i is an axis of D, not of A; A has no loops");
  EXPECT_REFUSED(c.s[c.A].compute_inline(), "s[A].compute_inline(): A is an input, which has no loops");
}

TEST(Leaves, are_named_once_and_fused_in_their_order) {
  const ProductPlusOne c;
  EXPECT_REFUSED(c.s[c.D].reorder(c.i, c.j, c.i), "s[D].reorder(i, j, i): i is named twice");
  EXPECT_REFUSED(c.s[c.D].fuse(c.j, c.i),
                 "s[D].fuse(j, i): they are not consecutive, outermost first: the leaves of D are i, j; "
                 "reorder them first");
  EXPECT_REFUSED(c.s[c.C].fuse(op(c.C).axis[1], c.k),
                 "s[C].fuse(j, k): j is spatial and k is reduced over; one loop over both could not tell "
                 "where a reduction begins");
  EXPECT_REFUSED(c.s[c.D].tile(c.i, c.i, 2, 2), "s[D].tile(i, i, 2, 2): i is named twice");
}

TEST(Leaves, take_positive_numbers) {
  const ProductPlusOne c;
  EXPECT_REFUSED(c.s[c.D].split(c.i, 0), "s[D].split(i, factor=0): the number must be positive");
  EXPECT_REFUSED(c.s[c.D].split(c.i, SplitBy{}), "s[D].split(i): give either a factor or nparts");
  EXPECT_REFUSED(c.s[c.D].split(c.i, {.factor = 2, .nparts = 8}),
                 "s[D].split(i, factor=2): give either a factor or nparts");
  EXPECT_REFUSED(c.s[c.D].tile(c.i, c.j, 2, -1), "s[D].tile(i, j, 2, -1): the numbers must be positive");
}

TEST(Leaves, stay_as_they_are_where_something_counts_on_them) {
  const ProductPlusOne c;
  c.s[c.D].parallel(c.i);
  EXPECT_REFUSED(c.s[c.D].split(c.i, 4),
                 "s[D].split(i, factor=4): directive 1, s[D].parallel(i), marks i; reshape the loop first, "
                 "then mark what it becomes");
  EXPECT_REFUSED(c.s[c.D].unroll(c.i),
                 "s[D].unroll(i): directive 1, s[D].parallel(i), says already how it runs");
  c.s[c.C].compute_at(c.s[c.D], c.j);
  EXPECT_REFUSED(c.s[c.D].split(c.j, 4),
                 "s[D].split(j, factor=4): directive 2, s[C].compute_at(s[D], j), puts C at j; reshape the "
                 "loop first, then place C at what it becomes");
}

TEST(Places, are_loops_of_later_stages) {
  const ProductPlusOne c;
  EXPECT_REFUSED(c.s[c.D].compute_at(c.s[c.C], c.k),
                 "s[D].compute_at(s[C], k): C is made before D, and cannot use it");
  EXPECT_REFUSED(c.s[c.D].compute_at(c.s[c.D], c.j),
                 "s[D].compute_at(s[D], j): a stage cannot stand in its own loops");
  const ProductPlusOne other;
  EXPECT_REFUSED(c.s[c.C].compute_at(other.s[other.D], other.j),
                 "s[C].compute_at(s[D], j): D belongs to another schedule");
  EXPECT_REFUSED(c.s[other.D], "s[D]: no output of the schedule needs D; name it in create_schedule");
}

TEST(Rfactor, comes_before_what_is_about_other_axes) {
  const ProductPlusOne c;
  EXPECT_REFUSED(c.s.rfactor(c.C, op(c.C).axis[0]),
                 "s.rfactor(C, i): i is no axis that C reduces over; those are k");
  EXPECT_REFUSED(c.s.rfactor(c.C, c.k, 3),
                 "s.rfactor(C, k, factor_axis=3): factor_axis must be from -3 to 2");
  c.s[c.C].split(op(c.C).axis[1], 4);
  EXPECT_REFUSED(c.s.rfactor(c.C, c.k),
                 "s.rfactor(C, k): directive 1, s[C].split(j, factor=4), is about more than the reduction, "
                 "which moves to another stage; take rfactor before it");
}

TEST(Rfactor, moves_the_axes_to_the_partial_results) {
  const ProductPlusOne c;
  const auto [ko, ki] = c.s[c.C].split(c.k, 2);
  const te::Tensor CF = c.s.rfactor(c.C, ki);
  EXPECT_EQ(names_of(c.s[CF].op().axis), "k.inner, i, j");
  EXPECT_EQ(names_of(c.s[CF].op().reduce_axis), "k.outer");
  EXPECT_EQ(names_of(c.s[c.C].op().reduce_axis), "k.inner.v");
  EXPECT_REFUSED(c.s[c.C].unroll(ki),
                 "s[C].unroll(k.inner): k.inner is an axis of C.rf, not of C, which combines the partial "
                 "results of C.rf; the leaves of C are i, j, k.inner.v");
}

TEST(Refusals, name_the_directive) {
  const ProductPlusOne c;
  c.s[c.D].vectorize(c.j);
  c.s[c.C].parallel(c.k);
  try {
    lower(c.s, {c.A, c.B, c.D});
    ADD_FAILURE() << "not refused";
  } catch (const schedule::Refused& refused) {
    EXPECT_EQ(refused.code(), "loop_carries_dependence");
    EXPECT_TRUE(std::string(refused.what()).starts_with("directive 2, s[C].parallel(k): parallel(loop=k): "))
        << refused.what();
  }
}

TEST(Refusals, name_the_directive_about_a_stage_that_is_inlined) {
  const ProductPlusOne c;
  const te::Tensor E =
      te::compute("E", {{"i", 16}, {"j", 12}}, [&](const Var& i, const Var& j) { return c.D(i, j) * 2; });
  const Schedule s = create_schedule({E});
  s[c.D].split(c.i, 4);
  s[c.D].compute_inline();
  EXPECT_REFUSED(lower(s, {c.A, c.B, E}),
                 "directive 1, s[D].split(i, factor=4): D has no loops: directive 2, s[D].compute_inline(), "
                 "writes it where it is read");
  s[c.D].compute_root();  // the last place counts
  test::expect_same_answers(lower(s, {c.A, c.B, E}));
}

TEST(Refusals, name_an_output_that_nobody_would_get) {
  const ProductPlusOne c;
  EXPECT_REFUSED(
      lower(c.s, {c.A, c.B}),
      "lower(main): D is an output of the schedule, and is neither among the arguments nor read by a "
      "stage: it would be computed for nobody; add it to the arguments, or leave it out of "
      "create_schedule");
  // What another stage reads is memory of the program.
  test::expect_same_answers(lower(create_schedule({c.C, c.D}), {c.A, c.B, c.D}));
}

TEST(Refusals, name_the_directive_that_left_nothing_to_copy) {
  const ProductPlusOne c;
  const te::Tensor DL = c.s.cache_write(c.D, "global");
  c.s[DL].compute_inline();
  c.s.cache_read(DL, "global", {c.D});
  EXPECT_REFUSED(lower(c.s, {c.A, c.B, c.D}),
                 "directive 3, s.cache_read(D.global, \"global\", [D]): D.global has no loops: directive 2, "
                 "s[D.global].compute_inline(), writes it where it is read");

  const te::Tensor E =
      te::compute("E", {{"i", 16}, {"j", 12}}, [&](const Var& i, const Var& j) { return c.D(i, j) * 2; });
  const te::Tensor F =
      te::compute("F", {{"i", 16}, {"j", 12}}, [&](const Var& i, const Var& j) { return E(i, j) + 1; });
  const Schedule read = create_schedule({F});
  read[c.D].compute_inline();
  read.cache_read(c.D, "global", {E});
  EXPECT_REFUSED(lower(read, {c.A, c.B, F}),
                 "directive 2, s.cache_read(D, \"global\", [E]): D has no loops: directive 1, "
                 "s[D].compute_inline(), writes it where it is read");
  const Schedule reader = create_schedule({F});
  reader[E].compute_inline();
  reader.cache_read(c.D, "global", {E});
  EXPECT_REFUSED(lower(reader, {c.A, c.B, F}),
                 "directive 2, s.cache_read(D, \"global\", [E]): E has no loops: directive 1, "
                 "s[E].compute_inline(), writes it where it is read");
  const Schedule written = create_schedule({F});
  written[E].compute_inline();
  written.cache_write(E, "global");
  EXPECT_REFUSED(lower(written, {c.A, c.B, F}),
                 "directive 2, s.cache_write(E, \"global\"): E has no loops: directive 1, "
                 "s[E].compute_inline(), writes it where it is read");
}

TEST(Lower, knows_the_tensors_of_the_schedule_only) {
  const ProductPlusOne c;
  const te::Tensor other = te::compute("other", {{"i", 16}}, [&](const Var& i) { return c.A(i, 0); });
  EXPECT_REFUSED(lower(c.s, {c.A, c.B, c.D, other}),
                 "s[other]: no output of the schedule needs other; name it in create_schedule");
}

}  // namespace
}  // namespace ardea::stages
