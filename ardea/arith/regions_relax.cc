#include <algorithm>

#include "ardea/arith/digit_loops.h"
#include "ardea/arith/regions.h"
#include "ardea/arith/regions_conditions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/arith/scopes.h"
#include "ardea/arith/work.h"
#include "ardea/ir/substitute.h"

namespace ardea::arith {

namespace {

enum class Side { low, high };

/// First and last element of a dimension.
struct ElementInterval {
  Expr low, high;
};

/// The loops that move e, those that move its loops' ranges included.
std::vector<LoopRange> moving(const Expr& e, const std::vector<LoopRange>& loops) {
  std::vector<LoopRange> found;
  for (std::size_t i = loops.size(); i-- > 0;) {
    const auto in_range_of = [&](const LoopRange& inner) {
      return uses(inner.second.min, loops[i].first) || uses(inner.second.extent, loops[i].first);
    };
    if (uses(e, loops[i].first) || std::any_of(found.begin(), found.end(), in_range_of))
      found.insert(found.begin(), loops[i]);
  }
  return found;
}

/// A bound of e over the loops that move it; empty where unbounded. May mention other loops, by way of the
/// conditions.
Expr one_bound(const Expr& e, const std::vector<LoopRange>& movers, Side side, const Analyzer& facts) {
  const auto pick = [&](const SymbolicBounds& b) { return side == Side::low ? b.low : b.high; };
  std::vector<Var> all;
  bool independent = true;
  for (const auto& [var, range] : movers) {
    all.push_back(var);
    independent = independent && !uses_any(range.min, movers) && !uses_any(range.extent, movers);
  }
  if (independent) return pick(facts.bounds(e, all));
  // Innermost first: its range may mention the loops around it.
  Expr at = e;
  for (std::size_t i = all.size(); i-- > 0 && at.defined();) at = pick(facts.bounds(at, {all[i]}));
  return at;
}

/// The least or greatest value of e over the loops, free of them; empty where none is found.
Expr extreme(const Expr& e, const std::vector<LoopRange>& loops, Side side, const Analyzer& facts) {
  Expr at = e;
  for (std::size_t round = 0; round <= loops.size() && at.defined(); ++round) {
    const std::vector<LoopRange> movers = moving(at, loops);
    if (movers.empty()) return round == 0 ? at : facts.simplify(as_index(at));
    at = one_bound(at, movers, side, facts);
  }
  return {};
}

Expr smaller(const Expr& a, const Expr& b, const Analyzer& facts) {
  if (facts.proves(a <= b)) return a;
  if (facts.proves(b <= a)) return b;
  return facts.simplify(min(a, b));
}

Expr larger(const Expr& a, const Expr& b, const Analyzer& facts) {
  if (facts.proves(a >= b)) return a;
  if (facts.proves(b >= a)) return b;
  return facts.simplify(max(a, b));
}

/// One condition as `value >= 0` over the loops.
struct Cut {
  Expr value;
  std::vector<Expr> coefficients;
  std::size_t part;  ///< of the conditions; several cuts may say the same one
};

struct Cuts {
  std::vector<Cut> all;
  std::vector<std::size_t> conditions;  ///< the place of each part's condition
};

/// The same cut over fewer loops: v >= 0 holds exactly where v // g >= 0 does, for any g > 0. Where the tail
/// of a split of fused loops ends with a row, y * 64 + x < 768 with x < 64 says y < 12.
std::vector<Cut> coarsened(const Cut& cut, const std::vector<LoopRange>& loops, const Analyzer& facts) {
  const auto moved_by = [](const std::vector<Expr>& coefficients) {
    return std::count_if(coefficients.begin(), coefficients.end(),
                         [](const Expr& coefficient) { return !is_zero(coefficient); });
  };
  std::vector<Cut> found;
  if (moved_by(cut.coefficients) < 2) return found;
  for (const Expr& coefficient : cut.coefficients) {
    const Expr step = facts.simplify(max(coefficient, -coefficient));
    if (!facts.proves(step >= make_int(2))) continue;
    const Expr value = facts.simplify(floor_div(cut.value, step));
    auto coefficients = linear_coefficients(value, loops, facts);
    if (coefficients && moved_by(*coefficients) < moved_by(cut.coefficients))
      found.push_back({value, *std::move(coefficients), cut.part});
  }
  return found;
}

Cuts cuts_of(const std::vector<Expr>& conditions, const std::vector<LoopRange>& loops,
             const Analyzer& facts) {
  Cuts cuts;
  for (std::size_t c = 0; c < conditions.size(); ++c)
    for (const Expr& value : nonnegative_parts(conditions[c]))
      if (auto coefficients = linear_coefficients(value, loops, facts)) {
        const Cut cut{facts.simplify(value), *std::move(coefficients), cuts.conditions.size()};
        cuts.conditions.push_back(c);
        cuts.all.push_back(cut);
        for (Cut& coarse : coarsened(cut, loops, facts)) cuts.all.push_back(std::move(coarse));
      }
  return cuts;
}

/// Bounds of one index by the conditions: index + m·cut eliminates a loop, and the cut is not negative. Notes
/// in `spent` the parts of conditions that say a bound of the index and nothing else.
class Tightening {
 public:
  Tightening(const std::vector<LoopRange>& loops, const std::vector<Cut>& cuts, std::vector<bool>& spent,
             const Analyzer& facts)
      : loops_(loops), cuts_(cuts), spent_(spent), facts_(facts) {}

