#include "ardea/ir/fold_literals.h"

#include <gtest/gtest.h>

#include "ardea/ir/equal.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"

namespace ardea {
namespace {

TEST(FoldLiterals, computes_what_is_spelt_out_and_moves_nothing) {
  const Var x("x"), y("y");
  const auto folded = [](const Expr& e) { return print(fold_literals(e)); };
  EXPECT_EQ(folded(make_int(2048) + 4), "2052");
  EXPECT_EQ(folded(x + 0), "x");
  EXPECT_EQ(folded(make_int(0) + x), "x");
  EXPECT_EQ(folded(x * 1 + 0), "x");
  EXPECT_EQ(folded((x + 3) - 1), "x + 2");
  EXPECT_EQ(folded((x - 3) + 1), "x - 2");
  EXPECT_EQ(folded((x - 3) + 3), "x");
  EXPECT_EQ(folded((y + x * (make_int(2) * 3)) - 0), "y + x * 6");
  EXPECT_EQ(folded(make_cast(int64, make_int(7, int32)) * x), "7 * x");
}

TEST(FoldLiterals, leaves_what_a_type_cannot_hold) {
  const Var x("x", int32);
  const Expr sum = make_int(INT32_MAX, int32) + make_int(1, int32);
  EXPECT_TRUE(structurally_equal(fold_literals(sum), sum));
  const Expr shifts = (x + make_int(INT32_MAX, int32)) + make_int(1, int32);
  EXPECT_TRUE(structurally_equal(fold_literals(shifts), shifts));
  const Expr wide = make_int(INT64_MAX) * make_int(2);
  EXPECT_TRUE(structurally_equal(fold_literals(wide), wide));
  EXPECT_FALSE(fold_literals(Expr()).defined());
}

TEST(FoldLiterals, folds_the_shapes_of_a_function_with_its_body) {
  const Function f = parse_function(
      "@T.prim_func\ndef f(A: T.Buffer((2048 + 4,), \"float32\"), B: T.Buffer((2048,), \"float32\")):\n"
      "    for i in range(2047 + 1):\n        B[i + 0] = A[i * 1 + 2 + 2]\n");
  const std::string text = print(fold_literals(f));
  EXPECT_NE(text.find("A: T.Buffer((2052,)"), std::string::npos) << text;
  EXPECT_NE(text.find("range(2048)"), std::string::npos) << text;
  EXPECT_NE(text.find("B[i] = A[i + 4]"), std::string::npos) << text;
}

TEST(LiteralDistance, is_between_one_expression_and_itself) {
  const Var x("x"), y("y");
  EXPECT_EQ(literal_distance(x - 1, x + 4), 5);
  EXPECT_EQ(literal_distance(x, x + 4), 4);
  EXPECT_EQ(literal_distance(x + 4, x), -4);
  EXPECT_EQ(literal_distance(x + 4, y + 4), std::nullopt);
  EXPECT_EQ(literal_distance(make_int(1), make_int(4)), std::nullopt)
      << "numbers are no expressions of one base";
}

/// Regions, slices and loops whose ends the printer joins with the literal of their beginning: every extent
/// comes back, those, too, that only look like one.
TEST(LiteralDistance, ends_read_back_as_the_extents_that_they_were_written_for) {
  const Var n("n"), x("x");
  const Expr base = x + 3;
  const std::vector<Expr> begins = {x, x + 1, x - 1, base - 2, base + 2, x - 5, n * 2 + 1, make_int(3) + x};
  for (const Expr& begin : begins)
    for (const Expr& extent : std::vector<Expr>{make_int(1), make_int(2), make_int(5), n, (x + 4) - begin,
                                                (x + 1) - begin, base - begin, (n + 1) - begin}) {
      const Buffer A = make_buffer("A", {make_int(1000)}, float32);
      Function f;
      f.name = "f";
      f.parameters = {{Var("a", handle_type), A}, {n}, {x}};
      const Var i("i");
      f.body = make_for(i, begin, extent, make_store(A, {Expr(i)}, make_float(1)));
      const std::string text = print(f);
      EXPECT_TRUE(structurally_equal(parse_function(text), f)) << text;
    }
}

TEST(LiteralDistance, slices_read_as_people_write_them) {
  const std::string text =
      "# from tvm.script import tir as T\n\n@T.prim_func\ndef f(A: T.Buffer((64,), \"float32\"), x: "
      "T.int64):\n"
      "    A[x + 4:x + 8] = A[x - 1:x + 3]\n    A[x - 4:x] = A[x:x + 4]\n";
  EXPECT_EQ(print(parse_function(text)), text);
}

}  // namespace
}  // namespace ardea
