#include "tests/random/index_draw.h"

#include <fmt/core.h>

namespace ardea::random_programs {

std::string Guard::text(const std::vector<std::string>& names) const {
  return fmt::format("{} {} {}", left.text(names), op == '<' ? "<" : "==", right.text(names));
}

IndexExpression IndexDraw::linear(std::size_t depth) {
  IndexExpression sum = any_loop(random_, depth);
  for (std::int64_t terms = random_.integer(0, 2); terms > 0; --terms) {
    // One statement a draw: compilers evaluate the operands of one in any order, and a seed is to name the
    // same program everywhere.
    const IndexExpression term = any_loop(random_, depth);
    sum = sum + term * random_.integer(random_.chance(0.2) ? -2 : 1, 5);
  }
  return sum;
}

IndexExpression IndexDraw::row_major(std::size_t depth) {
  IndexExpression sum = 0;
  for (std::size_t k = 0; k < depth; ++k) {
    const IndexExpression var = IndexExpression::loop(k);
    const auto [low, high] = instances_.reach(var);
    sum = sum * (high - low + 1) + (random_.chance(0.8) ? var - low : var);
  }
  return sum;
}

IndexExpression IndexDraw::tile(std::size_t depth) {
  if (!instances_.are_loops) return linear(depth);
  const auto inner = loops_.has_uneven_tiles
                         ? depth - 1
                         : static_cast<std::size_t>(random_.integer(0, static_cast<std::int64_t>(depth) - 1));
  const LoopBounds& loop = loops_.bounds[inner];
  const IndexExpression outer = any_loop(random_, depth), var = IndexExpression::loop(inner);
  return loop.extent * outer + (random_.chance(0.5) ? var : var - loop.min);
}

IndexExpression IndexDraw::any_index(std::size_t depth) {
  const std::int64_t c = random_.integer(1, 4);
  const IndexExpression v = any_loop(random_, depth);
  const std::int64_t last = instances_.reach(v).second;
  switch (random_.integer(0, 13)) {
    case 0: return v;
    case 1: return v + c;
    case 2:
    case 3: return linear(depth);
    case 4:
    case 5: return row_major(depth);
    case 6: {
      const IndexExpression product = v * any_loop(random_, depth);
      return product + any_loop(random_, depth);
    }
    case 7:
    case 8: return tile(depth);
    case 9: return floor_div(linear(depth), c);
    case 10: return floor_mod(linear(depth), c + 1);
    case 11: return least(v + c, last);
    case 12: return greatest(v - c, 0);
    default: return last - v;
  }
}

Indices IndexDraw::any_indices(std::size_t depth) {
  Indices indices;
  if (loops_.has_uneven_tiles && depth == loops_.bounds.size() && random_.chance(0.4)) return {tile(depth)};
  if (random_.chance(0.3))
    for (std::size_t k = 0; k < depth && indices.size() < 3; ++k)
      if (random_.chance(0.6)) indices.push_back(IndexExpression::loop(k));
  if (random_.chance(0.1)) {
    const IndexExpression both = row_major(depth);
    const std::int64_t c = random_.integer(2, 4);
    indices = {floor_div(both, c), floor_mod(both, c)};
  }
  if (indices.empty() || (indices.size() < 3 && random_.chance(0.3))) indices.push_back(any_index(depth));
  return indices;
}

Guard IndexDraw::any_guard(std::size_t depth) {
  const std::int64_t c = random_.integer(1, 6);
  switch (random_.integer(0, 4)) {
    case 0: return {linear(depth), c};
    case 1: {
      const IndexExpression factor = any_loop(random_, depth);
      return {factor * any_loop(random_, depth), c};
    }
    case 2: return {floor_mod(linear(depth), 2), 0, '='};
    case 3: return {any_loop(random_, depth), any_loop(random_, depth) + 1};
    default: return {floor_div(linear(depth), 2), c};
  }
}

}  // namespace ardea::random_programs