  void apply(const Expr& index, ElementInterval& interval) const {
    const auto coefficients = linear_coefficients(index, loops_, facts_);
    if (!coefficients) return;
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      for (const std::int64_t m : multipliers(*coefficients, cuts_[c])) use(index, c, m, interval);
      if (const auto m = still(*coefficients, cuts_[c], index)) use(index, c, *m, interval);
    }
  }

 private:
  std::vector<std::int64_t> multipliers(const std::vector<Expr>& coefficients, const Cut& cut) const {
    std::vector<std::int64_t> found;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      const auto mine = constant_int(coefficients[i]), cuts = constant_int(cut.coefficients[i]);
      if (!mine || !cuts || *mine == 0 || *cuts == 0 || *mine % *cuts != 0) continue;
      const std::int64_t m = -*mine / *cuts;
      if (std::find(found.begin(), found.end(), m) == found.end()) found.push_back(m);
    }
    return found;
  }

  /// The multiplier of a cut that is the index against something else, where no loop moves the two: a tile of
  /// one row, whose loop has one iteration, in rows that a split reaches beyond the last (row < 100, row <
  /// m). The cut says a bound of the index, as one that moves with the loops does: index + m·cut = b with a b
  /// that the index's variables are not in. For m = 1 the cut holds where index <= b, and then the box
  /// index … min(index, b) is the index; where it fails, b < index and the box is empty. (-1: from below.)
  std::optional<std::int64_t> still(const std::vector<Expr>& coefficients, const Cut& cut,
                                    const Expr& index) const {
    const auto none_moves = [](const std::vector<Expr>& all) {
      return std::all_of(all.begin(), all.end(),
                         [](const Expr& coefficient) { return is_zero(coefficient); });
    };
    if (!none_moves(coefficients) || !none_moves(cut.coefficients)) return std::nullopt;
    const std::vector<Var> own = free_variables(facts_.simplify(as_index(index)));
    for (const std::int64_t m : {1, -1}) {
      const Expr bound = facts_.simplify(as_index(index) + cut.value * m);
      const bool is_apart =
          !own.empty() && std::none_of(own.begin(), own.end(), [&](const Var& v) { return uses(bound, v); });
      if (constant_int(bound) || is_apart) return m;
    }
    return std::nullopt;
  }

  void use(const Expr& index, std::size_t c, std::int64_t m, ElementInterval& interval) const {
    const Expr rest = facts_.simplify(as_index(index) + cuts_[c].value * m);
    const Side side = m > 0 ? Side::high : Side::low;
    const Expr bound = extreme(rest, loops_, side, facts_);
    if (!bound.defined()) return;
    if (side == Side::high)
      interval.high = interval.high.defined() ? smaller(interval.high, bound, facts_) : bound;
    else
      interval.low = interval.low.defined() ? larger(interval.low, bound, facts_) : bound;
    if ((m == 1 || m == -1) && !uses_any(rest, loops_)) spent_[cuts_[c].part] = true;
  }

  const std::vector<LoopRange>& loops_;
  const std::vector<Cut>& cuts_;
  std::vector<bool>& spent_;
  const Analyzer& facts_;
};

