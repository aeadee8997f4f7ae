#include "ardea/arith/iter_map.h"

#include <algorithm>
#include <deque>

#include "ardea/arith/regions_linear.h"
#include "ardea/arith/scopes.h"
#include "ardea/ir/intrinsics.h"

namespace ardea::arith {

namespace {

/// A digit in polynomials, which compare and multiply.
struct DigitPlace {
  AtomId source;
  Polynomial divisor, extent, weight;
};

/// What digits are cut from: a loop, or a fused sum. It counts from its start, and its counts lie in
/// [0, extent).
struct Source {
  AtomId atom;
  Polynomial extent = {};
  std::vector<DigitPlace> places = {};  ///< of a fused sum: what it is made of
  Polynomial value = {};                ///< the sum itself, to recognise it again
  Polynomial base = {};                 ///< of a fused sum: what it adds to its places
  bool known = true;                    ///< extent and start are: else a use of it is not understood
  bool fills = true;                    ///< every count in [0, extent) comes, whatever the other loops do
};

/// The rule for ranges that depend on other loops: all starts and extents here are free of the loops. A loop
/// j in [s(x), s(x) + e(x)) counts from a lower bound S of all s(x), and its counts lie in [0, E) where S + E
/// bounds all s(x) + e(x) from above. So weight · j = weight · S + weight · count with the same S for any two
/// iterations, and what tells the counts of the whole box apart tells those in it apart that really come:
/// `injective` and `determined` are proved for the box and hold for its part. What says that values come
/// (`fills`, `surjective`) does not follow for a part, and is not said then. (With s(x) itself for S,
/// 4 · i + j with j from 3 - i would be a base of 3 - i that two iterations do not share.)
class Reader {
 public:
  Reader(const std::vector<std::pair<Var, Range>>& loops, const Expr& predicate, Analyzer facts) {
    for (const auto& [var, range] : loops) facts.bind(var, range);
    if (predicate.defined()) facts.assume(predicate);
    reasoner_.emplace(fresh_reasoner_for(facts.facts()));
    Reasoner::AtomSet ranging;
    for (const auto& [var, range] : loops) ranging.insert(reasoner_->variable_atom(var));
    reasoner_->range_over(std::move(ranging));
    is_cut_ = !is_true(predicate);
    for (const auto& [var, range] : loops)
      // By its text: where the loop runs, its range may well simplify to one that is free of the others.
      add_loop(reasoner_->variable_atom(var), range,
               uses_any(range.min, loops) || uses_any(range.extent, loops));
    // One range that depends on another loop may be empty for some of its values: these do not come, either.
    const bool all_fill =
        std::all_of(sources_.begin(), sources_.end(), [](const Source& s) { return s.fills; });
    for (Source& source : sources_) source.fills = all_fill;
  }

  /// The places of e, or nothing; `base` gets what is free of loops.
  std::optional<std::vector<DigitPlace>> read(const Expr& e, Polynomial& base) {
    const auto value = ideal(e);
    return value ? read(*value, base) : std::nullopt;
  }

  /// Sorts by falling weight; whether the weights leave neither gap nor overlap.
  bool sort_regular(std::vector<DigitPlace>& places) {
    std::vector<DigitPlace> sorted;
    Polynomial next = constant_polynomial(1);
    std::vector<DigitPlace> left = places;
    while (!left.empty()) {
      const auto it =
          std::find_if(left.begin(), left.end(), [&](const DigitPlace& p) { return same(p.weight, next); });
      if (it == left.end()) break;
      next = multiply(next, it->extent);
      sorted.push_back(*it);
      left.erase(it);
    }
    if (left.empty()) {
      std::reverse(sorted.begin(), sorted.end());
      places = std::move(sorted);
      return true;
    }
    std::stable_sort(places.begin(), places.end(), [](const DigitPlace& a, const DigitPlace& b) {
      return a.weight.is_constant() && b.weight.is_constant()
                 ? a.weight.constant > b.weight.constant
                 : !a.weight.is_constant() && b.weight.is_constant();
    });
    return false;
  }

