#include "ardea/arith/scopes.h"

#include <gtest/gtest.h>

#include "ardea/arith/content.h"
#include "ardea/arith/regions.h"
#include "evaluate.h"

/// What is remembered changes no answer, and no count of the work.

namespace ardea::arith_tests {
namespace {

using arith::Analyzer;
using arith::Proof;
using arith::Question;

struct Remembered : testing::Test {
  const Var n{"n"}, i{"i"}, j{"j"};

  Remembered() { arith::forget_scopes(); }

  /// The same facts, in nodes of their own.
  Analyzer facts() const {
    Analyzer made;
    made.parameter(n, 4);
    made.bind(i, {make_int(0), floor_div(n + 3, 4)});
    made.bind(j, {make_int(0), make_int(4)});
    made.assume(i * 4 + j < n);
    return made;
  }

  /// What a question around `ask` is charged.
  template <class Ask>
  static std::int64_t steps_of(const Ask& ask) {
    const Question around(arith::steps_of_an_analysis);
    ask();
    return around.spent();
  }

  template <class Ask>
  static void expect_same_steps_again(const Ask& ask) {
    const std::int64_t first = steps_of(ask);
    EXPECT_GT(first, 4);
    EXPECT_EQ(steps_of(ask), first);
    arith::forget_scopes();
    EXPECT_EQ(steps_of(ask), first);
  }
};

TEST_F(Remembered, facts_are_the_same_for_the_same_content) {
  EXPECT_EQ(facts().facts(), facts().facts());
  Analyzer other = facts();
  other.assume(i * 4 + j < n - 1);
  EXPECT_NE(other.facts(), facts().facts());
}

TEST_F(Remembered, answers_cost_what_they_cost_first) {
  expect_same_steps_again([&] { facts().simplify(min(i * 4 + j, n) + floor_div(i * 8, 4)); });
  expect_same_steps_again([&] { EXPECT_TRUE(facts().proves(i * 4 + j + 1 <= n)); });
  expect_same_steps_again([&] { facts().constant_bounds(i * 4 + j * 3); });
  expect_same_steps_again([&] { facts().bounds(i * 4 + j, {i, j}); });
  expect_same_steps_again([&] { facts().congruence(i * 4 + j * 8 + 3); });
  const Buffer buffer = make_buffer("A", std::vector<Expr>{n}, float32);
  expect_same_steps_again([&] {
    relax({buffer, {{i * 4 + j, make_int(1)}}}, {{j, {make_int(0), make_int(4)}}}, {i * 4 + j < n}, facts());
  });
}

TEST_F(Remembered, a_question_that_was_too_long_is_so_again) {
  const auto ask = [&] { return facts().prove(i * 4 + j + 1 <= n); };
  ask();
  const std::int64_t steps = steps_of(ask);
  for (const bool remembered : {true, false}) {
    if (!remembered) arith::forget_scopes();
    {
      const Question around(steps - 1);
      EXPECT_EQ(ask(), Proof::unknown) << remembered;
      EXPECT_TRUE(Question::is_exhausted());
    }
    const Question around(steps);
    EXPECT_EQ(ask(), Proof::proved) << remembered;
  }
}

TEST_F(Remembered, what_stays_as_it_is_stays_the_node_that_it_is) {
  for (int round = 0; round < 2; ++round) {
    const Expr e = i * 4 + j;
    EXPECT_EQ(facts().simplify(e), e);
  }
}

TEST_F(Remembered, a_variable_may_turn_out_to_be_data_after_a_condition_named_it) {
  const Var x("x");
  Analyzer index;
  index.assume(x > make_int(3));
  EXPECT_TRUE(index.proves(x + 1 > x));
  Analyzer data = index;
  data.data(x);
  EXPECT_EQ(data.prove(x + 1 > x), Proof::unknown);
}

TEST_F(Remembered, a_range_counts_after_a_condition_named_its_variable) {
  const Var x("x");
  Analyzer some;
  some.assume(x * 2 > n);
  EXPECT_FALSE(some.proves(x < make_int(10)));
  some.bind(x, {make_int(0), make_int(10)});
  EXPECT_TRUE(some.proves(x < make_int(10)));
  EXPECT_TRUE(some.proves(n < make_int(18)));
}

/// Whether the question is another one with `more` facts.
bool needs(const Analyzer& more, const Analyzer& facts, const Expr& e) {
  const arith::Scope* const without = &arith::scope_for(facts.facts(), {e});
  return &arith::scope_for(more.facts(), {e}) != without;
}

TEST_F(Remembered, a_question_is_the_same_under_facts_that_it_does_not_need) {
  const Var k("k"), m("m"), x("x"), y("y");
  Analyzer more = facts();
  more.parameter(m, 2);
  more.bind(k, {make_int(0), m * 3});
  more.assume(k + 5 < m * 2);
  EXPECT_FALSE(needs(more, facts(), i * 4 + j < n));
  EXPECT_FALSE(needs(more, facts(), j + 1));
  EXPECT_TRUE(needs(more, facts(), i + k));
  EXPECT_TRUE(needs(more, facts(), m * 2));
  EXPECT_EQ(steps_of([&] { EXPECT_TRUE(more.proves(i * 4 + j + 1 <= n)); }),
            steps_of([&] { EXPECT_TRUE(facts().proves(i * 4 + j + 1 <= n)); }));
  // A condition of a variable that only another condition names.
  Analyzer chained = more;
  chained.assume(i < k);
  EXPECT_TRUE(needs(chained, facts(), i));
  EXPECT_TRUE(chained.proves(i + 6 < m * 2));
  // A name for a variable means the variable.
  Analyzer named = facts();
  named.define(x, i);
  named.define(y, x);
  named.assume(y < make_int(1));
  EXPECT_TRUE(needs(named, facts(), i));
  EXPECT_TRUE(named.proves(i < make_int(1)));
}

TEST_F(Remembered, conditions_on_what_has_no_facts_are_needed_by_all) {
  const Var free("free"), x("x");
  Analyzer about_free = facts();
  about_free.assume(free * 2 > make_int(5));
  EXPECT_TRUE(about_free.proves(free >= make_int(3)));
  Analyzer by_name = facts();
  by_name.define(x, free);
  by_name.assume(x >= make_int(3));
  EXPECT_TRUE(by_name.proves(free > make_int(2)));
  const Buffer buffer = make_buffer("A", {4}, int32);
  Analyzer about_memory = facts();
  about_memory.assume(make_load(buffer, {make_int(0)}) < make_int(5, int32));
  EXPECT_TRUE(about_memory.proves(make_load(buffer, {make_int(0)}) < make_int(6, int32)));
}

TEST_F(Remembered, more_facts_than_are_told_apart_are_all_needed) {
  Analyzer many = facts();
  for (int count = 0; count < 100; ++count) many.bind(Var("k"), {make_int(0), make_int(8)});
  EXPECT_TRUE(needs(many, facts(), i * 4 + j));
  EXPECT_TRUE(many.proves(i * 4 + j < n));
}

TEST(Prove, a_value_is_no_less_and_no_more_than_itself) {
  const Var a("a"), b("b");
  const auto value = [&] { return min(a * b + 7, floor_div(b, max(a, make_int(1)))); };
  EXPECT_EQ(Analyzer().prove(value() <= value()), Proof::proved);
  EXPECT_EQ(Analyzer().prove(equals(value(), value())), Proof::proved);
  EXPECT_EQ(Analyzer().prove(value() > value()), Proof::refuted);
  EXPECT_EQ(Analyzer().prove(value() < value() + b), Proof::unknown);
}

TEST(Content, tells_expressions_apart_by_what_they_say) {
  const Var i("i"), same_name("i");
  const auto equal = [](const Expr& a, const Expr& b) {
    EXPECT_EQ(arith::same_content(a, b), arith::content_hash(a) == arith::content_hash(b));
    return arith::same_content(a, b);
  };
  EXPECT_TRUE(equal(min(i + 1, make_int(4)), min(i + 1, make_int(4))));
  EXPECT_FALSE(equal(i + 1, same_name + 1));
  EXPECT_FALSE(equal(i + 1, i + 2));
  EXPECT_FALSE(equal(i + 1, i - 1));
  EXPECT_FALSE(equal(make_int(1), make_int(1, int32)));
  EXPECT_FALSE(equal(i < make_int(1), i <= make_int(1)));
}

TEST(Content, of_a_let_is_its_own) {
  const Var i("i"), x("x");
  EXPECT_FALSE(arith::content_hash(make_let(x, i * 2, x + x)));
}

}  // namespace
}  // namespace ardea::arith_tests