Range clipped(ElementInterval interval, const Expr& extent, const Analyzer& facts) {
  const Expr last = facts.simplify(as_index(extent) - 1);
  interval.low = interval.low.defined() ? larger(interval.low, make_int(0), facts) : make_int(0);
  interval.high = interval.high.defined() ? smaller(interval.high, last, facts) : last;
  return {interval.low, facts.simplify(interval.high - interval.low + 1)};
}

ElementInterval interval_of(const Range& range, const Analyzer& facts) {
  const Expr low = as_index(range.min);
  return {low, is_one(range.extent) ? low : facts.simplify(low + as_index(range.extent) - 1)};
}

/// A slice that the loops move by whole lengths of itself: it begins at start + count * length.
struct WholeSteps {
  Expr start, count;
  std::int64_t length = 1;

  Expr last(const Expr& count_there, const Analyzer& facts) const {
    return facts.simplify(start + count_there * length + (length - 1));
  }
  Expr first(const Expr& count_there, const Analyzer& facts) const {
    return facts.simplify(start + count_there * length);
  }
};

std::optional<WholeSteps> whole_steps(const Range& dim, const std::vector<LoopRange>& loops,
                                      const Analyzer& facts) {
  const auto length = constant_int(facts.simplify(as_index(dim.extent)));
  const auto coefficients = linear_coefficients(dim.min, loops, facts);
  if (!length || *length < 1 || !coefficients) return std::nullopt;
  WholeSteps steps{as_index(dim.min), make_int(0), *length};
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const auto coefficient = constant_int((*coefficients)[i]);
    if (!coefficient || *coefficient % *length != 0) return std::nullopt;
    const Expr var = as_index(loops[i].first);
    steps.count = steps.count + var * (*coefficient / *length);
    steps.start = steps.start - var * *coefficient;
  }
  steps.count = facts.simplify(steps.count);
  steps.start = facts.simplify(steps.start);
  return steps;
}

/// The conditions that cut nothing off, because some iteration of the loops that do not matter fulfils them.
/// The rule: let the loops be (x, y), where the y move neither the region nor the range of another loop, and
/// let a condition C(x, y) be proved for all x at the first iteration y0 of each of the y. Every loop has an
/// iteration, so that (x, y0) is one for every x: what the iteration x of the others touches, (x, y0)
/// touches, and C holds there. All such conditions hold at the same y0, so that together they leave out
/// nothing; conditions free of the y cut as they do without them. (The tail of a split of a reduction:
/// k_0 * 4 + k_1 < 7 leaves out no row k_0, for it holds with k_1 = 0.)
std::vector<bool> held_by_first(const BufferRegion& region, const std::vector<LoopRange>& loops,
                                const std::vector<Expr>& conditions, const Analyzer& facts) {
  std::vector<LoopRange> idle;
  Substitution first;
  for (const LoopRange& loop : loops) {
    const auto mentions = [&](const Range& range) {
      return uses(range.min, loop.first) || uses(range.extent, loop.first);
    };
    const bool moves = std::any_of(region.region.begin(), region.region.end(), mentions) ||
                       std::any_of(loops.begin(), loops.end(),
                                   [&](const LoopRange& other) { return mentions(other.second); });
    if (moves) continue;
    idle.push_back(loop);
    first[loop.first] = make_cast(loop.first.type(), loop.second.min);
  }
  std::vector<bool> held;
  for (const Expr& condition : conditions)
    held.push_back(uses_any(condition, idle) && facts.proves(substitute(condition, first)));
  return held;
}

