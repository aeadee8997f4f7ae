#include "ardea/schedule/analysis/iterator_values.h"

#include <algorithm>

#include "ardea/arith/inside.h"
#include "ardea/arith/iter_map.h"
#include "ardea/arith/regions_conditions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/ceil_div.h"
#include "ardea/ir/substitute.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;
using arith::as_index;
using arith::LoopRange;

/// Whether e is split at max (then it is the largest of its terms) or at min.
enum class Extreme { largest, smallest };

Extreme other(Extreme extreme) { return extreme == Extreme::largest ? Extreme::smallest : Extreme::largest; }

constexpr std::size_t most_terms = 6;  // beyond that the whole expression is one term

/// The terms of e: e is the largest (smallest) of them.
std::vector<Expr> terms(const Expr& e, Extreme extreme) {
  const auto* binary = e.as<Binary>();
  if (binary == nullptr) return {e};
  const auto both = [&](Extreme right, const auto& combine) -> std::vector<Expr> {
    std::vector<Expr> found;
    for (const Expr& a : terms(binary->left, extreme))
      for (const Expr& b : terms(binary->right, right)) found.push_back(combine(a, b));
    return found.size() > most_terms ? std::vector<Expr>{e} : found;
  };
  switch (binary->op) {
    case BinaryOp::max:
    case BinaryOp::min: {
      if ((binary->op == BinaryOp::max) != (extreme == Extreme::largest)) return {e};
      std::vector<Expr> found = terms(binary->left, extreme);
      for (const Expr& term : terms(binary->right, extreme)) found.push_back(term);
      return found;
    }
    case BinaryOp::add: return both(extreme, [](const Expr& a, const Expr& b) { return a + b; });
    case BinaryOp::sub: return both(other(extreme), [](const Expr& a, const Expr& b) { return a - b; });
    case BinaryOp::mul: {
      const auto factor = constant_int(binary->right);
      if (!factor) return {e};
      std::vector<Expr> found = terms(binary->left, *factor >= 0 ? extreme : other(extreme));
      for (Expr& term : found) term = term * binary->right;
      return found;
    }
    case BinaryOp::floor_div: {
      const auto divisor = constant_int(binary->right);
      if (!divisor || *divisor <= 0) return {e};
      std::vector<Expr> found = terms(binary->left, extreme);
      for (Expr& term : found) term = floor_div(term, binary->right);
      return found;
    }
    default: return {e};
  }
}

std::vector<Expr> simplified_terms(const Expr& e, Extreme extreme, const Analyzer& facts) {
  std::vector<Expr> found = terms(facts.simplify(as_index(e)), extreme);
  for (Expr& term : found) term = facts.simplify(term);
  return found;
}

Expr whole_div(const Expr& a, const Expr& b) { return is_one(b) ? a : floor_div(a, b); }

/// Reads inequalities over the iterators as bounds of single ones.
class Solving {
 public:
  Solving(const Block& block, Reach reach, const Analyzer& facts)
      : block_(block), reach_(reach), facts_(arith::facts_inside(block, facts)), reading_(facts) {
    for (const BlockIterator& iterator : block.iterators) {
      // To keep inside, one that has a single value must be that value: where its bounds exclude it, nothing
      // is left. So it stays in sight.
      const bool is_single = facts_.proves(as_index(iterator.domain.extent) <= make_int(1));
      is_single_.push_back(is_single);
      if (!is_single || reach == Reach::some) reading_.bind(iterator.var, iterator.domain);
      ranges_.emplace_back(iterator.var, iterator.domain);
      vars_.push_back(iterator.var);
    }
    values_.resize(block.iterators.size());
  }

  IteratorValues take() { return std::move(values_); }

  /// index <= bound
  void at_most(const Expr& index, const Expr& bound) {
    compare(reading_.simplify(as_index(index)), bound, true);
  }
  /// index >= bound
  void at_least(const Expr& index, const Expr& bound) {
    compare(reading_.simplify(as_index(index)), bound, false);
  }

 private:
  void compare(const Expr& index, const Expr& bound, bool at_most) {
    if (const auto coefficients = arith::linear_coefficients(index, ranges_, reading_))
      return linear(index, *coefficients, bound, at_most);
    const auto* quotient = index.as<Binary>();
    if (quotient == nullptr || quotient->op != BinaryOp::floor_div) return;
    const Expr& divisor = quotient->right;
    if (arith::uses_any(divisor, ranges_) || !facts_.proves(divisor > make_int(0))) return;
    // g // d <= b is g <= b * d + d - 1; g // d >= b is g >= b * d.
    compare(quotient->left, at_most ? bound * divisor + (divisor - 1) : bound * divisor, at_most);
  }

