#include <gtest/gtest.h>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/builder.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"

namespace ardea::arith_tests {
namespace {

struct Statements : testing::Test {
  Var i{"i"}, j{"j"}, n{"n"};
  Buffer a = make_buffer("A", std::vector<std::int64_t>{64}, int64);
  arith::Analyzer facts;

  Statements() { facts.parameter(n); }
  Stmt store(const Expr& index, const Expr& value) const { return make_store(a, {index}, value); }
  std::string simple(const Stmt& s, bool drop_unit_loops = false) const {
    return print(arith::simplify(s, facts, drop_unit_loops));
  }
};

TEST_F(Statements, know_the_ranges_of_their_loops) {
  const Stmt s = make_for(i, make_int(0), make_int(8), store(floor_mod(i, 8), floor_div(i, 8)));
  EXPECT_EQ(simple(s), "for i in range(8):\n    A[i] = 0\n");
}

TEST_F(Statements, lose_loops_that_never_run_and_branches_that_never_hold) {
  EXPECT_TRUE(is_no_op(arith::simplify(make_for(i, make_int(0), n - n, store(i, i)), facts)));
  const Stmt s = make_for(i, make_int(0), make_int(8), make_if(i < make_int(8), store(i, i), store(i, n)));
  EXPECT_EQ(simple(s), "for i in range(8):\n    A[i] = i\n");
  const Stmt never = make_for(i, make_int(0), n, make_if(i >= n, store(i, i)));
  EXPECT_TRUE(is_no_op(arith::simplify(never, facts)));
}

TEST_F(Statements, drop_unit_loops_only_when_asked) {
  const Stmt s = make_for(i, make_int(3), make_int(1), store(i, i));
  EXPECT_EQ(simple(s), "for i in range(3, 4):\n    A[3] = 3\n");
  EXPECT_EQ(simple(s, true), "A[3] = 3\n");
  const Stmt thread = make_for(i, make_int(0), make_int(1), store(i, i), ForKind::thread_binding);
  EXPECT_TRUE(arith::simplify(thread, facts, true).is<For>());
}

TEST_F(Statements, use_the_condition_around_them) {
  const Stmt s = make_for(i, make_int(0), n, make_if(i < make_int(4), store(min(i, make_int(4)), i)));
  EXPECT_EQ(simple(s), "for i in range(n):\n    if i < 4:\n        A[i] = i\n");
}

TEST_F(Statements, do_not_trust_a_condition_on_memory_that_may_change) {
  const Expr element = make_load(a, {make_int(0)});
  const Stmt s =
      make_if(element > make_int(0),
              make_seq({store(make_int(0), make_int(-1)), store(make_int(1), max(element, make_int(0)))}));
  const Stmt result = arith::simplify(s, facts);
  EXPECT_EQ(print(result), print(s));
}

TEST_F(Statements, let_arithmetic_on_data_wrap) {
  Var data("data");
  const Stmt s = LetStmt{data, make_load(a, {n}), store(make_int(0), make_select(data + 1 > data, n, n * 2))};
  EXPECT_EQ(print(arith::simplify(s, facts)), print(s));
}

TEST_F(Statements, are_the_same_node_where_nothing_changes) {
  const Stmt s = make_for(i, make_int(0), n, store(i, i * 2));
  EXPECT_EQ(arith::simplify(s, facts), s);
}

TEST_F(Statements, trust_what_an_assertion_let_through) {
  const Stmt s = make_seq(
      {Stmt(Assert{n <= make_int(8), "small"}), make_for(i, make_int(0), n, store(i, floor_div(i, 8)))});
  EXPECT_NE(simple(s).find("A[i] = 0"), std::string::npos) << simple(s);
}

TEST(FactsOf, a_function_are_its_positive_extents) {
  Var n("n");
  FunctionBuilder f("f");
  const Buffer b = f.parameter("B", std::vector<Expr>{n});
  f.store(b, {make_int(0)}, make_float(1));
  EXPECT_TRUE(arith::facts_of(f.build()).proves(n >= make_int(1)));
}

}  // namespace
}  // namespace ardea::arith_tests
