#include <gtest/gtest.h>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/print.h"
#include "evaluate.h"

namespace ardea::arith_tests {
namespace {

using arith::Analyzer;
using arith::Proof;

struct Proofs : testing::Test {
  Var n{"n"}, m{"m"}, t{"t"}, i{"i"}, j{"j"}, io{"io"}, ii{"ii"}, u{"u"};
  Analyzer facts;

  Proofs() {
    for (const Var& p : {n, m, t}) facts.parameter(p);
    facts.bind(i, {make_int(0), n});
    facts.bind(j, {i, m});  // starts where i is
    facts.bind(io, {make_int(0), floor_div(n + 15, 16)});
    facts.bind(ii, {make_int(0), make_int(16)});
  }
  void proves(const Expr& e) const { EXPECT_EQ(facts.prove(e), Proof::proved) << print(e); }
  void refutes(const Expr& e) const { EXPECT_EQ(facts.prove(e), Proof::refuted) << print(e); }
  void leaves_open(const Expr& e) const { EXPECT_EQ(facts.prove(e), Proof::unknown) << print(e); }
};

TEST_F(Proofs, polynomials_of_positive_parameters) {
  proves(n * m >= n);
  proves(n * m * 2 > n);
  proves(n * m + 1 >= n + m);  // (n - 1)(m - 1) >= 0
  proves(n * n * t + t >= t * n * 2 - t + n - n);
  refutes(n * m < make_int(1));
  leaves_open(n * m >= n + m);
}

TEST_F(Proofs, loops_with_symbolic_ends) {
  proves(i < n);
  proves(i * m + m <= n * m);
  proves(j < n + m);
  proves(j >= i);
  refutes(i >= n);
  leaves_open(j < n);
  leaves_open(i < n - 1);
}

TEST_F(Proofs, splits_that_do_not_divide) {
  proves(io * 16 + ii < n + 15);
  proves(io <= floor_div(n - 1, 16));
  proves(floor_div(n + 15, 16) * 16 >= n);
  leaves_open(io * 16 + ii < n);
}

/// Tiles of variables' size in a loop that is padded to whole ones: each of what is assumed of the variables
/// is of no help, and there is much of it.
TEST_F(Proofs, tiles_of_assumed_sizes) {
  const Var warps("warps"), squares("squares"), block("block"), warp("warp"), square("square");
  for (const Var& size : {warps, squares}) {
    facts.assume(size >= make_int(1));
    facts.assume(size <= make_int(2));
  }
  const Expr blocks = floor_div(make_int(32), warps * squares * 16) + 1;
  facts.bind(block, {make_int(0), blocks});
  facts.bind(warp, {make_int(0), warps});
  facts.bind(square, {make_int(0), squares});
  proves(block * warps * squares + warp * squares + square < blocks * warps * squares);
  leaves_open(block * warps * squares + warp * squares + square < blocks * warps * squares - 1);
}

TEST_F(Proofs, use_what_is_assumed) {
  facts.assume(logical_and(io * 16 + ii < n, u >= make_int(3)));
  proves(io * 16 + ii <= n - 1);
  proves(io * 16 < n);
  proves(u * 2 > make_int(5));
  refutes(equals(u, make_int(2)));
  facts.assume(equals(u, n));
  proves(n >= make_int(3));
  proves(equals(u * m, n * m));
  facts.assume(logical_not(t < n));
  proves(t >= u);
}

// Factors of tiles and how often they are copied: each is known by what it is a part of.
TEST(Prove, with_several_products_that_are_known_to_be_equal) {
  const Var tiles("tiles"), warps("warps"), frags("frags"), lanes("lanes"), copies("copies");
  Analyzer facts;
  for (const Var& p : {tiles, warps, frags, lanes, copies}) facts.parameter(p);
  facts.assume(equals(tiles * warps * frags * 16, make_int(4096)));
  const Var tile("tile"), copy("copy"), warp("warp"), lane("lane"), row("row");
  facts.bind(tile, {make_int(0), tiles});
  facts.bind(copy, {make_int(0), copies});
  facts.bind(warp, {make_int(0), warps});
  facts.bind(lane, {make_int(0), lanes});
  facts.bind(row, {make_int(0), make_int(8)});
  const Expr place = tile * warps * frags * 16 + copy * warps * lanes * 8 + warp * lanes * 8 + lane * 8 + row;
  EXPECT_EQ(facts.prove(place < make_int(4096)), Proof::unknown);
  facts.assume(equals(copies * warps * lanes * 8, frags * warps * 16));
  EXPECT_EQ(facts.prove(place < make_int(4096)), Proof::proved);
  EXPECT_EQ(facts.prove(place < make_int(4095)), Proof::unknown);
}

TEST_F(Proofs, what_is_divided_by_what_is_assumed_of_the_quotient) {
  facts.assume(u * 2 + floor_div(t, 3) < make_int(1));
  facts.assume(u >= make_int(0));
  proves(u * 6 + t < make_int(3));
  facts.assume(floor_div(m, n) - ii >= make_int(0));
  proves(m >= ii * n);
  leaves_open(t < make_int(2));
}

/// The bounds of i ask for those of i * 3 // 8, which ask for those of i: what the inner question gets is not
/// what is known in the end. int32 arithmetic may wrap, so it needs bounds in numbers.
TEST(Prove, does_not_keep_answers_of_questions_in_between) {
  const auto number = [](std::int64_t n) { return make_int(n, int32); };
  const Var i("i", int32), j("j", int32);
  Analyzer facts;
  facts.bind(i, {number(0), number(64)});
  const Expr first = floor_div(i * number(3), number(8)),
             last = floor_div(i * number(3) + number(2), number(8));
  facts.bind(j, {first, last - first + number(1)});
  EXPECT_TRUE(facts.proves(j * number(16) + number(16) <= number(384)));
  EXPECT_TRUE(facts.proves(first * number(16) < number(384)));
  EXPECT_FALSE(facts.proves(j * number(16) + number(17) <= number(384)));
}

TEST(Prove, what_a_sum_says_of_its_heavy_terms) {
  Var x("x"), y("y"), z("z");
  Analyzer facts;
  facts.bind(x, {make_int(0), make_int(43)});
  facts.bind(y, {make_int(0), make_int(24)});
  facts.bind(z, {make_int(0), make_int(4)});
  facts.assume(x * 96 + y * 4 + z < make_int(4096));
  EXPECT_TRUE(facts.proves(x * 24 + y <= make_int(1023)));
  EXPECT_EQ(facts.prove(x * 24 + y <= make_int(1022)), Proof::unknown);  // 42, 15 and any z
}

TEST(Prove, holds_of_everything_that_an_assumed_sum_leaves) {
  int proved = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const std::vector<Var> vars = {Var("x"), Var("y"), Var("z")};
    std::vector<std::int64_t> lows, counts;
    Analyzer facts;
    for (const Var& var : vars) {
      lows.push_back(random.integer(-2, 2));
      counts.push_back(random.integer(1, 6));
      facts.bind(var, {make_int(lows.back()), make_int(counts.back())});
    }
    const auto sum = [&](const std::vector<std::int64_t>& weights) {
      Expr e = make_int(random.integer(-6, 6));
      for (const Var& var : vars) e = e + var * random.pick(weights);
      return e;
    };
    const Expr assumed = sum({1, -1, 4, -4, 6, 12, 24}) < make_int(random.integer(0, 40));
    facts.assume(assumed);
    for (int question = 0; question < 6; ++question) {
      const Expr asked = sum({0, 1, -1, 2, 3, 6}) < make_int(random.integer(0, 12));
      const Proof proof = facts.prove(asked);
      if (proof == Proof::unknown) continue;
      ++proved;
      Point p;
      for (p[vars[0]] = lows[0]; p[vars[0]] < lows[0] + counts[0]; ++p[vars[0]])
        for (p[vars[1]] = lows[1]; p[vars[1]] < lows[1] + counts[1]; ++p[vars[1]])
          for (p[vars[2]] = lows[2]; p[vars[2]] < lows[2] + counts[2]; ++p[vars[2]])
            if (evaluate(assumed, p) != 0) {
              ASSERT_EQ(evaluate(asked, p) != 0, proof == Proof::proved)
                  << "seed " << seed << ": " << print(asked) << " where " << print(assumed);
            }
    }
  }
  EXPECT_GT(proved, 3000);
}

TEST_F(Proofs, divisibility) {
  Var p("p");
  facts.parameter(p, 4, 4);
  proves(equals(floor_mod(p, 4), make_int(0)));
  proves(equals(floor_mod(p * n + 8, 4), make_int(0)));
  refutes(equals(p * 3, make_int(2)));
  refutes(equals(i * 2, j * 4 + 1));
  facts.assume(equals(floor_mod(t, 6), make_int(2)));
  proves(equals(floor_mod(t, 2), make_int(0)));
  proves(equals(floor_mod(t + 1, 3), make_int(0)));
  leaves_open(equals(floor_mod(t, 4), make_int(0)));
}

TEST_F(Proofs, minima_and_maxima) {
  proves(min(n, u) <= n);
  proves(max(n, u) >= u);
  proves(min(n, m) >= make_int(1));
  proves(max(n, u) >= make_int(1));
  proves(min(n - i, make_int(8)) >= make_int(1));
  leaves_open(min(n, u) >= make_int(1));
}

TEST_F(Proofs, remainders_are_at_most_what_is_divided) {
  Var x("x");
  facts.bind(x, {make_int(0), make_int(6)});
  proves(floor_mod(x, 4) <= x);
  proves(min(make_int(2), floor_mod(x, 4)) <= min(x, make_int(2)));
  proves(max(make_int(2), floor_mod(x, 4)) <= max(x, make_int(2)));
  proves(floor_mod(i, 4) <= i);
  proves(min(n, floor_mod(i, 4)) <= min(i, n));
  leaves_open(floor_mod(u, 4) <= u);
  leaves_open(floor_mod(x, 4) >= x);
}

TEST_F(Proofs, extremes_are_beyond_the_mean) {
  proves(max(u - 1, make_int(1) - u) >= make_int(0));
  proves(max(u - 1, make_int(2) - u) >= make_int(1));
  leaves_open(max(u - 1, make_int(2) - u) >= make_int(2));
  proves(min(u, make_int(7) - u) <= make_int(3));
  leaves_open(min(u, make_int(7) - u) <= make_int(2));
  leaves_open(max(u - 1, make_int(1) - n) >= make_int(0));
  // With what is known only in symbols.
  proves(min(u, n * 2 - u) <= n);
  leaves_open(min(u, n * 2 - u) < n);
  proves(max(u + n, n - u) >= n);
  proves(max(u + n, n - u) * 3 >= n * 2);
  leaves_open(max(u + n, n - u) > n);
}

TEST_F(Proofs, connectives) {
  proves(logical_and(i >= make_int(0), i < n));
  proves(logical_or(u < n, u >= n));
  proves(logical_or(u < make_int(0), i < n));
  refutes(logical_and(u<n, i> n));
  leaves_open(logical_and(u < n, i < n));
  proves(logical_not(i >= n));
}

TEST_F(Proofs, bounds_are_symbolic) {
  const auto at = [&](const Expr& e) {
    const auto b = facts.bounds(e);
    return (b.low.defined() ? print(b.low) : "-") + " .. " + (b.high.defined() ? print(b.high) : "-");
  };
  EXPECT_EQ(at(i * 4 + 3), "3 .. n * 4 - 1");
  EXPECT_EQ(at(j), "0 .. m + n - 2");
  EXPECT_EQ(at(u + i), "u .. u + n - 1");
  EXPECT_EQ(at(floor_div(i, 4)), "0 .. (n + 3) // 4 - 1");
  const auto inner = facts.bounds(io * 16 + ii, {ii});
  EXPECT_EQ(print(inner.low), "io * 16");
  EXPECT_EQ(print(inner.high), "io * 16 + 15");
  facts.assume(io * 16 + ii < n);
  EXPECT_EQ(at(io * 16 + ii), "0 .. n - 1");
}

TEST_F(Proofs, a_convolution_reads_its_halo) {
  Var x("x"), r("r");
  facts.bind(x, {make_int(0), t});
  facts.bind(r, {make_int(0), make_int(3)});
  const auto b = facts.bounds(x * 2 + r * 4);
  EXPECT_TRUE(facts.proves(equals(b.high - b.low + 1, (t - 1) * 2 + 2 * 4 + 1)));
}

/// Proofs over symbolic ranges hold for every instance of the parameters.
TEST(Prove, holds_for_every_instance_of_the_parameters) {
  int decided = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Random random(seed);
    Var n("n"), m("m"), i("i"), j("j"), k("k");
    Analyzer facts;
    const std::int64_t least = random.integer(1, 3), tile = random.integer(1, 5);
    facts.parameter(n, least);
    facts.parameter(m);
    facts.bind(i, {make_int(0), n});
    const Expr start = random.pick<Expr>({make_int(0), i, n - 1, make_int(-2)});
    const Expr extent =
        random.pick<Expr>({m, n + m, n * m, floor_div(n + tile - 1, make_int(tile)), make_int(tile)});
    facts.bind(j, {start, extent});
    facts.bind(k, {make_int(0), make_int(tile)});
    const auto side = [&] {
      Expr e = make_int(random.integer(-3, 3));
      for (int term = 0; term < 3; ++term) {
        const std::vector<Expr> atoms = {n,
                                         m,
                                         i,
                                         j,
                                         k,
                                         n * m,
                                         i * m,
                                         j * tile,
                                         floor_div(j, tile),
                                         floor_mod(j, make_int(tile)),
                                         floor_div(i, m),
                                         min(i, j),
                                         max(n, j)};
        e = e + random.pick(atoms) * random.integer(-2, 3);
      }
      return e;
    };
    const auto op = random.pick<BinaryOp>({BinaryOp::lt, BinaryOp::ge, BinaryOp::eq, BinaryOp::ne});
    const Expr left = side();
    const Expr condition = make_binary(op, left, side());
    const Proof proof = facts.prove(condition);
    if (proof == Proof::unknown) continue;
    ++decided;
    for (int instance = 0; instance < 40; ++instance) {
      Point p = {
          {n, random.integer(least, least + 6)}, {m, random.integer(1, 7)}, {k, random.integer(0, tile - 1)}};
      p[i] = random.integer(0, p[n] - 1);
      const std::int64_t low = evaluate(start, p), count = evaluate(extent, p);
      p[j] = random.pick<std::int64_t>({low, low + count - 1, random.integer(low, low + count - 1)});
      ASSERT_EQ(evaluate(condition, p) != 0, proof == Proof::proved)
          << "seed " << seed << ": " << print(condition) << " with j in " << print(start) << " + "
          << print(extent) << " at n=" << p[n] << " m=" << p[m] << " i=" << p[i] << " j=" << p[j]
          << " k=" << p[k];
    }
  }
  EXPECT_GT(decided, 300);
}

}  // namespace
}  // namespace ardea::arith_tests
