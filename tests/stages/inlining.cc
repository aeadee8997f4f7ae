#include <gtest/gtest.h>

#include "ardea/te/compute.h"
#include "tests/stages/run.h"

namespace ardea::stages {
namespace {

TEST(AutoInline, leaves_reductions_outputs_and_what_has_directives) {
  const te::Tensor A = te::placeholder("A", {8, 6});
  const te::Axis k = te::reduce_axis(6, "k");
  const te::Tensor B =
      te::compute("B", {{"i", 8}, {"j", 6}}, [&](const Var& i, const Var& j) { return A(i, j) + 1; });
  const te::Tensor C =
      te::compute("C", {{"i", 8}, {"j", 6}}, [&](const Var& i, const Var& j) { return B(i, j) * 2; });
  const te::Tensor D = te::compute("D", {{"i", 8}}, [&](const Var& i) { return te::sum(C(i, k), {k}); });
  const te::Tensor E = te::compute("E", {{"i", 8}}, [&](const Var& i) { return D(i) - 3; });
  const te::Tensor F = te::compute("F", {{"i", 8}}, [&](const Var& i) { return E(i) * D(i); });
  const Schedule s = create_schedule({F});
  s[E].unroll(op(E).axis[0]);
  auto_inline_injective(s);
  EXPECT_EQ(print(s), "1: s[E].unroll(i)\n2: s.auto_inline() of B\n3: s.auto_inline() of C\n");
  const Lowered lowered = lower(s, {A, F});
  test::expect_same_answers(lowered);
  EXPECT_EQ(test::loops_of(lowered.function), (std::vector<std::string>{"i 8", "k 6", "i 8", "i 8"}));
}

/// What cannot be inlined stays, because nobody asked for this one: B is wanted.
TEST(AutoInline, leaves_what_the_engine_refuses) {
  const te::Tensor A = te::placeholder("A", {8});
  const te::Tensor B = te::compute("B", {{"i", 8}}, [&](const Var& i) { return A(i) + 1; });
  const te::Tensor C = te::compute("C", {{"i", 8}}, [&](const Var& i) { return B(i) * 2; });
  const Schedule s = create_schedule({C});
  s.auto_inline();
  const Lowered lowered = lower(s, {A, B, C});
  test::expect_same_answers(lowered);
  EXPECT_EQ(test::loops_of(lowered.function).size(), 2u);
}

}  // namespace
}  // namespace ardea::stages