  void linear(const Expr& index, const std::vector<Expr>& coefficients, const Expr& bound, bool at_most) {
    for (const std::size_t i : solved_for(coefficients)) {
      const bool rising = facts_.proves(coefficients[i] > make_int(0));
      if (!rising && !facts_.proves(coefficients[i] < make_int(0))) continue;
      const Expr others = reading_.simplify(index - coefficients[i] * as_index(vars_[i]));
      if (uses(others, vars_[i])) continue;
      const arith::SymbolicBounds span = facts_.bounds(others, vars_);
      // The others stand where they leave the most room, or the least.
      const Expr rest = (reach_ == Reach::some) == at_most ? span.low : span.high;
      if (!rest.defined()) continue;
      const Expr room = bound - as_index(rest);
      const Expr weight = rising ? coefficients[i] : facts_.simplify(-coefficients[i]);
      // c * v <= room, or -c * v <= room, which is c * v >= -room; likewise for >=.
      if (at_most == rising)
        add(values_[i].highs, whole_div(rising ? room : -room, weight));
      else
        add(values_[i].lows, ceil_div(rising ? room : -room, weight));
    }
  }

  /// Which iterators the index bounds. To keep inside, the heaviest moves and the others run freely.
  std::vector<std::size_t> solved_for(const std::vector<Expr>& coefficients) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      if (block_.iterators[i].kind != IteratorKind::spatial || is_zero(coefficients[i])) continue;
      if (reach_ == Reach::some || found.empty()) {
        found.push_back(i);
      } else if (is_single_[i] != is_single_[found[0]]) {
        if (is_single_[found[0]]) found[0] = i;
      } else if (facts_.proves(max(coefficients[i], -coefficients[i]) >
                               max(coefficients[found[0]], -coefficients[found[0]]))) {
        found[0] = i;
      }
    }
    return found;
  }

  /// A bound that reads memory would be read at another time than meant: it is left out.
  void add(std::vector<Expr>& list, const Expr& bound) const {
    const Expr simple = facts_.simplify(bound);
    bool reads = false;
    visit_exprs(simple, [&](const Expr& e) { reads = reads || e.is<Load>(); });
    if (!reads) list.push_back(simple);
  }

  const Block& block_;
  const Reach reach_;
  const Analyzer facts_;
  Analyzer reading_;  ///< the same, without iterators that must stay in sight
  std::vector<bool> is_single_;
  std::vector<LoopRange> ranges_;
  std::vector<Var> vars_;
  IteratorValues values_;
};

Expr combined(const std::vector<Expr>& list, Extreme extreme, const Analyzer& facts) {
  Expr all = list[0];
  for (std::size_t i = 1; i < list.size(); ++i)
    all = extreme == Extreme::largest ? max(all, list[i]) : min(all, list[i]);
  return facts.simplify(all);
}

/// The looser of two lists of bounds, each of which holds as a whole.
std::vector<Expr> looser(const std::vector<Expr>& a, const std::vector<Expr>& b, Extreme extreme,
                         const Analyzer& facts) {
  if (a.empty() || b.empty()) return {};
  const bool lows = extreme == Extreme::largest;
  const Expr x = combined(a, extreme, facts), y = combined(b, extreme, facts);
  if (facts.proves(lows ? x <= y : x >= y)) return a;
  if (facts.proves(lows ? y <= x : y >= x)) return b;
  return {facts.simplify(lows ? min(x, y) : max(x, y))};
}

}  // namespace

Bounds bounds_of(const Range& range, const Analyzer& facts) {
  return {simplified_terms(range.min, Extreme::largest, facts),
          simplified_terms(as_index(range.min) + as_index(range.extent) - 1, Extreme::smallest, facts)};
}

Bounds domain_of(const BlockIterator& iterator, const Analyzer& facts) {
  return {{facts.simplify(as_index(iterator.domain.min))},
          {facts.simplify(as_index(iterator.domain.min) + as_index(iterator.domain.extent) - 1)}};
}

Buffer iteration_space(const Block& block) {
  std::vector<Expr> shape;
  for (const BlockIterator& iterator : block.iterators) shape.push_back(as_index(iterator.domain.extent));
  return make_buffer(block.name, shape);
}

BufferRegion whole_space(const Buffer& space, const Block& block) {
  BufferRegion region{space, {}};
  for (const BlockIterator& iterator : block.iterators)
    region.region.push_back({as_index(iterator.domain.min), as_index(iterator.domain.extent)});
  return region;
}

Between between(const Path& path, std::size_t first) {
  const Block& block = path.block();
  Between found;
  Substitution values;
  for (std::size_t i = first; i + 1 < path.size(); ++i) {
    if (const auto* loop = path[i].as<For>())
      found.loops.emplace_back(loop->var,
                               Range{substitute(loop->min, values), substitute(loop->extent, values)});
    if (const auto* let = path[i].as<LetStmt>()) values[let->var] = substitute(let->value, values);
    if (const auto* branch = path[i].as<If>()) {
      const bool then_side = path[i + 1] == branch->then_case;
      for (const Expr& part :
           then_side ? arith::conjuncts(branch->condition) : arith::conjuncts_of_negation(branch->condition))
        found.conditions.push_back(substitute(part, values));
    }
  }
  for (const Expr& part : arith::conjuncts(block.predicate))
    found.conditions.push_back(substitute(part, values));
  for (const BlockIterator& iterator : block.iterators)
    found.bindings.push_back(substitute(iterator.binding, values));
  return found;
}

