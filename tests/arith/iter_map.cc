#include "ardea/arith/iter_map.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>

#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "evaluate.h"

namespace ardea::arith_tests {
namespace {

using arith::Analyzer;
using Loops = std::vector<std::pair<Var, Range>>;

Range upto(std::int64_t extent) { return {make_int(0), make_int(extent)}; }

TEST(MixedRadix, reads_splits_and_fuses) {
  Var io("io"), ii("ii"), f("f");
  const auto split = arith::mixed_radix(io * 16 + ii, {{io, upto(8)}, {ii, upto(16)}}, {});
  ASSERT_TRUE(split);
  EXPECT_TRUE(split->regular);
  EXPECT_EQ(print(split->extent), "128");
  ASSERT_EQ(split->digits.size(), 2u);
  EXPECT_EQ(split->digits[0].source, io);
  EXPECT_EQ(print(split->digits[0].weight), "16");
  const auto digit = arith::mixed_radix(floor_mod(floor_div(f, 4), 8), {{f, upto(64)}}, {});
  ASSERT_TRUE(digit && digit->digits.size() == 1);
  EXPECT_EQ(print(digit->digits[0].divisor), "4");
  EXPECT_EQ(print(digit->digits[0].extent), "8");
  const auto gap = arith::mixed_radix(io * 32 + ii, {{io, upto(8)}, {ii, upto(16)}}, {});
  ASSERT_TRUE(gap);
  EXPECT_FALSE(gap->regular);
  EXPECT_FALSE(arith::mixed_radix(io * ii, {{io, upto(8)}, {ii, upto(16)}}, {}));
  EXPECT_FALSE(arith::mixed_radix(make_int(7) - io, {{io, upto(8)}}, {}));
}

TEST(MixedRadix, reads_symbolic_extents) {
  Var i("i"), j("j"), k("k"), n("n"), m("m"), f("f");
  Analyzer facts;
  facts.parameter(n);
  facts.parameter(m);
  const Loops loops = {{i, {make_int(0), n}}, {j, {make_int(0), m}}, {k, upto(4)}};
  const auto fused = arith::mixed_radix((i * m + j) * 4 + k, loops, facts);
  ASSERT_TRUE(fused);
  EXPECT_TRUE(fused->regular);
  EXPECT_TRUE(facts.proves(equals(fused->extent, n * m * 4)));
  const Loops one = {{f, {make_int(0), facts.simplify(n * m)}}};
  const auto map = arith::iter_map({floor_div(f, m), floor_mod(f, m)}, one, {}, facts);
  ASSERT_TRUE(map);
  EXPECT_TRUE(map->injective);
  EXPECT_TRUE(map->surjective);
  EXPECT_EQ(print(map->bindings[0].extent), "n");
  Var x("x"), y("y");
  Analyzer known = facts;
  known.bind(x, {make_int(0), n});
  known.bind(y, {make_int(0), m});
  const auto back = arith::inverse(*map, {x, y}, one, known);
  ASSERT_TRUE(back);
  EXPECT_TRUE(known.proves(equals((*back)[0].second, x * m + y)));
}

TEST(IterMap, of_a_guarded_split_is_injective) {
  Var io("io"), ii("ii"), x("x");
  const Loops loops = {{io, upto(3)}, {ii, upto(4)}};
  const Expr value = io * 4 + ii;
  const auto map = arith::iter_map({value}, loops, value < make_int(10), {});
  ASSERT_TRUE(map && map->injective);
  const auto back = arith::inverse(*map, {x}, loops, {});
  ASSERT_TRUE(back);
  EXPECT_EQ(print((*back)[0].second), "x // 4");
  EXPECT_EQ(print((*back)[1].second), "x % 4");
  // Cut where neither loop ends: rows of 5 in steps of 4.
  const auto cut =
      arith::iter_map({floor_div(value, 5), floor_mod(value, 5)}, loops, value < make_int(10), {});
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->injective);
  EXPECT_EQ(print(cut->bindings[0].extent), "2");
}

TEST(IterMap, needs_every_digit) {
  Var f("f"), g("g");
  const Loops loops = {{f, upto(24)}, {g, upto(5)}};
  const auto part = arith::iter_map({floor_div(f, 4), g}, loops, {}, {});
  ASSERT_TRUE(part);
  EXPECT_FALSE(part->injective);
  EXPECT_TRUE(part->surjective);
  const auto twice = arith::iter_map({f, floor_mod(f, 4), g}, loops, {}, {});
  ASSERT_TRUE(twice);
  EXPECT_TRUE(twice->injective);
  EXPECT_FALSE(twice->surjective);
  const auto dropped = arith::iter_map({f}, loops, {}, {});
  ASSERT_TRUE(dropped);
  EXPECT_FALSE(dropped->injective);
}

TEST(IterMap, counts_from_a_start_that_all_iterations_share) {
  Var i("i"), j("j");
  const Loops loops = {{i, upto(4)}, {j, {make_int(3) - i, make_int(4)}}};
  const auto sum = arith::iter_map({i * 4 + j}, loops, {}, {});  // (0, 6) and (1, 2) give 6
  EXPECT_TRUE(!sum || (!sum->injective && !sum->surjective));
  const auto wide = arith::iter_map({i * 7 + j}, loops, {}, {});
  ASSERT_TRUE(wide);
  EXPECT_TRUE(wide->injective);
  EXPECT_FALSE(wide->surjective);
  EXPECT_FALSE(arith::inverse(*wide, {Var("x")}, loops, {}));
  const auto both = arith::iter_map({i, j}, loops, {}, {});
  ASSERT_TRUE(both);
  EXPECT_TRUE(both->injective);
}

TEST(IterMap, reads_tiles_that_begin_before_the_loop) {
  Var i("i"), n("n"), c("c"), x("x"), y("y");
  const Loops loops = {{i, upto(10)}};
  const Expr shifted = i + 3;
  const auto map = arith::iter_map({floor_div(shifted, 4), floor_mod(shifted, 4)}, loops, {}, {});
  ASSERT_TRUE(map);
  EXPECT_TRUE(map->injective);
  EXPECT_FALSE(map->surjective);  // (0, 0) is before the first
  EXPECT_FALSE(map->bindings[0].fills);
  EXPECT_EQ(print(map->bindings[0].extent), "4");
  const auto back = arith::inverse(*map, {x, y}, loops, {});
  ASSERT_TRUE(back);
  EXPECT_EQ(print((*back)[0].second), "x * 4 + y - 3");
  // Tiles of two sums that differ do not tell one number.
  const auto two = arith::iter_map({floor_div(shifted, 4), floor_mod(i + 1, 3)}, loops, {}, {});
  EXPECT_TRUE(!two || !two->injective);
  // Nor do they where the sum may be negative, which has no digit for it: only with c >= 0.
  Analyzer facts;
  facts.parameter(n);
  const std::vector<Expr> by_c = {floor_div(i + c, 4), floor_mod(i + c, 4)};
  const Loops symbolic = {{i, {make_int(0), n}}};
  const auto unknown = arith::iter_map(by_c, symbolic, {}, facts);
  EXPECT_TRUE(!unknown || !unknown->injective);
  facts.parameter(c);
  const auto known = arith::iter_map(by_c, symbolic, {}, facts);
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->injective);
}