  /// Whether the value tells its digits: each weight is at least the span of those below it. Expects sorted
  /// places.
  bool decodable(const std::vector<DigitPlace>& places) {
    for (std::size_t i = 0; i + 1 < places.size(); ++i)
      if (!reasoner_->at_most(multiply(places[i + 1].weight, places[i + 1].extent), places[i].weight))
        return false;
    return true;
  }

  /// Known digits of a source, lowest first, as long as each begins where the last ended; whether they reach
  /// its end.
  bool complete(const Source& source, const std::vector<DigitPlace>& known,
                std::vector<DigitPlace>* chain = nullptr) {
    if (!source.known) return false;
    Polynomial covered = constant_polynomial(1);
    for (std::size_t steps = 0; steps <= known.size(); ++steps) {
      if (reasoner_->at_most(source.extent, covered)) return true;
      const auto it = std::find_if(known.begin(), known.end(), [&](const DigitPlace& p) {
        return p.source == source.atom && same(p.divisor, covered);
      });
      if (it == known.end()) return false;
      covered = multiply(covered, it->extent);
      if (chain) chain->push_back(*it);
    }
    return false;
  }

  /// Whether the digits together take every combination of their values.
  bool take_all_values(const std::vector<DigitPlace>& used) {
    int sums = 0;
    for (const Source& source : sources_) {
      if (!independent(source, used)) return false;
      if (source.places.empty() || !is_used(source, used)) continue;
      ++sums;
      // Digits of a loop and of a sum that contains it are not independent.
      for (const DigitPlace& p : source.places)
        if (std::any_of(used.begin(), used.end(), [&](const DigitPlace& q) { return q.source == p.source; }))
          return false;
    }
    return sums <= 1;
  }

  /// Whether the digits taken from a source are independent of each other and each takes all its values.
  bool independent(const Source& source, const std::vector<DigitPlace>& used) {
    std::vector<DigitPlace> mine;
    std::copy_if(used.begin(), used.end(), std::back_inserter(mine),
                 [&](const DigitPlace& p) { return p.source == source.atom; });
    if (mine.empty()) return true;
    if (!source.known || !source.fills) return false;
    // The greatest value m - 1 of (x // d) % m alone comes at x = d · (m - 1), the others before it.
    if (mine.size() == 1) {
      const Polynomial last = add(mine[0].extent, constant_polynomial(-1));
      return reasoner_->positive(subtract(source.extent, multiply(mine[0].divisor, last)));
    }
    Polynomial reached = constant_polynomial(1);
    while (!mine.empty()) {
      // The next digit starts at a multiple of where the last one ended.
      const auto it = std::find_if(mine.begin(), mine.end(), [&](const DigitPlace& p) {
        const auto rest = reasoner_->remainder(p.divisor, reached, int64);
        const bool lowest = std::all_of(mine.begin(), mine.end(), [&](const DigitPlace& q) {
          return reasoner_->at_most(p.divisor, q.divisor);
        });
        return lowest && rest && rest->is_zero();
      });
      if (it == mine.end()) return false;
      reached = multiply(it->divisor, it->extent);
      mine.erase(it);
    }
    return reasoner_->at_most(reached, source.extent);
  }

  Polynomial span(const std::vector<DigitPlace>& places) {
    Polynomial product = constant_polynomial(1);
    for (const DigitPlace& p : places) product = multiply(product, p.extent);
    return product;
  }

  Expr expr(const Polynomial& p) { return reasoner_->rebuild(p, int64); }
  Digit digit(const DigitPlace& p) {
    return {Var(reasoner_->atom(p.source).expr), expr(p.divisor), expr(p.extent), expr(p.weight)};
  }
  std::vector<Fused> fused() {
    std::vector<Fused> result;
    for (const Source& source : sources_) {
      if (source.places.empty()) continue;
      Fused f{Var(reasoner_->atom(source.atom).expr), {}, expr(source.base), expr(source.extent)};
      for (const DigitPlace& p : source.places) f.digits.push_back(digit(p));
      result.push_back(std::move(f));
    }
    return result;
  }
  const std::deque<Source>& sources() const { return sources_; }