/// The box, by what holds wherever it is stated.
Touched box_of(const BufferRegion& region, const std::vector<LoopRange>& loops,
               const std::vector<Expr>& conditions, bool all_run, const Analyzer& facts) {
  const auto [cuts, condition_of_part] = cuts_of(conditions, loops, facts);
  std::vector<bool> spent(condition_of_part.size(), false);
  Touched touched{{region.buffer, {}}, true};
  for (std::size_t d = 0; d < region.region.size(); ++d) {
    const Range& dim = region.region[d];
    if (!uses_any(dim.min, loops) && !uses_any(dim.extent, loops)) {
      touched.region.region.push_back(dim);
      continue;
    }
    const ElementInterval at = interval_of(dim, facts);
    ElementInterval box{extreme(at.low, loops, Side::low, facts), extreme(at.high, loops, Side::high, facts)};
    std::vector<bool> unused(spent.size());
    if (is_one(dim.extent)) {
      Tightening(loops, cuts, spent, facts).apply(at.low, box);
    } else if (const auto steps = whole_steps(dim, loops, facts)) {
      ElementInterval counts{};
      Tightening(loops, cuts, spent, facts).apply(steps->count, counts);
      if (counts.low.defined()) {
        const Expr low = steps->first(counts.low, facts);
        box.low = box.low.defined() ? larger(box.low, low, facts) : low;
      }
      if (counts.high.defined()) {
        const Expr high = steps->last(counts.high, facts);
        box.high = box.high.defined() ? smaller(box.high, high, facts) : high;
      }
    } else {
      // A slice that a cut shortens is not exact: the cut bounds its first element only.
      ElementInterval first{}, last{};
      Tightening(loops, cuts, unused, facts).apply(at.low, first);
      Tightening(loops, cuts, unused, facts).apply(at.high, last);
      if (first.low.defined()) box.low = box.low.defined() ? larger(box.low, first.low, facts) : first.low;
      if (last.high.defined())
        box.high = box.high.defined() ? smaller(box.high, last.high, facts) : last.high;
    }
    touched.region.region.push_back(clipped(box, region.buffer->shape[d], facts));
  }
  // A condition counts as a cut of one dimension only where each of its parts was spent so.
  std::vector<bool> decided(conditions.size(), false);
  for (const std::size_t condition : condition_of_part) decided[condition] = true;
  for (std::size_t part = 0; part < spent.size(); ++part)
    if (!spent[part]) decided[condition_of_part[part]] = false;
  const auto all_decided = [&] {
    return std::all_of(decided.begin(), decided.end(), [](bool yes) { return yes; });
  };
  if (all_run && !all_decided()) {
    const std::vector<bool> held = held_by_first(region, loops, conditions, facts);
    for (std::size_t c = 0; c < held.size(); ++c) decided[c] = decided[c] || held[c];
  }
  touched.exact = all_run && all_decided() && fills_box(region.region, loops, facts);
  return touched;
}

/// `box`, or a smaller one by the conditions. Where these say more than cuts do, the box under them is
/// smaller. It is never exact: it is stated for iterations of the loops around, too, in which the conditions
/// fail and nothing is touched.
Touched smaller_box(const Touched& box, const RepeatedRegion& access, bool all_run,
                    const Analyzer& under_conditions) {
  if (access.conditions.empty() || box.exact) return box;
  Touched smaller = box_of(access.region, access.loops, access.conditions, all_run, under_conditions);
  smaller.exact = false;
  // Of what took all the work that there was little was understood.
  const bool is_no_smaller =
      Question::is_exhausted() || contains(smaller.region, box.region, under_conditions) == Proof::proved;
  return is_no_smaller ? box : smaller;
}

/// The box of an access by loops over digits.
Touched box_by_digits(const RepeatedRegion& access, bool all_run, const Analyzer& facts) {
  Analyzer inside = facts;
  for (const auto& [var, range] : access.loops) inside.bind(var, range);
  const Touched box = box_of(access.region, access.loops, access.conditions, all_run, inside);
  for (const Expr& condition : access.conditions) inside.assume(condition);
  return smaller_box(box, access, all_run, inside);
}

}  // namespace

Touched relax(const BufferRegion& region, const std::vector<LoopRange>& loops, const Analyzer& facts) {
  return relax(region, loops, {}, facts);
}

Touched relax(const BufferRegion& region, const std::vector<LoopRange>& loops,
              const std::vector<Expr>& conditions, const Analyzer& facts) {
  Analyzer inside = facts;
  bool all_run = true;
  for (const auto& [var, range] : loops) {
    all_run = all_run && inside.proves(as_index(range.extent) >= make_int(1));
    inside.bind(var, range);
  }
  Analyzer under_conditions = inside;
  for (const Expr& condition : conditions) under_conditions.assume(condition);
  Touched touched = relax_within(region, loops, conditions, all_run, inside, under_conditions);
  touched.exact = touched.exact || touches_point(touched.region, loops, conditions, facts);
  return touched;
}

bool touches_point(const BufferRegion& box, const std::vector<LoopRange>& loops,
                   const std::vector<Expr>& conditions, const Analyzer& facts) {
  const auto is_point = [&](const Range& range) {
    return facts.proves(as_index(range.extent) <= make_int(1));
  };
  if (!std::all_of(box.region.begin(), box.region.end(), is_point)) return false;
  Substitution first;
  for (const auto& [var, range] : loops) {
    if (!facts.proves(substitute(as_index(range.extent), first) >= make_int(1))) return false;
    first[var] = make_cast(var.type(), substitute(range.min, first));
  }
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](const Expr& condition) { return facts.proves(substitute(condition, first)); });
}

