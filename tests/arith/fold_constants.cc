#include "ardea/arith/fold_constants.h"

#include <gtest/gtest.h>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/random.h"

/// Folding constants against simplifying, and against evaluation.

namespace ardea::arith {
namespace {

const Var x("x", int64), y("y", int64), u("u", int64);

Expr random_sum(Random& random, int depth) {
  if (depth == 0 || random.chance(0.2)) switch (random.integer(0, 3)) {
      case 0: return x;
      case 1: return y;
      case 2: return u;
      default: return make_int(random.integer(-9, 9));
    }
  const Expr a = random_sum(random, depth - 1), b = random_sum(random, depth - 1);
  switch (random.integer(0, 2)) {
    case 0: return a + b;
    case 1: return a - b;
    default: return a * make_int(random.integer(-3, 3));
  }
}

TEST(FoldConstants, keeps_the_value_of_sums_in_which_a_variable_became_a_number) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Expr e = substitute(random_sum(random, 4), u, make_int(random.integer(-5, 5)));
    const auto folded = fold_constants(e, {});
    ASSERT_TRUE(folded.has_value()) << print(e);
    const Substitution point = {{x, make_int(random.integer(-99, 99))},
                                {y, make_int(random.integer(-99, 99))}};
    EXPECT_EQ(constant_int(Analyzer().simplify(substitute(*folded, point))),
              constant_int(Analyzer().simplify(substitute(e, point))))
        << print(e) << " became " << print(*folded);
  }
}

TEST(FoldConstants, writes_the_constant_last) {
  EXPECT_EQ(print(*fold_constants(x * 4 + (make_int(3) * 16 + y) - make_int(8), {})), "x * 4 + y + 40");
  EXPECT_EQ(print(*fold_constants((x + make_int(2)) * 8 - make_int(16), {})), "x * 8");
}

TEST(FoldConstants, leaves_what_wants_more_to_others) {
  const Expr quotient = floor_div(x + make_int(2), make_int(4));
  EXPECT_FALSE(fold_constants(quotient + y, {}).has_value());
  KnownNodes known;
  known.insert(quotient, true);
  EXPECT_EQ(print(*fold_constants(quotient + (make_int(2) + make_int(3)), known)), "(x + 2) // 4 + 5");
  EXPECT_FALSE(fold_constants(x * make_int(std::int64_t{1} << 40), {}).has_value());
}

}  // namespace
}  // namespace ardea::arith
