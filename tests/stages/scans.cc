#include <gtest/gtest.h>

#include "ardea/te/compute.h"
#include "ardea/te/scan.h"
#include "tests/stages/run.h"
#include "tests/te/refused.h"

/// Recurrences: the steps are the scan's loop, and each stage of the cell has loops of its own inside.

namespace ardea::stages {
namespace {

/// next[t] = (last[t - 1] + 1) * 2 + 2 * X[t], through stages of their own.
struct Recurrence {
  te::Tensor X = te::placeholder("X", {9, 14}), state = te::placeholder("state", {9, 14});
  te::Tensor init =
      te::compute("init", {{"o", 1}, {"i", 14}}, [&](const Var&, const Var& i) { return X(0, i); });
  te::Tensor twice =
      te::compute("twice", {{"t", 9}, {"i", 14}}, [&](const Var& t, const Var& i) { return X(t, i) * 2; });
  te::Tensor last = te::compute("last", {{"t", 9}, {"i", 14}},
                                [&](const Var& t, const Var& i) { return state(t - 1, i) + 1; });
  te::Tensor next = te::compute("next", {{"t", 9}, {"i", 14}},
                                [&](const Var& t, const Var& i) { return last(t, i) * 2 + twice(t, i); });
  te::Tensor result = te::scan("result", {init}, {next}, {state})[0];
  te::Tensor Y = te::compute("Y", {{"i", 14}}, [&](const Var& i) { return result(8, i) - result(0, i); });
};

TEST(Scans, shape_the_loops_of_each_stage) {
  const Recurrence r;
  const Schedule s = create_schedule({r.Y});
  const auto [no, ni] = s[r.next].split(op(r.next).axis[1], 4);
  s[r.next].vectorize(ni);
  const auto [lo, li] = s[r.last].split(op(r.last).axis[1], {.nparts = 4});
  s[r.last].reorder(li, lo);
  s[r.init].parallel(op(r.init).axis[1]);
  const auto [to, ti] = s[r.result].split(op(r.result).axis[0], 3);
  s[r.result].unroll(ti);
  const Lowered lowered = lower(s, {r.X, r.Y});
  test::expect_same_answers(lowered);
  EXPECT_EQ(test::loops_of(lowered.function),
            (std::vector<std::string>{"o 1", "i 14", "t 9", "i 14", "i0 1", "i1 14", "t_outer 3", "t_inner 3",
                                      "i_inner 4", "i_outer 4", "i_outer 4", "i_inner 4", "i 14"}));
}

TEST(Scans, place_other_stages_at_the_steps) {
  const Recurrence r;
  const Schedule s = create_schedule({r.Y});
  s[r.init].compute_inline();
  s[r.twice].compute_at(s[r.result], op(r.result).axis[0]);
  const Lowered lowered = lower(s, {r.X, r.Y});
  test::expect_same_answers(lowered);
  EXPECT_EQ(test::loops_of(lowered.function),
            (std::vector<std::string>{"i0 1", "i1 14", "t 8", "i 14", "t 1", "i 14", "i 14", "i 14"}));
}

TEST(Scans, keep_their_steps_in_order) {
  const Recurrence r;
  const Schedule s = create_schedule({r.Y});
  EXPECT_REFUSED(
      s[r.next].split(op(r.next).axis[0], 2),
      "s[next].split(t, factor=2): t is no axis of next, whose steps t are those of s[result]; the "
      "leaves of next are i");
  s[r.result].parallel(op(r.result).axis[0]);
  try {
    lower(s, {r.X, r.Y});
    ADD_FAILURE() << "not refused";
  } catch (const schedule::Refused& refused) {
    EXPECT_EQ(refused.code(), "loop_carries_dependence");
  }
}

}  // namespace
}  // namespace ardea::stages