 private:
  void add_loop(AtomId id, const Range& range, bool depends) {
    auto low = ideal(range.min), extent = ideal(range.extent);
    if (depends && low && extent) {
      const auto high = upper_bound(add(*low, *extent));
      low = reasoner_->extreme(*low, false);
      extent = low && high ? std::optional(subtract(*high, *low)) : std::nullopt;
    }
    const bool known = low && extent && !reasoner_->depends(*low) && !reasoner_->depends(*extent);
    sources_.push_back({.atom = id, .known = known, .fills = known && !depends});
    if (!known) return;
    sources_.back().extent = *extent;
    starts_.emplace_back(id, *low);
  }

  /// Of a + min(b, c) that of a + b or a + c: together, the a often goes.
  std::optional<Polynomial> upper_bound(const Polynomial& p) {
    std::optional<Polynomial> best = reasoner_->extreme(p, true);
    for (const AtomId id : atoms_in(p)) {
      const Atom& atom = reasoner_->atom(id);
      if (atom.kind != AtomKind::minimum || degree(p, id) != 1) continue;
      if (!is_positive(split_linear(p, id).coefficient)) continue;
      for (const Polynomial& operand : atom.operands) {
        const auto bound = reasoner_->extreme(substitute(p, id, operand), true);
        if (bound && (!best || reasoner_->at_most(*bound, *best))) best = bound;
      }
    }
    return best;
  }

  static bool is_used(const Source& source, const std::vector<DigitPlace>& used) {
    return std::any_of(used.begin(), used.end(),
                       [&](const DigitPlace& p) { return p.source == source.atom; });
  }

  std::optional<Polynomial> ideal(const Expr& e) {
    if (has_effect(e)) return std::nullopt;
    return reasoner_->ideal(reasoner_->normalise(e), e.type());
  }

  bool is_positive(const Polynomial& p) { return reasoner_->positive(p); }

  std::optional<std::vector<DigitPlace>> read(const Polynomial& value, Polynomial& base) {
    std::vector<DigitPlace> places;
    base = constant_polynomial(value.constant);
    for (const Term& term : value.terms) {
      Term weight{term.coefficient, {}};
      std::optional<AtomId> moving;
      for (const AtomId id : term.factors) {
        if (!reasoner_->depends(id))
          weight.factors.push_back(id);
        else if (moving)
          return std::nullopt;
        else
          moving = id;
      }
      if (!moving) {
        base = add(base, from_term(term));
        continue;
      }
      auto place = read_atom(*moving);
      if (!place || !is_positive(from_term(weight))) return std::nullopt;
      place->weight = from_term(weight);
      for (const auto& [loop, start] : starts_)
        if (loop == *moving) base = add(base, multiply(place->weight, start));
      places.push_back(std::move(*place));
    }
    return places;
  }

  std::optional<DigitPlace> read_atom(AtomId id) {
    if (const Source* loop = loop_of(id)) return DigitPlace{id, constant_polynomial(1), loop->extent, {}};
    const Atom& a = reasoner_->atom(id);
    if (a.kind != AtomKind::quotient && a.kind != AtomKind::remainder) return std::nullopt;
    if (reasoner_->depends(a.operands[1])) return std::nullopt;
    Polynomial dividend = a.operands[0], divisor = constant_polynomial(1);
    const Atom* inner = a.kind == AtomKind::remainder ? lone(dividend) : nullptr;
    if (inner && inner->kind == AtomKind::quotient) {  // (x // d) % m
      divisor = inner->operands[1];
      dividend = inner->operands[0];
    }
    if (a.kind == AtomKind::quotient) divisor = a.operands[1];
    const Source* source = source_of(dividend);
    if (!source) return std::nullopt;
    if (a.kind == AtomKind::remainder) return DigitPlace{source->atom, divisor, a.operands[1], {}};
    const Polynomial rounded = add(add(source->extent, divisor), constant_polynomial(-1));
    const auto extent = reasoner_->quotient(rounded, divisor, int64);
    return extent ? std::optional(DigitPlace{source->atom, divisor, *extent, {}}) : std::nullopt;
  }