namespace {

/// The box of the values of `inside`, which stands at path[first], where the conditions hold.
Executed box_where(const Function& f, const Path& path, std::size_t first, const Buffer& space,
                   const Between& inside, const std::vector<Expr>& conditions) {
  const Block& block = path.block();
  // Counted from the start of the domains, as elements of a buffer are.
  BufferRegion points{space, {}};
  for (std::size_t i = 0; i < inside.bindings.size(); ++i)
    points.region.push_back(
        {as_index(inside.bindings[i]) - as_index(block.iterators[i].domain.min), make_int(1)});
  const Analyzer facts = path.upto(first).facts(f);
  arith::Touched box = arith::relax(points, inside.loops, conditions, facts);
  for (std::size_t i = 0; i < inside.bindings.size(); ++i) {
    Expr& low = box.region.region[i].min;
    low = facts.simplify(as_index(low) + as_index(block.iterators[i].domain.min));
  }
  return {box.region, box.exact};
}

/// Those that are not proved for all iterations of the loops.
std::vector<Expr> undecided(const Function& f, const Path& path, std::size_t first, const Between& inside) {
  Analyzer within = path.upto(first).facts(f);
  for (const auto& [var, range] : inside.loops) within.bind(var, range);
  std::vector<Expr> found;
  for (const Expr& condition : inside.conditions)
    if (!within.proves(condition)) found.push_back(condition);
  return found;
}

}  // namespace

Executed executed(const Function& f, const Path& path, std::size_t first, const Buffer& space) {
  const Between inside = between(path, first);
  return box_where(f, path, first, space, inside, undecided(f, path, first, inside));
}

std::optional<ExecutedWhere> executed_where(const Function& f, const Path& path, std::size_t first,
                                            const Buffer& space) {
  const Between inside = between(path, first);
  ExecutedWhere found{box_where(f, path, first, space, inside, {}), {}};
  if (!found.values.exact) return std::nullopt;
  // Each value of the box comes from one iteration of the loops, which the inverse of the bindings gives: a
  // condition on the iteration is one on the value.
  Analyzer facts = path.upto(first).facts(f);
  const auto map = arith::iter_map(inside.bindings, inside.loops, {}, facts);
  if (!map) return std::nullopt;
  std::vector<Expr> values;
  for (const BlockIterator& iterator : path.block().iterators) {
    values.push_back(iterator.var);
    facts.bind(iterator.var, iterator.domain);
  }
  const auto loops = arith::inverse(*map, values, inside.loops, facts);
  if (!loops) return std::nullopt;
  const Substitution iteration(loops->begin(), loops->end());
  for (const Expr& condition : undecided(f, path, first, inside)) {
    if (arith::reads_memory(condition)) return std::nullopt;
    found.conditions.push_back(substitute(condition, iteration));
  }
  return found;
}

IteratorValues values_reaching(const Block& block, const BufferRegion& access, const BufferRegion& part,
                               Reach reach, const Analyzer& facts) {
  Solving solving(block, reach, facts);
  for (std::size_t d = 0; d < access.region.size(); ++d) {
    const Expr first = as_index(access.region[d].min);
    const Expr last = is_one(access.region[d].extent) ? first : first + as_index(access.region[d].extent) - 1;
    const Bounds bounds = bounds_of(part.region[d], facts);
    for (const Expr& low : bounds.lows) solving.at_least(reach == Reach::some ? last : first, low);
    for (const Expr& high : bounds.highs) solving.at_most(reach == Reach::some ? first : last, high);
  }
  return solving.take();
}

void intersect(IteratorValues& values, const IteratorValues& others) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i].lows.insert(values[i].lows.end(), others[i].lows.begin(), others[i].lows.end());
    values[i].highs.insert(values[i].highs.end(), others[i].highs.begin(), others[i].highs.end());
  }
}

void unite(IteratorValues& values, const IteratorValues& others, const Analyzer& facts) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = {looser(values[i].lows, others[i].lows, Extreme::largest, facts),
                 looser(values[i].highs, others[i].highs, Extreme::smallest, facts)};
}

BufferRegion box_of(const IteratorValues& values, const Block& block, const Buffer& space,
                    const Analyzer& facts) {
  BufferRegion box{space, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Bounds domain = domain_of(block.iterators[i], facts);
    Bounds inside = values[i];
    inside.lows.push_back(domain.lows[0]);
    inside.highs.push_back(domain.highs[0]);
    const Expr low = combined(inside.lows, Extreme::largest, facts);
    box.region.push_back({low, facts.simplify(combined(inside.highs, Extreme::smallest, facts) - low + 1)});
  }
  return box;
}

}  // namespace ardea::schedule