TEST(IterMap, says_which_loops_are_determined) {
  Var i("i"), j("j"), k("k");
  const auto map = arith::iter_map({i * 4 + j}, {{i, upto(3)}, {j, upto(4)}, {k, upto(2)}}, {}, {});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->determined, (std::vector<bool>{true, true, false}));
}

/// Random splits and fuses: values in terms of loops, with their extents.
struct Nest {
  struct Axis {
    Var var;
    std::int64_t extent;
  };
  std::vector<Axis> loops;
  std::vector<Expr> bindings;  ///< over the loops
  Expr guard;
  std::int64_t size() const {
    std::int64_t n = 1;
    for (const Axis& a : loops) n *= a.extent;
    return n;
  }
};

Nest random_nest(Random& random) {
  Nest nest;
  const int axes = static_cast<int>(random.integer(1, 3));
  for (int a = 0; a < axes; ++a) {
    Var var(fmt::format("x{}", a));
    nest.loops.push_back({var, random.pick<std::int64_t>({1, 2, 3, 4, 5, 6, 7, 8, 12})});
    nest.bindings.push_back(var);
  }
  const auto replace = [&](const Var& var, const Expr& value) {
    for (Expr& e : nest.bindings) e = substitute(e, var, value);
    if (nest.guard.defined()) nest.guard = substitute(nest.guard, var, value);
  };
  for (int step = 0, steps = static_cast<int>(random.integer(0, 5)); step < steps; ++step) {
    const auto at =
        static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(nest.loops.size()) - 1));
    if (random.chance(0.6)) {
      const auto [var, extent] = nest.loops[at];
      const std::int64_t factor = random.pick<std::int64_t>({1, 2, 3, 4, 5});
      if (extent % factor != 0 && random.chance(0.7)) continue;
      Var outer(fmt::format("{}o", var.name())), inner(fmt::format("{}i", var.name()));
      const Expr value = outer * factor + inner;
      replace(var, value);
      if (extent % factor != 0) {
        const Expr inside = value < make_int(extent);
        nest.guard = nest.guard.defined() ? logical_and(nest.guard, inside) : inside;
      }
      nest.loops[at] = {outer, (extent + factor - 1) / factor};
      nest.loops.insert(nest.loops.begin() + static_cast<std::ptrdiff_t>(at) + 1, {inner, factor});
    } else if (at + 1 < nest.loops.size()) {
      const auto [a, extent_a] = nest.loops[at];
      const auto [b, extent_b] = nest.loops[at + 1];
      Var fused(fmt::format("{}{}", a.name(), b.name()));
      replace(a, floor_div(fused, extent_b));
      replace(b, floor_mod(fused, extent_b));
      nest.loops[at] = {fused, extent_a * extent_b};
      nest.loops.erase(nest.loops.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
  }
  // Sometimes lose, repeat or fuse bindings, so that not every map is a bijection.
  if (random.chance(0.2)) nest.bindings.pop_back();
  if (random.chance(0.2) && !nest.bindings.empty()) nest.bindings.push_back(floor_div(nest.bindings[0], 2));
  if (random.chance(0.2) && nest.bindings.size() > 1) {
    nest.bindings[0] = nest.bindings[0] * random.integer(2, 20) + nest.bindings[1];
    nest.bindings.erase(nest.bindings.begin() + 1);
  }
  return nest;
}