Touched relax_within(const BufferRegion& region, const std::vector<LoopRange>& loops,
                     const std::vector<Expr>& conditions, bool all_run, const Analyzer& facts,
                     const Analyzer& under_conditions) {
  AskedAbout about{AskedAbout::What::box};
  for (const Range& dim : region.region) about.exprs.insert(about.exprs.end(), {dim.min, dim.extent});
  for (const auto& [var, range] : loops)
    about.exprs.insert(about.exprs.end(), {var, range.min, range.extent});
  about.exprs.insert(about.exprs.end(), conditions.begin(), conditions.end());
  about.buffer = region.buffer;
  about.other_facts = under_conditions.facts();
  about.number = static_cast<std::int64_t>(2 * loops.size()) + (all_run ? 1 : 0);
  return remembered_analysis<Touched>(facts.facts(), about, steps_of_a_region, [&] {
    const Touched box = box_of(region, loops, conditions, all_run, facts);
    if (box.exact) return box;
    const RepeatedRegion access{region, loops, conditions};
    if (const auto by_digits = over_digits(access, facts)) {
      const Touched other = box_by_digits(*by_digits, all_run, facts);
      if (!Question::is_exhausted()) return other;
    }
    return smaller_box(box, access, all_run, under_conditions);
  });
}

Touched unite(const Touched& a, const Touched& b, const Analyzer& facts) {
  Touched box{{a.region.buffer, {}}, false};
  std::size_t different = 0;
  bool touching = true;
  for (std::size_t d = 0; d < a.region.region.size(); ++d) {
    const Range &ra = a.region.region[d], &rb = b.region.region[d];
    const ElementInterval ia = interval_of(ra, facts), ib = interval_of(rb, facts);
    const bool same = facts.proves(equals(ia.low, ib.low)) && facts.proves(equals(ia.high, ib.high));
    if (same) {
      box.region.region.push_back(ra);
      continue;
    }
    ++different;
    touching = touching && facts.proves(ia.low <= ib.high + 1) && facts.proves(ib.low <= ia.high + 1);
    const Expr low = smaller(ia.low, ib.low, facts), high = larger(ia.high, ib.high, facts);
    box.region.region.push_back({low, facts.simplify(high - low + 1)});
  }
  box.exact = (different == 0 && (a.exact || b.exact)) ||
              (different == 1 && touching && a.exact && b.exact) ||
              (a.exact && contains(a.region, b.region, facts) == Proof::proved) ||
              (b.exact && contains(b.region, a.region, facts) == Proof::proved);
  return box;
}

namespace {

bool certainly_not_empty(const BufferRegion& region, const Analyzer& facts) {
  return std::all_of(region.region.begin(), region.region.end(),
                     [&](const Range& range) { return facts.proves(as_index(range.extent) >= make_int(1)); });
}

}  // namespace

Proof contains(const BufferRegion& outer, const BufferRegion& inner, const Analyzer& facts) {
  bool all = true, refuted = false;
  for (std::size_t d = 0; d < inner.region.size(); ++d) {
    const ElementInterval out = interval_of(outer.region[d], facts), in = interval_of(inner.region[d], facts);
    for (const Expr& bound : {out.low <= in.low, in.high <= out.high}) {
      const Proof proof = facts.prove(bound);
      all = all && proof == Proof::proved;
      refuted = refuted || proof == Proof::refuted;
    }
  }
  if (all) return Proof::proved;
  return refuted && certainly_not_empty(inner, facts) ? Proof::refuted : Proof::unknown;
}

Proof disjoint(const BufferRegion& a, const BufferRegion& b, const Analyzer& facts) {
  bool meet = certainly_not_empty(a, facts) && certainly_not_empty(b, facts);
  for (std::size_t d = 0; d < a.region.size(); ++d) {
    const ElementInterval ia = interval_of(a.region[d], facts), ib = interval_of(b.region[d], facts);
    if (facts.proves(ia.high < ib.low) || facts.proves(ib.high < ia.low)) return Proof::proved;
    meet = meet && facts.proves(ia.low <= ib.high) && facts.proves(ib.low <= ia.high);
  }
  return meet ? Proof::refuted : Proof::unknown;
}

}  // namespace ardea::arith