  const Atom* lone(const Polynomial& p) const {
    const bool alone = p.terms.size() == 1 && p.constant == 0 && p.terms[0].coefficient == 1 &&
                       p.terms[0].factors.size() == 1;
    return alone ? &reasoner_->atom(p.terms[0].factors[0]) : nullptr;
  }

  const Source* loop_of(AtomId id) const {
    const auto it =
        std::find_if(sources_.begin(), sources_.end(), [&](const Source& s) { return s.atom == id; });
    return it == sources_.end() || !it->places.empty() || !it->known ? nullptr : &*it;
  }

  // The source whose value the polynomial is: a loop that starts at 0, or a regular sum, which becomes a
  // source now. The rule for a sum p = base + s with s in [0, E) and a base >= 0 that is free of the loops,
  // such as (i + 3) // 4 and (i + 3) % 4: p lies in [0, base + E), so that its digits up to that bound tell p
  // as they tell a loop's count, and p tells s = p - base, which tells its own digits. What is below the base
  // does not come: such a sum never fills.
  const Source* source_of(const Polynomial& p) {
    if (lone(p)) {
      const AtomId id = p.terms[0].factors[0];
      if (const Source* loop = loop_of(id)) {
        const auto start =
            std::find_if(starts_.begin(), starts_.end(), [&](const auto& s) { return s.first == id; });
        return start->second.is_zero() ? loop : nullptr;
      }
    }
    for (const Source& source : sources_)
      if (!source.places.empty() && same(source.value, p)) return &source;
    Polynomial base;
    auto places = read(p, base);
    if (!places || !reasoner_->nonnegative(base) || places->empty() || !sort_regular(*places)) return nullptr;
    // The predicate may end the sum before its digits do.
    const auto last = reasoner_->extreme(p, true);
    if (!last) return nullptr;
    // A bound is no value: where it is not what the digits reach, not every value below it comes.
    const Polynomial extent = add(*last, constant_polynomial(1));
    const bool fills = base.is_zero() && take_all_values(*places) && (is_cut_ || same(extent, span(*places)));
    const AtomId id = reasoner_->variable_atom(Var("fused"));
    sources_.push_back({id, extent, std::move(*places), p, base, true, fills});
    return &sources_.back();
  }

