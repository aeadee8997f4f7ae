#include <gtest/gtest.h>

#include <cstdlib>

#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "evaluate.h"

/// Laws of simplify, bounds, congruence and prove, on random expressions at random points.

namespace ardea::arith_tests {
namespace {

using arith::Analyzer;
using arith::Proof;

constexpr DataType types[] = {int64, int64, int64, int32, int8, uint8, uint32, int16};
constexpr int points = 12;

// ARDEA_CASES=100000 looks longer, ARDEA_SEED=n elsewhere.
int from_environment(const char* name, int fallback) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : fallback;
}
const int expression_cases = from_environment("ARDEA_CASES", 6000),
          first_seed = from_environment("ARDEA_SEED", 0);

struct Case {
  std::uint64_t seed;
  World world;
  DataType type;
  Shape shape;
  Random random;

  explicit Case(std::uint64_t s) : seed(s), random(s) {
    type = types[random.integer(0, 7)];
    shape.depth = static_cast<int>(random.integer(1, 4));
    shape.lanes = random.chance(0.2) ? 4 : 1;
    world = random_world(random, type);
  }

  std::string describe(const Expr& e, const Point& point) const {
    std::string text = "seed " + std::to_string(seed) + ", " + to_string(type) + ": " + print(e) + " at";
    for (const Var& var : world.variables) text += " " + var.name() + "=" + std::to_string(point.at(var));
    return text;
  }
};

TEST(Simplify, keeps_the_value_at_random_points) {
  for (int s = first_seed; s < first_seed + expression_cases; ++s) {
    Case c(static_cast<std::uint64_t>(s));
    const Expr e = c.random.chance(0.3) ? random_condition(c.random, c.world, c.type, c.shape)
                                        : random_integer(c.random, c.world, c.type, c.shape);
    const Expr simple = c.world.facts.simplify(e);
    ASSERT_EQ(simple.type(), e.type()) << "seed " << s;
    for (int p = 0; p < points; ++p) {
      const Point point = c.world.draw(c.random);
      for (int lane = 0; lane < c.shape.lanes; ++lane) {
        std::int64_t expected = 0;
        try {
          expected = evaluate(e, point, lane);
        } catch (const Undefined&) {
          continue;
        }
        std::int64_t value = 0;
        ASSERT_NO_THROW(value = evaluate(simple, point, lane))
            << c.describe(e, point) << "\nbecame " << print(simple);
        ASSERT_EQ(value, expected) << c.describe(e, point) << "\nbecame " << print(simple) << " in lane "
                                   << lane;
      }
    }
  }
}

/// Loops whose bounds are known and lie where sums and products wrap.
World world_at_the_ends(Random& random) {
  World world;
  for (const char* name : {"i", "j", "k"}) {
    const Var var(name);
    const std::int64_t low = random.pick<std::int64_t>(
        {0, -5, INT64_MIN, INT64_MIN / 2, INT64_MAX / 2 - 3, INT64_MAX - 40, INT64_MAX / 3, 1LL << 61});
    const std::int64_t extent = random.pick<std::int64_t>({1, 2, 7, 32});
    world.variables.push_back(var);
    world.draws.emplace_back(var, [=](Random& r, const Point&) { return r.integer(low, low + extent - 1); });
    world.facts.bind(var, {make_int(low), make_int(extent)});
  }
  return world;
}

Expr with_large_factors(const Expr& e, Random& random) {
  const std::int64_t factor = random.pick<std::int64_t>({1, 1, 2, 3, 1LL << 60, INT64_MAX, -(1LL << 61)});
  const Expr scaled = factor == 1 ? e : make_binary(BinaryOp::mul, e, make_int(factor));
  return random.chance(0.3) ? floor_div(scaled, make_int(factor == 1 ? 3 : factor)) : scaled;
}

TEST(Simplify, wraps_where_bounded_loops_leave_the_64_bits) {
  for (int s = first_seed; s < first_seed + expression_cases; ++s) {
    Random random(static_cast<std::uint64_t>(s));
    const World world = world_at_the_ends(random);
    const Shape shape{static_cast<int>(random.integer(1, 3)), 1, false};
    const Expr whole = with_large_factors(random_integer(random, world, int64, shape), random);
    const Expr e = random.chance(0.3) ? max(whole, random_integer(random, world, int64, shape)) : whole;
    const Expr simple = world.facts.simplify(e);
    for (int p = 0; p < points; ++p) {
      const Point point = world.draw(random);
      std::int64_t expected = 0;
      try {
        expected = evaluate(e, point, 0, Overflow::wraps);
      } catch (const Undefined&) {
        continue;
      }
      ASSERT_EQ(evaluate(simple, point, 0, Overflow::wraps), expected)
          << "seed " << s << ": " << print(e) << "\nbecame " << print(simple);
    }
  }
}

TEST(Simplify, keeps_what_wraps_near_the_end_of_bounded_loops) {
  const Var j("j");
  Analyzer facts;
  facts.bind(j, {make_int(1LL << 62), make_int(4)});
  for (const Expr& e : {max(j * 2, make_int(5)), floor_div(j * (1LL << 60), make_int(1LL << 60)),
                        min(make_binary(BinaryOp::shift_left, j, make_int(1)), make_int(5))}) {
    const Expr simple = facts.simplify(e);
    for (std::int64_t value = 1LL << 62; value < (1LL << 62) + 4; ++value)
      EXPECT_EQ(evaluate(simple, {{j, value}}, 0, Overflow::wraps),
                evaluate(e, {{j, value}}, 0, Overflow::wraps))
          << print(e) << " became " << print(simple);
  }
}

TEST(Simplify, changes_nothing_the_second_time) {
  for (int s = first_seed; s < first_seed + expression_cases; ++s) {
    Case c(static_cast<std::uint64_t>(s));
    const Expr e = c.random.chance(0.3) ? random_condition(c.random, c.world, c.type, c.shape)
                                        : random_integer(c.random, c.world, c.type, c.shape);
    const Expr once = c.world.facts.simplify(e), twice = c.world.facts.simplify(once);
    ASSERT_TRUE(structurally_equal(once, twice))
        << "seed " << s << ": " << print(e) << "\nonce  " << print(once) << "\ntwice " << print(twice);
  }
}

TEST(Bounds, contain_every_value) {
  for (int s = first_seed; s < first_seed + expression_cases; ++s) {
    Case c(static_cast<std::uint64_t>(s));
    const Expr e = random_integer(c.random, c.world, c.type, c.shape);
    const auto constant = c.world.facts.constant_bounds(e);
    const auto symbolic = c.world.facts.bounds(e);
    const auto congruence = c.world.facts.congruence(e);
    for (int p = 0; p < points; ++p) {
      const Point point = c.world.draw(c.random);
      for (int lane = 0; lane < c.shape.lanes; ++lane) {
        std::int64_t value = 0;
        try {
          value = evaluate(e, point, lane);
          if (symbolic.low.defined()) {
            ASSERT_LE(evaluate(symbolic.low, point), value)
                << c.describe(e, point) << " low " << print(symbolic.low);
          }
          if (symbolic.high.defined()) {
            ASSERT_GE(evaluate(symbolic.high, point), value)
                << c.describe(e, point) << " high " << print(symbolic.high);
          }
        } catch (const Undefined&) {
          continue;
        }
        if (constant.low) {
          ASSERT_LE(*constant.low, value) << c.describe(e, point);
        }
        if (constant.high) {
          ASSERT_GE(*constant.high, value) << c.describe(e, point);
        }
        const __int128 rest = static_cast<__int128>(value) - congruence.remainder;
        ASSERT_TRUE(congruence.multiple == 0 ? rest == 0 : rest % congruence.multiple == 0)
            << c.describe(e, point) << " is " << value << ", said " << congruence.multiple << " k + "
            << congruence.remainder;
      }
    }
  }
}

TEST(Prove, is_never_wrong) {
  int decided = 0;
  for (int s = first_seed; s < first_seed + 2 * expression_cases; ++s) {
    Case c(static_cast<std::uint64_t>(s));
    c.shape.lanes = 1;
    const Expr condition = random_condition(c.random, c.world, c.type, c.shape);
    const Proof proof = c.world.facts.prove(condition);
    if (proof == Proof::unknown) continue;
    ++decided;
    for (int p = 0; p < points; ++p) {
      const Point point = c.world.draw(c.random);
      try {
        ASSERT_EQ(evaluate(condition, point) != 0, proof == Proof::proved) << c.describe(condition, point);
      } catch (const Undefined&) {
        continue;  // only where it has a value there is something to prove
      }
    }
  }
  EXPECT_GT(decided, expression_cases / 2)
      << "too few random conditions were decided for this test to mean anything";
}

TEST(Prove, is_never_wrong_under_assumptions) {
  int decided = 0;
  for (int s = first_seed; s < first_seed + expression_cases; ++s) {
    Case c(static_cast<std::uint64_t>(s));
    c.shape.lanes = 1;
    c.shape.depth = std::min(c.shape.depth, 3);
    const Expr assumed = random_condition(c.random, c.world, c.type, c.shape);
    const Expr condition = random_condition(c.random, c.world, c.type, c.shape);
    const Expr value = random_integer(c.random, c.world, c.type, c.shape);
    arith::Analyzer facts = c.world.facts;
    facts.assume(assumed);
    const Proof proof = facts.prove(condition);
    const Expr simple = facts.simplify(value);
    const auto bounds = facts.constant_bounds(value);
    const auto symbolic = facts.bounds(value);
    for (int p = 0; p < points; ++p) {
      const Point point = c.world.draw(c.random);
      try {
        if (!evaluate(assumed, point)) continue;
        const std::int64_t v = evaluate(value, point);
        ASSERT_EQ(evaluate(simple, point), v)
            << c.describe(value, point) << " became " << print(simple) << " under " << print(assumed);
        if (bounds.low) {
          ASSERT_LE(*bounds.low, v) << c.describe(value, point) << " under " << print(assumed);
        }
        if (bounds.high) {
          ASSERT_GE(*bounds.high, v) << c.describe(value, point) << " under " << print(assumed);
        }
        if (symbolic.low.defined()) {
          ASSERT_LE(evaluate(symbolic.low, point), v)
              << c.describe(value, point) << " low " << print(symbolic.low) << " under " << print(assumed);
        }
        if (symbolic.high.defined()) {
          ASSERT_GE(evaluate(symbolic.high, point), v)
              << c.describe(value, point) << " high " << print(symbolic.high) << " under " << print(assumed);
        }
        if (proof == Proof::unknown) continue;
        ++decided;
        ASSERT_EQ(evaluate(condition, point) != 0, proof == Proof::proved)
            << c.describe(condition, point) << " under " << print(assumed);
      } catch (const Undefined&) {
        continue;  // only where it has a value there is something to prove
      }
    }
  }
  EXPECT_GT(decided, expression_cases / 2)
      << "too few random conditions were decided for this test to mean anything";
}

}  // namespace
}  // namespace ardea::arith_tests