TEST(IterMap, agrees_with_enumeration_on_random_splits_and_fuses) {
  int understood = 0, inverted = 0, bijections = 0, injective_seen = 0, injective_said = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const Nest nest = random_nest(random);
    if (nest.size() > 600) continue;
    Loops loops;
    for (const auto& axis : nest.loops) loops.emplace_back(axis.var, upto(axis.extent));
    std::string text = fmt::format("seed {}:", seed);
    for (const Expr& e : nest.bindings) text += fmt::format(" {},", print(e));
    if (nest.guard.defined()) text += fmt::format(" where {}", print(nest.guard));
    for (const auto& axis : nest.loops) text += fmt::format(" {}<{}", axis.var.name(), axis.extent);

    const auto map = arith::iter_map(nest.bindings, loops, nest.guard, {});
    if (!map) continue;
    ++understood;
    std::vector<Var> names;
    std::vector<Expr> values;
    for (std::size_t i = 0; i < nest.bindings.size(); ++i)
      values.push_back(names.emplace_back(fmt::format("v{}", i)));
    const auto back = arith::inverse(*map, values, loops, {});
    inverted += back.has_value();

    std::set<std::vector<std::int64_t>> guarded, all;
    bool injective = true;
    for (std::int64_t flat = 0; flat < nest.size(); ++flat) {
      Point point;
      std::int64_t rest = flat;
      for (const auto& axis : nest.loops) {
        point[axis.var] = rest % axis.extent;
        rest /= axis.extent;
      }
      std::vector<std::int64_t> image;
      for (const Expr& e : nest.bindings) image.push_back(evaluate(e, point));
      all.insert(image);
      // The digits, summed, are the binding.
      for (std::size_t i = 0; i < image.size(); ++i) {
        std::int64_t sum = evaluate(map->bindings[i].base, point);
        bool plain = true;
        for (const auto& d : map->bindings[i].digits) {
          if (!point.contains(d.source)) {
            plain = false;
            break;
          }
          sum += evaluate(floor_mod(floor_div(d.source, d.divisor), d.extent) * d.weight, point);
        }
        if (plain && (!nest.guard.defined() || evaluate(nest.guard, point))) {
          ASSERT_EQ(sum, image[i]) << text;
        }
      }
      if (nest.guard.defined() && !evaluate(nest.guard, point)) continue;
      injective = guarded.insert(image).second && injective;
      if (!back) continue;
      Point images;
      for (std::size_t i = 0; i < image.size(); ++i) images[names[i]] = image[i];
      for (const auto& [var, value] : *back)
        ASSERT_EQ(evaluate(value, images), point[var]) << text << " " << print(value);
    }
    injective_seen += injective;
    injective_said += map->injective;
    if (map->injective) {
      ASSERT_TRUE(injective) << text;
    }
    if (map->surjective && !nest.guard.defined()) {
      std::int64_t box = 1;
      for (const auto& binding : map->bindings) box *= *constant_int(binding.extent);
      ASSERT_EQ(static_cast<std::int64_t>(all.size()), box) << text;
      bijections += map->injective;
    }
  }
  EXPECT_GT(understood, 1500);
  EXPECT_GT(inverted, 800);
  EXPECT_GT(bijections, 500);
  EXPECT_GT(injective_said * 10, injective_seen * 9) << "too many injective maps go unrecognised";
}

}  // namespace
}  // namespace ardea::arith_tests
