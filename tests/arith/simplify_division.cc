#include <gtest/gtest.h>

#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "evaluate.h"

/// Every rule of division and modulo is a row: what is written, what it becomes, and the facts that it needs.
/// Each row is also evaluated at random points, negative ones included.

namespace ardea::arith_tests {
namespace {

struct Rows : testing::Test {
  Var x{"x"}, y{"y"}, i{"i"}, j{"j"}, k{"k"}, n{"n"}, m{"m"}, q{"q"};
  arith::Analyzer facts;

  Rows() {
    facts.parameter(n);
    facts.parameter(m);
    facts.parameter(q, 4, 4);
    facts.bind(i, {make_int(0), make_int(16)});
    facts.bind(j, {make_int(0), make_int(4)});
    facts.bind(k, {make_int(0), n});
  }

  Point draw(Random& random) const {
    Point p = {{x, random.integer(-50, 50)}, {y, random.integer(-50, 50)}, {i, random.integer(0, 15)},
               {j, random.integer(0, 3)},    {n, random.integer(1, 9)},    {m, random.integer(1, 9)},
               {q, random.integer(1, 9) * 4}};
    p[k] = random.integer(0, p[n] - 1);
    return p;
  }

  void becomes(const char* rule, const Expr& e, const std::string& expected) {
    const Expr simple = facts.simplify(e);
    EXPECT_EQ(print(simple), expected) << rule << ": " << print(e);
    EXPECT_TRUE(structurally_equal(facts.simplify(simple), simple)) << rule;
    Random random(1);
    for (int n_points = 0; n_points < 300; ++n_points) {
      const Point point = draw(random);
      ASSERT_EQ(evaluate(simple, point), evaluate(e, point))
          << rule << ": " << print(e) << " became " << print(simple);
    }
  }
};

Expr trunc_div(const Expr& a, std::int64_t b) { return make_binary(BinaryOp::trunc_div, a, make_int(b)); }
Expr trunc_mod(const Expr& a, std::int64_t b) { return make_binary(BinaryOp::trunc_mod, a, make_int(b)); }

TEST_F(Rows, of_division_by_numbers) {
  becomes("whole terms leave", floor_div(x * 8 + j, 4), "x * 2");
  becomes("whole terms leave", floor_mod(x * 8 + j, 4), "j");
  becomes("negative whole terms", floor_div(x * -8 + j, 4), "x * -2");
  becomes("the constant is reduced", floor_div(x + 9, 4), "(x + 1) // 4 + 2");
  becomes("the constant is reduced", floor_div(x - 1, 4), "(x + 3) // 4 - 1");
  becomes("the constant is reduced", floor_mod(x - 1, 4), "(x + 3) % 4");
  becomes("no whole turn", floor_div(j + 4, 8), "0");
  becomes("one whole turn", floor_div(i + 16, 16), "1");
  becomes("one whole turn", floor_mod(i - 16, 16), "i");
  becomes("a common divisor", floor_div(x * 4 + 3, 16), "x // 4");
  becomes("a common divisor", floor_mod(x * 4 + 3, 16), "x % 4 * 4 + 3");
  becomes("a divisor above a small rest", floor_div(x * 4 + j, 16), "x // 4");
  becomes("a divisor above a small rest", floor_mod(x * 4 + j, 16), "x % 4 * 4 + j");
  becomes("(x // a) // b", floor_div(floor_div(x, 3), 5), "x // 15");
  becomes("(x // a + c) // b", floor_div(floor_div(x, 4) + 1, 4), "(x + 4) // 16");
  becomes("(x % ab) // b", floor_div(floor_mod(x, 12), 4), "x // 4 % 3");
  becomes("(x % ab) % b", floor_mod(floor_mod(x, 12), 4), "x % 4");
  becomes("(c (x % a) + y) % b", floor_mod(floor_mod(x, 6) * 2 + y, 4), "(x * 2 + y) % 4");
  becomes("(x // m) m + x % m", floor_div(x, 7) * 7 + floor_mod(x, 7), "x");
  becomes("the same with a factor", floor_div(x, 7) * 21 + floor_mod(x, 7) * 3, "x * 3");
  becomes("the same through a chain",
          floor_div(x, 12) * 12 + floor_mod(floor_div(x, 4), 3) * 4 + floor_mod(x, 4), "x");
  becomes("by one", floor_div(x, 1), "x");
  becomes("by one", floor_mod(x, 1), "0");
}

TEST_F(Rows, of_division_by_parameters) {
  becomes("whole terms leave", floor_div(x * n + k, n), "x");
  becomes("whole terms leave", floor_mod(x * n + k, n), "k");
  becomes("a common divisor", floor_div(x * n + k, n * 4), "x // 4");
  becomes("a common divisor", floor_mod(x * n + k, n * 4), "x % 4 * n + k");
  becomes("by a sum", floor_div(x * (n + 1) + k, n + 1), "x");
  becomes("(x // a) // b", floor_div(floor_div(x, n), m), "x // (n * m)");
  becomes("(x // m) m + x % m", floor_div(x, n) * n + floor_mod(x, n), "x");
  becomes("a known divisor", floor_mod(q, 4), "0");
  becomes("a known divisor", floor_mod(q + 3, 2), "1");
  becomes("a known divisor", floor_div(q, 4) * 4, "q");
  becomes("itself", floor_div(n, n), "1");
}

TEST_F(Rows, of_negative_divisors) {
  becomes("x // -m", floor_div(x, -4), "x * -1 // 4");
  becomes("x % -m", floor_mod(x, -4), "x * -1 % 4 * -1");
}

TEST_F(Rows, of_truncation) {
  becomes("not negative", trunc_div(i * 4 + j, 4), "i");
  becomes("not negative", trunc_mod(i * 4 + j, 4), "j");
  becomes("not positive", trunc_div(i * -4 - j, 4), "i * -1");
  becomes("not positive", trunc_mod(i * -4 - j, 4), "j * -1");
  becomes("a negative divisor", trunc_div(i * 4 + j, -4), "i * -1");
  becomes("a negative divisor", trunc_mod(i * 4 + j, -4), "j");
  const Expr unknown = trunc_div(x, 4);
  becomes("an unknown sign", unknown, print(unknown));
}

}  // namespace
}  // namespace ardea::arith_tests
