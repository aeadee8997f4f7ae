#include <algorithm>
#include <numeric>

#include "ardea/arith/reasoner.h"
#include "ardea/ir/intrinsics.h"

namespace ardea::arith {

namespace {

constexpr Interval int64_values{-(Wide{1} << 63), (Wide{1} << 63) - 1};

Interval opaque_interval(const Expr& e) {
  const Interval all = values_of(e.type());
  if (const auto* binary = e.as<Binary>(); binary && binary->op == BinaryOp::bit_and)
    for (const Expr& side : {binary->left, binary->right})
      if (const auto mask = constant_int(side); mask && *mask >= 0) return intersect(all, {0, *mask});
  if (const auto* call = e.as<Call>(); call && (call->op->name == "popcount" || call->op->name == "clz"))
    return {0, e.type().bits};
  return all;
}

// What p and an assumption on the same terms say about p: `direction` is 1 where the terms agree, -1 where
// they are negated.
int agreement(const Polynomial& p, const Polynomial& assumed) {
  if (p.terms.size() != assumed.terms.size() || p.terms.empty()) return 0;
  // Every sum is held against every assumption, and hardly two are about the same: no memory is asked for
  // before that is known.
  const auto is_among_theirs = [&](const Term& mine) {
    return std::any_of(assumed.terms.begin(), assumed.terms.end(),
                       [&](const Term& theirs) { return same_factors(mine.factors, theirs.factors); });
  };
  if (!std::all_of(p.terms.begin(), p.terms.end(), is_among_theirs)) return 0;
  const auto agree = [&](std::int64_t factor) {
    const Polynomial difference = add(p, assumed, -factor);
    return difference.terms.empty() && !difference.overflow;
  };
  return agree(1) ? 1 : agree(-1) ? -1 : 0;
}

}  // namespace

Interval Reasoner::structural_interval(AtomId id) {
  const Atom& a = atom(id);
  switch (a.kind) {
    case AtomKind::lane: return {0, a.lanes - 1};
    case AtomKind::quotient: {
      const Interval dividend = interval(a.operands[0]);
      return floor_divide(dividend, intersect(interval(a.operands[1]), {1, Interval::infinity}));
    }
    case AtomKind::remainder: {
      const Interval dividend = interval(a.operands[0]);
      Interval result{0, (interval(a.operands[1]) + point(-1)).high};
      if (dividend.low >= 0) result.high = std::min(result.high, dividend.high);
      return result;
    }
    case AtomKind::minimum:
    case AtomKind::maximum:
    case AtomKind::choice: {
      Interval result = interval(a.operands[0]);
      for (std::size_t i = 1; i < a.operands.size(); ++i) {
        const Interval next = interval(a.operands[i]);
        result = a.kind == AtomKind::minimum   ? minimum(result, next)
                 : a.kind == AtomKind::maximum ? maximum(result, next)
                                               : unite(result, next);
      }
      return a.kind == AtomKind::choice ? result : by_means(id, result);
    }
    case AtomKind::opaque: return opaque_interval(a.expr);
    case AtomKind::variable: break;
  }
  Interval result = values_of(a.expr.type());
  if (const VariableFacts* known = facts_of(id)) {
    if (known->least) {
      const std::int64_t step = std::max<std::int64_t>(known->divisor, 1);
      const Wide least = (Wide{*known->least} + step - 1) / step * step;  // least is positive
      result = intersect(result, {least, Interval::infinity});
    }
    const Ends& e = ends(id);
    if (e.low) result = intersect(result, {interval(*e.low).low, Interval::infinity});
    if (e.high) result = intersect(result, {-Interval::infinity, interval(*e.high).high});
  }
  return result;
}

// The greatest of numbers is at least the mean of any two of them, the least at most: max(x - 1, 1 - x), a
// mirrored index, is never negative, though each of the two may be. Only where the sum is simpler than its
// parts does that say more than they do.
Interval Reasoner::by_means(AtomId id, Interval known) {
  const std::vector<Polynomial> parts = atom(id).operands;
  const bool is_least = atom(id).kind == AtomKind::minimum;
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = i + 1; j < parts.size(); ++j) {
      const Polynomial sum = add(parts[i], parts[j]);
      if (sum.overflow || sum.terms.size() >= parts[i].terms.size() + parts[j].terms.size()) continue;
      const Interval both = interval(sum);
      if (is_least && both.has_high())
        known = intersect(known, {-Interval::infinity, floor_divide({both.high, both.high}, point(2)).high});
      if (!is_least && both.has_low())  // ceil(x / 2) = -floor(-x / 2)
        known = intersect(known, {-floor_divide({-both.low, -both.low}, point(2)).low, Interval::infinity});
    }
  return known;
}

// Each assumption c · atom + rest >= 0 bounds the atom by the extremes of the rest.
Interval Reasoner::by_assumptions(AtomId id, Interval known) {
  for (const Polynomial& p : assumptions()) {
    if (degree(p, id) != 1) continue;
    const auto [coefficient, rest] = split_linear(p, id);
    if (!coefficient.is_constant()) continue;
    const Interval others = interval(rest);
    if (!others.has_high()) continue;
    const Wide c = coefficient.constant, limit = others.high;
    if (c > 0)  // atom >= ceil(-limit / c) = -floor(limit / c)
      known = intersect(known, {-floor_divide({limit, limit}, {c, c}).low, Interval::infinity});
    else
      known = intersect(known, {-Interval::infinity, floor_divide({limit, limit}, {-c, -c}).high});
  }
  return known;
}

