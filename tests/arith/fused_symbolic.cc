#include <gtest/gtest.h>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/load.h"

namespace ardea::arith {
namespace {

/// Loops fused by hand over symbolic extents: the quotient stays in its domain because the fused loop does.
TEST(FusedBindings, stay_in_symbolic_domains) {
  const auto program = [](const std::string& extent, const std::string& rows, const std::string& columns) {
    return "@T.prim_func\ndef f(x: T.handle, y: T.handle):\n    n = T.int64()\n    m = T.int64()\n"
           "    X = T.match_buffer(x, (n, m), \"float32\")\n    Y = T.match_buffer(y, (" +
           rows + ", " + columns + "), \"float32\")\n    for i in range(" + extent +
           "):\n        with T.block(\"b\"):\n"
           "            v0 = T.axis.spatial(" +
           rows + ", i // " + columns + ")\n            v1 = T.axis.spatial(" + columns + ", i % " + columns +
           ")\n            Y[v0, v1] = X[0, 0]\n";
  };
  EXPECT_NO_THROW(load_program(program("9 * n", "9", "n"), "constant rows"));
  EXPECT_NO_THROW(load_program(program("n * 3", "n", "3"), "constant columns"));
  EXPECT_NO_THROW(load_program(program("m * m", "m", "m"), "a square"));
  EXPECT_NO_THROW(load_program(program("n * m", "n", "m"), "two extents"));
  EXPECT_ANY_THROW(load_program(program("9 * n + 1", "9", "n"), "one too many"));
}

/// Loops over tiles of symbolic sizes, fused: a guard on the tail of one of them takes nothing away from what
/// is known without it, and says nothing of the other.
TEST(FusedBindings, stay_in_symbolic_domains_under_guards) {
  const Var n("n"), m("m"), t("t"), u("u"), f("f"), i("i"), j("j");
  Analyzer facts;
  for (const Var& size : {n, m, t, u}) facts.parameter(size);
  const Expr rows = floor_div(n - 1, t) + 1, columns = floor_div(m - 1, u) + 1;
  facts.bind(f, {make_int(0), facts.simplify(rows * columns)});
  facts.bind(i, {make_int(0), t});
  facts.bind(j, {make_int(0), u});
  const Expr row = floor_div(f, columns) * t + i, column = floor_mod(f, columns) * u + j;
  facts.assume(row < n);
  EXPECT_TRUE(facts.proves(row >= make_int(0)));
  EXPECT_TRUE(facts.proves(row < n));
  EXPECT_TRUE(facts.proves(column >= make_int(0)));
  EXPECT_EQ(facts.prove(column < m), Proof::unknown);
  facts.assume(column < m);
  EXPECT_TRUE(facts.proves(row >= make_int(0)));
  EXPECT_TRUE(facts.proves(column < m));
  EXPECT_EQ(facts.prove(row >= make_int(1)), Proof::unknown);
}

}  // namespace
}  // namespace ardea::arith