  std::optional<Reasoner> reasoner_;
  std::deque<Source>
      sources_;  ///< loops first, then sums in the order in which they were met; pointers stay valid
  std::vector<std::pair<AtomId, Polynomial>> starts_;
  bool is_cut_ = false;  ///< by a predicate
};

MixedRadix to_mixed_radix(Reader& reader, std::vector<DigitPlace>& places, const Polynomial& base) {
  MixedRadix result;
  result.regular = reader.sort_regular(places);
  result.fills = result.regular && reader.take_all_values(places);
  for (const DigitPlace& p : places) result.digits.push_back(reader.digit(p));
  result.base = reader.expr(base);
  if (result.regular) result.extent = reader.expr(reader.span(places));
  return result;
}

}  // namespace

std::optional<MixedRadix> mixed_radix(const Expr& e, const std::vector<std::pair<Var, Range>>& loops,
                                      const Analyzer& facts) try {
  const Question question(steps_of_a_region);
  Reader reader(loops, {}, facts);
  Polynomial base;
  auto places = reader.read(e, base);
  if (!places) return std::nullopt;
  MixedRadix result = to_mixed_radix(reader, *places, base);
  result.fused = reader.fused();
  return result;
} catch (const OutOfWork&) {
  return std::nullopt;
}

std::optional<IterMap> iter_map(const std::vector<Expr>& bindings,
                                const std::vector<std::pair<Var, Range>>& loops, const Expr& predicate,
                                const Analyzer& facts) try {
  const Question question(steps_of_a_region);
  Reader reader(loops, predicate, facts);
  IterMap map;
  std::vector<DigitPlace> known, used;
  bool all_fill = true;
  for (const Expr& binding : bindings) {
    Polynomial base;
    auto places = reader.read(binding, base);
    if (!places) return std::nullopt;
    map.bindings.push_back(to_mixed_radix(reader, *places, base));
    all_fill = all_fill && map.bindings.back().fills;
    if (reader.decodable(*places)) known.insert(known.end(), places->begin(), places->end());
    used.insert(used.end(), places->begin(), places->end());
  }
  map.fused = reader.fused();
  map.surjective = all_fill && is_true(predicate) && reader.take_all_values(used);
  // A fused sum whose digits are all known is known, and with it the digits that it is made of.
  for (const Source& source : reader.sources())
    if (!source.places.empty() && reader.complete(source, known))
      known.insert(known.end(), source.places.begin(), source.places.end());
  for (std::size_t k = 0; k < loops.size(); ++k)
    map.determined.push_back(reader.complete(reader.sources()[k], known));
  map.injective =
      std::all_of(map.determined.begin(), map.determined.end(), [](bool determined) { return determined; });
  return map;
} catch (const OutOfWork&) {
  return std::nullopt;
}

namespace {

/// A digit whose value an expression gives.
struct Solved {
  Digit digit;
  Expr value;
};

// The digits of one number, from its value.
void solve(const std::vector<Digit>& digits, const Expr& value, const Analyzer& facts,
           std::vector<Solved>& known) {
  for (std::size_t i = 0; i < digits.size(); ++i) {
    Expr v = floor_div(value, digits[i].weight);
    if (i > 0) v = floor_mod(v, digits[i].extent);  // nothing is above the first
    known.push_back({digits[i], facts.simplify(v)});
  }
}

// The source from its digits, lowest first; nothing where one is missing.
std::optional<Expr> assemble(const Var& source, const Expr& extent, const std::vector<Solved>& known,
                             const Analyzer& facts) {
  Expr covered = make_int(1), value = make_int(0);
  for (std::size_t steps = 0; steps <= known.size(); ++steps) {
    if (facts.proves(covered >= extent)) return facts.simplify(value);
    const auto it = std::find_if(known.begin(), known.end(), [&](const Solved& s) {
      return s.digit.source == source && facts.proves(equals(s.digit.divisor, covered));
    });
    if (it == known.end()) return std::nullopt;
    value = it->value * it->digit.divisor + value;
    covered = facts.simplify(covered * it->digit.extent);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::pair<Var, Expr>>> inverse(const IterMap& map, const std::vector<Expr>& values,
                                                         const std::vector<std::pair<Var, Range>>& loops,
                                                         const Analyzer& facts) {
  if (!map.injective || values.size() != map.bindings.size()) return std::nullopt;
  for (const auto& [var, range] : loops)  // counted from a bound that is not in the map
    if (uses_any(range.min, loops) || uses_any(range.extent, loops)) return std::nullopt;
  std::vector<Solved> known;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!map.bindings[i].regular) continue;
    solve(map.bindings[i].digits, make_cast(int64, values[i]) - map.bindings[i].base, facts, known);
  }
  for (const Fused& sum : map.fused)
    if (const auto value = assemble(sum.var, sum.extent, known, facts))
      solve(sum.digits, *value - sum.base, facts, known);
  std::vector<std::pair<Var, Expr>> result;
  for (const auto& [var, range] : loops) {
    const auto value = assemble(var, make_cast(int64, range.extent), known, facts);
    if (!value) return std::nullopt;
    result.emplace_back(var, facts.simplify(make_cast(var.type(), *value + make_cast(int64, range.min))));
  }
  return result;
}

}  // namespace ardea::arith
