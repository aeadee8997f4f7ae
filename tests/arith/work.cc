#include "ardea/arith/work.h"

#include <gtest/gtest.h>

#include "ardea/arith/iter_map.h"
#include "ardea/arith/regions.h"
#include "evaluate.h"

/// Every question ends after a counted number of steps, whatever it is about.

namespace ardea::arith_tests {
namespace {

using arith::Analyzer;
using arith::Proof;
using arith::Question;

/// Minima, maxima and quotients of each other, over symbolic extents: each level is more to split into cases.
struct Tangle : testing::Test {
  Analyzer facts;
  std::vector<std::pair<Var, Range>> loops;
  Expr e;

  Tangle() {
    const Var n("n"), m("m");
    facts.parameter(n);
    facts.parameter(m);
    e = n;
    for (int level = 0; level < 12; ++level) {
      const Var x("x" + std::to_string(level));
      const Range range{make_int(0), min(floor_div(e, 3) + 2, m + level)};
      facts.bind(x, range);
      facts.assume(floor_div(e + x, 2) < max(e - x * 3, floor_div(m * x, 5)));
      loops.emplace_back(x, range);
      e = max(min(floor_div(e, 3) - x * 5, m - floor_div(e * 2 + x, 7)), floor_mod(e - x * n, 11) + x);
    }
  }

  /// The steps that `ask` takes.
  template <class Ask>
  static std::int64_t steps_of(const Ask& ask) {
    const std::int64_t before = Question::steps_taken();
    ask();
    return Question::steps_taken() - before;
  }
};

// What is spent last may go beyond.
constexpr std::int64_t question = arith::steps_of_a_question + arith::steps_of_facts + 1000,
                       region = arith::steps_of_a_region + arith::steps_of_facts + 1000;

TEST_F(Tangle, is_left_as_it_is) {
  Expr simple;
  EXPECT_LE(steps_of([&] { simple = facts.simplify(e); }), question);
  EXPECT_EQ(simple, e);
}

TEST_F(Tangle, is_not_proved_and_not_bounded) {
  EXPECT_LE(steps_of([&] { EXPECT_EQ(facts.prove(e >= loops[3].first), Proof::unknown); }), question);
  EXPECT_LE(steps_of([&] { facts.constant_bounds(e); }), question);
  EXPECT_LE(steps_of([&] { facts.bounds(e); }), question);
  EXPECT_LE(steps_of([&] { facts.congruence(e); }), question);
}

TEST_F(Tangle, as_an_index_touches_the_whole_buffer) {
  const Buffer buffer = make_buffer("A", std::vector<std::int64_t>{100}, float32);
  const auto box = [&] { return relax({buffer, {{e, make_int(1)}}}, loops, Analyzer()); };
  // Each loop is bound, and asked whether it runs, before.
  EXPECT_LE(steps_of(box), region + static_cast<std::int64_t>(loops.size() + 1) * question);
  EXPECT_FALSE(box().exact);
}

TEST_F(Tangle, as_a_binding_is_not_understood) {
  EXPECT_LE(steps_of([&] { EXPECT_FALSE(iter_map({e}, loops, {}, Analyzer())); }), region);
}

TEST_F(Tangle, does_not_change_what_is_asked_next) {
  facts.prove(e >= loops[3].first);
  EXPECT_EQ(facts.prove(loops[3].first >= make_int(0)), Proof::proved);
}

TEST(Work, of_a_question_is_paid_by_the_one_around_it) {
  const Question around(100);
  EXPECT_FALSE(arith::answered(1000, false, [] { return Question::spend(101), true; }));
  EXPECT_TRUE(Question::is_exhausted());
  // What is asked after that is not even begun.
  const Var i("i");
  EXPECT_EQ(Analyzer().prove(i + 1 > i), Proof::unknown);
}

}  // namespace
}  // namespace ardea::arith_tests
