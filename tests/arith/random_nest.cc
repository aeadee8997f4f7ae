#include "random_nest.h"

#include <fmt/core.h>

#include "ardea/ir/print.h"

namespace ardea::arith_tests {

namespace {

/// One of the loops, or a simple function of it.
Expr function_of(Random& random, const Expr& v) {
  switch (random.integer(0, 5)) {
    case 0: return floor_div(v, random.integer(2, 3));
    case 1: return floor_mod(v, random.integer(2, 3));
    case 2: return v * random.integer(2, 3);
    default: return v;
  }
}

Expr random_extent(Random& random, const std::vector<Loop>& around) {
  if (around.empty() || random.chance(0.5)) return make_int(random.integer(1, 5));
  const Expr v = random.pick(around).first;
  switch (random.integer(0, 6)) {
    case 0: return v + random.integer(0, 2);
    case 1: return make_int(random.integer(3, 5)) - v;
    case 2: return floor_div(make_int(7), max(v, make_int(0)) + 1);
    case 3: return floor_mod(v, random.integer(2, 3)) + 1;
    case 4: return min(v + 1, make_int(random.integer(2, 4)));
    case 5: {
      const std::int64_t most = random.integer(2, 4), end = random.integer(5, 9);
      return min(make_int(most), make_int(end) - v * 2);
    }
    default: return function_of(random, v) + 1;
  }
}

Expr random_start(Random& random, const std::vector<Loop>& around) {
  if (random.chance(0.5)) return make_int(0);
  if (around.empty() || random.chance(0.3)) return make_int(random.integer(-2, 3));
  const Expr v = random.pick(around).first;
  return random.chance(0.4) ? make_int(random.integer(1, 4)) - v : function_of(random, v);
}

/// Loops as digits of one number, each weighted with what those after it span, by their extents.
Expr digits_of(Random& random, const std::vector<Loop>& loops) {
  std::vector<Loop> left = loops;
  for (std::size_t k = left.size(); k > 1; --k)
    std::swap(left[k - 1],
              left[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(k) - 1))]);
  left.resize(static_cast<std::size_t>(random.integer(1, static_cast<std::int64_t>(left.size()))));
  Expr sum = left[0].first;
  for (std::size_t k = 1; k < left.size(); ++k) {
    const bool own = random.chance(0.6);
    sum = sum * (own ? left[k].second.extent : make_int(random.integer(2, 6))) + left[k].first;
  }
  return sum;
}

}  // namespace

Expr random_guard(Random& random, const RandomNest& nest) {
  const Expr v = random.pick(nest.loops).first, w = random.pick(nest.loops).first;
  const Expr bound = make_int(random.integer(0, 8));
  switch (random.integer(0, 4)) {
    case 0: return v < bound;
    case 1: return v * random.integer(2, 4) + w < bound + 2;
    case 2: return v <= w;
    case 3: return equals(floor_mod(v + w, 2), make_int(0));
    default: return v + w >= bound;
  }
}

RandomNest random_nest_of_dependent_loops(Random& random) {
  RandomNest nest{{}, make_bool(true)};
  const auto depth = random.integer(1, 4);
  for (std::int64_t k = 0; k < depth; ++k) {
    const Var var(std::string(1, static_cast<char>('i' + k)));
    const Expr start = random_start(random, nest.loops);
    nest.loops.push_back({var, {start, random_extent(random, nest.loops)}});
  }
  if (random.chance(0.35)) nest.guard = random_guard(random, nest);
  return nest;
}

Expr random_index(Random& random, const RandomNest& nest) {
  // One statement a draw: compilers evaluate the operands of one in any order, and a seed is to name the same
  // nest everywhere.
  const Expr a = random.pick(nest.loops).first;
  const Expr b = random.pick(nest.loops).first;
  const Expr c = random.pick(nest.loops).first;
  const std::int64_t m = random.integer(2, 6);
  switch (random.integer(0, 9)) {
    case 0: return a;
    case 1: return function_of(random, a);
    case 2: return a * b + c;
    case 3: return a * m + b * random.integer(1, 3) + c;
    case 4: {
      const Expr first = function_of(random, a);
      return first * m + function_of(random, b);
    }
    case 5: return floor_div(digits_of(random, nest.loops), m);
    case 6: return floor_mod(digits_of(random, nest.loops), m);
    default: return digits_of(random, nest.loops);
  }
}

std::optional<std::vector<Point>> iterations_of(const RandomNest& nest, std::size_t most) {
  std::vector<Point> all = {{}};
  for (const auto& [var, range] : nest.loops) {
    std::vector<Point> longer;
    for (const Point& outer : all) {
      const std::int64_t first = evaluate(range.min, outer), count = evaluate(range.extent, outer);
      for (std::int64_t i = 0; i < count; ++i) {
        longer.push_back(outer);
        longer.back()[var] = first + i;
      }
      if (longer.size() > most) return std::nullopt;
    }
    all = std::move(longer);
  }
  std::erase_if(all, [&](const Point& point) { return evaluate(nest.guard, point) == 0; });
  return all;
}

std::string to_text(const RandomNest& nest) {
  std::string text;
  for (const auto& [var, range] : nest.loops)
    text += fmt::format("for {} from {}, {} times; ", var.name(), print(range.min), print(range.extent));
  return text + "if " + print(nest.guard);
}

}  // namespace ardea::arith_tests
