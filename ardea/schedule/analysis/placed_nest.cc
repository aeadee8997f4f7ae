#include "ardea/schedule/analysis/placed_nest.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/regions_linear.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;
using arith::as_index;

/// Whether e divides by what is not proved to differ from 0.
bool may_divide_by_zero(const Expr& e, const Analyzer& facts) {
  if (is_integer_division(e)) {
    const Expr& divisor = e.as<Binary>()->right;
    if (!facts.proves(not_equals(divisor, make_int(0, divisor.type())))) return true;
  }
  bool may = false;
  for_each_child(e, [&](const Expr& part) { may = may || may_divide_by_zero(part, facts); });
  return may;
}

class PlacedNest {
 public:
  PlacedNest(const Block& block, const NestRequest& request, const std::vector<Var>& around,
             const Analyzer& facts)
      : block_(block), request_(request), around_(around), facts_(facts), writing_(facts) {}

  Stmt run() {
    Block out = block_;
    std::vector<std::pair<Var, Expr>> loops;
    for (std::size_t i = 0; i < out.iterators.size(); ++i) {
      BlockIterator& iterator = out.iterators[i];
      const Range range = range_of(i);
      Expr value = range.min;
      const bool runs_once = facts_.proves(range.extent <= make_int(1));
      if (request_.keep_unit_loops || !runs_once) {
        const Var loop(fmt::format("ax{}", loops.size()), iterator.var.type());
        const Expr extent =
            runs_once ? make_int(1, loop.type()) : facts_.simplify(make_cast(loop.type(), range.extent));
        loops.emplace_back(loop, extent);
        facts_.bind(loop, {make_int(0, loop.type()), extent});
        // A loop of one iteration that was asked for also stays in the binding.
        if (!is_one(extent)) writing_.bind(loop, {make_int(0, loop.type()), extent});
        value = value + as_index(loop);
      }
      iterator.binding = writing_.simplify(make_cast(iterator.var.type(), value));
    }
    out.predicate = predicate(out);
    Stmt nest = out;
    for (std::size_t i = loops.size(); i-- > 0;)
      nest = make_for(loops[i].first, make_int(0, loops[i].first.type()), loops[i].second, nest);
    return nest;
  }

 private:
  bool varies(const Expr& e) const {
    return std::any_of(around_.begin(), around_.end(), [&](const Var& loop) { return uses(e, loop); });
  }

  /// Where the loop of iterator i starts, and how often it runs.
  Range range_of(std::size_t i) const {
    const Bounds domain = domain_of(block_.iterators[i], facts_);
    Bounds wanted = request_.wanted[i];
    // What holds inside a loop that runs need not hold outside of it, where these bounds stand: the length of
    // a loop that divides may be 0.
    for (std::vector<Expr>* bounds : {&wanted.lows, &wanted.highs})
      std::erase_if(*bounds, [&](const Expr& bound) { return may_divide_by_zero(bound, facts_); });
    if (wanted.lows.empty()) wanted.lows = domain.lows;
    if (wanted.highs.empty()) wanted.highs = domain.highs;
    std::optional<Range> best;
    for (const Expr& low : wanted.lows)
      for (const Expr& high : wanted.highs) {
        const Expr extent = facts_.simplify(high - low + 1);
        if (varies(extent)) continue;
        // In a template the ends of the domain count last, and of the others the first: which one is less
        // depends on the numbers, and the predicate cuts what is too much.
        const bool is_better =
            !best || (request_.of_template ? ends_with(*best, domain) : facts_.proves(extent < best->extent));
        if (is_better) best = Range{low, extent};
      }
    if (!best) return tightest(wanted);
    const Range whole = whole_of(i);
    // Whether a loop is cut to all values must not depend on numbers: in a template the predicate does it.
    if (request_.of_template) return facts_.proves(equals(best->extent, whole.extent)) ? whole : *best;
    return facts_.proves(best->extent >= whole.extent) ? whole : *best;
  }

  /// Whether an end of the range is one of the domain.
  bool ends_with(const Range& range, const Bounds& domain) const {
    const Expr high = facts_.simplify(range.min + range.extent - 1);
    return facts_.proves(equals(high, domain.highs[0]));
  }

  Range whole_of(std::size_t i) const {
    const Bounds domain = domain_of(block_.iterators[i], facts_);
    return {domain.lows[0], facts_.simplify(domain.highs[0] - domain.lows[0] + 1)};
  }

  /// The values themselves, a different number in each iteration around.
  Range tightest(const Bounds& wanted) const {
    Expr low = wanted.lows[0], high = wanted.highs[0];
    for (const Expr& other : wanted.lows) low = low == other ? low : max(low, other);
    for (const Expr& other : wanted.highs) high = high == other ? high : min(high, other);
    low = facts_.simplify(low);
    return {low, facts_.simplify(facts_.simplify(high) - low + 1)};
  }

  Expr predicate(const Block& out) const {
    Expr all;
    Analyzer known = facts_;
    const auto hold = [&](const Expr& condition) {
      if (known.proves(condition)) return;
      const Expr simple = writing_.simplify(condition);
      known.assume(simple);
      all = all.defined() ? logical_and(all, simple) : simple;
    };
    for (std::size_t i = 0; i < out.iterators.size(); ++i) {
      const Expr value = as_index(out.iterators[i].binding);
      const Bounds domain = domain_of(out.iterators[i], facts_);
      for (const auto* bounds : {&request_.allowed[i], &domain}) {
        for (const Expr& low : bounds->lows) hold(value >= low);
        for (const Expr& high : bounds->highs) hold(value < facts_.simplify(high + 1));
      }
    }
    Substitution bindings;
    for (const BlockIterator& iterator : out.iterators) bindings[iterator.var] = iterator.binding;
    for (const Expr& condition : request_.conditions) hold(substitute(condition, bindings));
    for (const Expr& guard : request_.guards) hold(guard);
    return all;
  }

  const Block& block_;
  const NestRequest& request_;
  const std::vector<Var>& around_;
  Analyzer facts_;
  Analyzer writing_;  ///< the same without loops of one iteration: how bindings are written
};

}  // namespace

Stmt placed_nest(const Block& block, const NestRequest& request, const std::vector<Var>& around,
                 const Analyzer& facts) {
  return PlacedNest(block, request, around, facts).run();
}

}  // namespace ardea::schedule
