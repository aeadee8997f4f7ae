#include <algorithm>

#include "ardea/space/builder.h"
#include "ardea/support/overloaded.h"

/// The range of a body's result from the ranges of its operands.

namespace ardea::space {
namespace {

using Wide128 = __int128;

constexpr Wide128 beyond = static_cast<Wide128>(1) << 100;

struct Bounds {
  Wide128 low, high;
};

Wide128 clipped(Wide128 value) { return std::clamp(value, -beyond, beyond); }

Bounds times(const Bounds& a, const Bounds& b) {
  // Sides beyond ±2^62 are of no interest: what is cut there stays beyond ±2^60 unless multiplied by 0.
  const auto cut = [](Wide128 v) {
    return std::clamp(v, -(static_cast<Wide128>(1) << 62), static_cast<Wide128>(1) << 62);
  };
  const auto [low, high] = std::minmax({cut(a.low) * cut(b.low), cut(a.low) * cut(b.high),
                                        cut(a.high) * cut(b.low), cut(a.high) * cut(b.high)});
  return {cut(low), cut(high)};
}

/// Of ⌊a / b⌋ and ⌈a / b⌉: the extremes are at the ends of a and of each sign's part of b.
Bounds divided(const Bounds& a, const Bounds& b) {
  Bounds result{beyond, -beyond};
  const auto consider = [&](Wide128 n, Wide128 d) {
    const Wide128 quotient = n / d;
    result.low = std::min(result.low, quotient - 1);
    result.high = std::max(result.high, quotient + 1);
    if (quotient * d == n || (n >= 0) == (d > 0)) result.low = std::min(result.low, quotient);
  };
  const auto part = [&](Wide128 low, Wide128 high) {
    if (low > high) return;
    for (const Wide128 n : {a.low, a.high})
      for (const Wide128 d : {low, high}) consider(n, d);
  };
  part(std::max<Wide128>(b.low, 1), b.high);
  part(b.low, std::min<Wide128>(b.high, -1));
  // Non-negative operands are the rule, and their quotients are not negative.
  if (a.low >= 0 && b.low >= 0) result.low = std::max<Wide128>(result.low, 0);
  return result;
}

}  // namespace

Domain bounds_of(const System& system, const Body& body) {
  bool empty = false;
  const auto of = [&](const Operand& operand) -> Bounds {
    if (!operand.is_variable()) return {operand.number(), operand.number()};
    const Domain& domain = system[operand.variable()].domain;
    if (domain.empty()) {
      empty = true;
      return {0, 0};
    }
    return {domain.min(), domain.max()};
  };
  const Bounds bounds = std::visit(
      overloaded{[&](const Linear& x) {
                   Bounds sum{x.constant, x.constant};
                   for (const Scaled& term : x.terms) {
                     const Bounds v = of(term.variable);
                     const Wide128 c = term.coefficient;
                     sum.low += c > 0 ? c * v.low : c * v.high;
                     sum.high += c > 0 ? c * v.high : c * v.low;
                   }
                   return sum;
                 },
                 [](const Member&) { return Bounds{0, 1}; }, [](const Divides&) { return Bounds{0, 1}; },
                 [&](const Product& x) {
                   Bounds product{1, 1};
                   for (const Operand& factor : x.factors) product = times(product, of(factor));
                   return product;
                 },
                 [&](const Select& x) {
                   Bounds hull = of(x.choices[0]);
                   for (const Operand& choice : x.choices) {
                     const Bounds c = of(choice);
                     hull = {std::min(hull.low, c.low), std::max(hull.high, c.high)};
                   }
                   return hull;
                 },
                 [&](const Extreme& x) {
                   Bounds best = of(x.operands[0]);
                   for (const Operand& operand : x.operands) {
                     const Bounds o = of(operand);
                     best = x.largest ? Bounds{std::max(best.low, o.low), std::max(best.high, o.high)}
                                      : Bounds{std::min(best.low, o.low), std::min(best.high, o.high)};
                   }
                   return best;
                 },
                 [&](const Quotient& x) { return divided(of(x.numerator), of(x.denominator)); },
                 [](const Truth&) { return Bounds{0, 1}; }},
      body);
  if (empty) return {};
  const auto low = std::max<Wide128>(clipped(bounds.low), -largest_value);
  const auto high = std::min<Wide128>(clipped(bounds.high), largest_value);
  return Domain::range(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high));
}

}  // namespace ardea::space