Interval Reasoner::interval(AtomId id) {
  std::vector<OpenQuestion>& open = in_progress_.intervals;
  const auto lean_on = [&](auto question) {
    in_progress_.leant_on =
        std::min(in_progress_.leant_on, static_cast<std::size_t>(question - open.begin()));
  };
  const BoundsFound* before = answers_.intervals.find(id);
  if (before != nullptr) {
    if (before->is_final()) return before->bounds;
    const auto is_it = [&](const OpenQuestion& other) { return other.number == before->until; };
    if (const auto at = std::find_if(open.begin(), open.end(), is_it); at != open.end()) {
      lean_on(at);
      return before->bounds;
    }
  }
  // Bounds that lean on each other: the inner question gets what is known without asking.
  const auto is_same = [&](const OpenQuestion& other) { return other.id == id; };
  if (const auto at = std::find_if(open.begin(), open.end(), is_same); at != open.end()) {
    lean_on(at);
    if (!atom(id).expr.defined()) return structural_interval(id);
    Interval known = values_of(atom(id).expr.type());
    const VariableFacts* facts = facts_of(id);
    if (facts != nullptr && facts->least) known = intersect(known, {*facts->least, Interval::infinity});
    // A start that is a number: without it, what is divided or multiplied there would lose its sign.
    if (const auto e = ends_->find(id); e != ends_->end() && e->second->low && e->second->low->is_constant())
      known = intersect(known, {e->second->low->constant, Interval::infinity});
    return known;
  }
  Question::spend(1 + static_cast<std::int64_t>(understood_.assumptions->size()));
  BoundsFound found{before != nullptr ? before->bounds : Interval{}};
  open.push_back({id, ++in_progress_.asked});
  found.bounds = intersect(found.bounds, by_assumptions(id, structural_interval(id)));
  open.pop_back();
  // What leans on a question that is still open was made of less than will be known: it serves until that one
  // is answered, and is asked for again after it.
  if (in_progress_.leant_on < open.size())
    found.until = open[in_progress_.leant_on].number;
  else
    in_progress_.leant_on = InProgress::nothing;
  answers_.intervals.set(id, found);
  return found.bounds;
}

Interval Reasoner::interval(const Polynomial& p) {
  if (p.overflow) return {};
  Interval sum = point(p.constant);
  for (const Term& term : p.terms) {
    Interval product = point(term.coefficient);
    if (term.factors.size() == 1) {
      sum = sum + product * interval(term.factors[0]);
      continue;
    }
    Factors factors = term.factors;
    std::sort(factors.begin(), factors.end());
    for (std::size_t i = 0; i < factors.size();) {
      const auto end = std::upper_bound(factors.begin(), factors.end(), factors[i]) - factors.begin();
      product = product * power(interval(factors[i]), static_cast<int>(end - static_cast<std::ptrdiff_t>(i)));
      i = static_cast<std::size_t>(end);
    }
    sum = sum + product;
  }
  for (const Polynomial& assumed : assumptions()) {
    const int direction = agreement(p, assumed);
    if (direction == 0) continue;
    // terms + c >= 0 says that p = ±terms + constant is at least constant - c, or at most constant + c.
    const Interval shifted =
        point(p.constant) + (direction > 0 ? -point(assumed.constant) : point(assumed.constant));
    sum = intersect(sum, direction > 0 ? Interval{shifted.low, Interval::infinity}
                                       : Interval{-Interval::infinity, shifted.high});
  }
  return sum;
}

std::optional<Polynomial> Reasoner::ideal(const Polynomial& p, DataType type) {
  if (p.overflow) return std::nullopt;
  const Interval bounds = interval(p);
  const bool finite = bounds.has_low() && bounds.has_high();
  const Interval values = type.bits < 64 ? values_of(type) : intersect(int64_values, values_of(type));
  if (finite && bounds.within(values)) return p;
  if (type.bits < 64) {
    if (!finite) return std::nullopt;
    // Some other number of whole turns may bring the value into the type's range: 255 · x is -x for small
    // uint8.
    const Wide turn = Wide{1} << type.bits;
    const Wide turns = -floor_divide({bounds.low - values.low, bounds.low - values.low}, {turn, turn}).low;
    const Wide shift = turns * turn;
    if (bounds.high + shift > values.high || p.constant + shift > int64_values.high ||
        p.constant + shift < int64_values.low)
      return std::nullopt;
    return add(p, constant_polynomial(static_cast<std::int64_t>(shift)));
  }
  if (!type.is_int()) return std::nullopt;
  // Where all the variables are bounded, their bounds are the whole truth, and the sum may wrap.
  const Atoms atoms = atoms_in(p);
  const bool bounded = std::all_of(atoms.begin(), atoms.end(), [&](AtomId id) {
    const Interval values_there = interval(id);
    return values_there.has_low() && values_there.has_high();
  });
  if (bounded) return std::nullopt;
  // The law of index arithmetic (README.md): int64 values built from int64 variables stay far below 2^62.
  constexpr std::int64_t limit = std::int64_t{1} << 61;
  const auto small = [](std::int64_t c) { return c > -limit && c < limit; };
  if (!small(p.constant)) return std::nullopt;
  for (const Term& term : p.terms) {
    if (!small(term.coefficient)) return std::nullopt;
    for (const AtomId id : term.factors)
      if (!atom(id).tame) return std::nullopt;
  }
  return p;
}

bool Reasoner::fits(const Polynomial& p, DataType type) {
  const auto exact = ideal(p, type);
  return exact && exact->constant == p.constant;
}

}  // namespace ardea::arith
