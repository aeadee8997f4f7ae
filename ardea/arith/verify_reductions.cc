#include <algorithm>
#include <map>
#include <set>

#include "ardea/arith/distances.h"
#include "ardea/arith/iter_map.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/arith/verify_laws.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/text.h"

namespace ardea::arith {

namespace {

using Point = std::vector<std::int64_t>;

/// Whether the loops around a block run each value of its reduce iterators once for every element.
///
/// Let the loops outside be those before the first one that feeds a reduce iterator, and the loops inside the
/// others. The law holds where
/// - different iterations of all loops run different instances of the block, or
/// - for given loops outside, different iterations of the loops inside do, and every iteration of the loops
///   outside that comes to an element runs the whole reduction of it, from its init on: a loop around a
///   reduction may compute it again. That is so where the loops that feed reduce iterators feed no others,
///   their ranges and the conditions on them depend on one another alone, and all reduce iterators are at the
///   start of their domains where these loops are. Proof: the values of the reduce iterators are then the
///   same list for every iteration of the other loops, and its first one runs the init. Of a block that never
///   runs an init, a part of a reduction whose first part stands elsewhere, only the former is asked.
class ReductionCount {
 public:
  ReductionCount(const Block& block, const Surroundings& around)
      : block_(block), around_(around), iterators_(block.iterators), conditions_(around.conditions) {
    Substitution lets;
    for (const auto& [var, value] : around.lets)
      if (value.type().is_scalar() && (value.type().is_integer() || value.type() == boolean))
        lets[var] = substitute(value, lets);
    for (BlockIterator& iterator : iterators_) iterator.binding = substitute(iterator.binding, lets);
    for (Expr& condition : conditions_) condition = substitute(condition, lets);
    for (const auto& [var, range] : around.loops)
      loops_.emplace_back(var, Range{substitute(range.min, lets), substitute(range.extent, lets)});
    while (outside_ < loops_.size() && !feeds(loops_[outside_].first, true)) ++outside_;
  }

  /// What is quickly answered is asked first: tiles that overlap, as those of a stencil do, are never told
  /// apart by their distances, and finding that out takes longer than everything else here.
  bool is_proved() const {
    if (is_injective(0)) return true;
    if (repeats_whole_reductions() && (is_injective(outside_) || has_distances(outside_))) return true;
    return has_distances(0);
  }

  /// Counts it out, where there are few iterations and all is a matter of numbers.
  Proof counted() const {
    constexpr std::size_t most = 512;
    std::vector<Substitution> iterations = {{}};
    for (const auto& [var, range] : loops_) {
      std::vector<Substitution> longer;
      for (const Substitution& at : iterations) {
        const auto first = value(range.min, at), count = value(range.extent, at);
        if (!first || !count || *count > static_cast<std::int64_t>(most - longer.size()))
          return Proof::unknown;
        for (std::int64_t i = 0; i < *count; ++i) {
          longer.push_back(at);
          longer.back()[var] = make_int(*first + i, var.type());
        }
      }
      iterations = std::move(longer);
    }
    // For each element and iteration of the loops outside: the values of the reduce iterators, in order.
    std::map<Point, std::map<Point, std::vector<Point>>> runs;
    for (const Substitution& at : iterations) {
      bool happens = true;
      for (const Expr& condition : conditions_) {
        const auto holds = value(make_cast(int64, condition), at);
        if (!holds) return Proof::unknown;
        happens = happens && *holds != 0;
      }
      if (!happens) continue;
      Point element, place, outside;
      for (const BlockIterator& iterator : iterators_) {
        const auto bound = value(iterator.binding, at);
        if (!bound) return Proof::unknown;
        (iterator.kind == IteratorKind::reduce ? place : element).push_back(*bound);
      }
      for (std::size_t k = 0; k < outside_; ++k) outside.push_back(*value(loops_[k].first, at));
      runs[element][outside].push_back(place);
    }
    return std::all_of(runs.begin(), runs.end(),
                       [&](const auto& of_element) { return once(of_element.second); })
               ? Proof::proved
               : Proof::refuted;
  }

  /// A loop inside the reduction that no iterator is bound to, and that runs several times.
  const LoopRange* idle_loop() const {
    for (std::size_t k = outside_; k < loops_.size(); ++k)
      if (!feeds(loops_[k].first, true) && !feeds(loops_[k].first, false) &&
          constant_int(loops_[k].second.extent).value_or(1) >= 2)
        return &loops_[k];
    return nullptr;
  }

 private:
  bool feeds(const Var& loop, bool reduce) const {
    return std::any_of(iterators_.begin(), iterators_.end(), [&](const BlockIterator& iterator) {
      return (iterator.kind == IteratorKind::reduce) == reduce && uses(iterator.binding, loop);
    });
  }

  // Whether different iterations of the loops from the `first` on run different instances: by their iterator
  // map, or by the distances between two that run the same one.

  bool is_injective(std::size_t first) const {
    Expr predicate = make_bool(true);
    for (const Expr& condition : conditions_) predicate = logical_and(predicate, condition);
    const auto map = iter_map(bindings(), moving_from(first), predicate, facts_before(first));
    return map && map->injective;
  }
  bool has_distances(std::size_t first) const {
    return arith::tell_apart(bindings(), moving_from(first), conditions_, facts_before(first));
  }

  Analyzer facts_before(std::size_t first) const {
    Analyzer facts = around_.shared;
    for (std::size_t k = 0; k < first; ++k) facts.bind(loops_[k].first, loops_[k].second);
    return facts;
  }
  std::vector<LoopRange> moving_from(std::size_t first) const {
    return {loops_.begin() + static_cast<std::ptrdiff_t>(first), loops_.end()};
  }
  std::vector<Expr> bindings() const {
    std::vector<Expr> all;
    for (const BlockIterator& iterator : iterators_) all.push_back(iterator.binding);
    return all;
  }

  bool repeats_whole_reductions() const {
    std::vector<LoopRange> reducing, others;
    for (const LoopRange& loop : loops_) (feeds(loop.first, true) ? reducing : others).push_back(loop);
    const auto mixes = [&](const Expr& e) { return uses_any(e, reducing) && uses_any(e, others); };
    Analyzer facts = around_.shared;
    Substitution starts;
    for (const auto& [var, range] : reducing) {
      if (feeds(var, false) || uses_any(range.min, others) || uses_any(range.extent, others)) return false;
      facts.bind(var, range);
      starts[var] = make_cast(var.type(), substitute(range.min, starts));
    }
    if (std::any_of(conditions_.begin(), conditions_.end(), mixes)) return false;
    if (!block_.init.defined() || never_starts(facts)) return true;
    for (const Expr& condition : conditions_)
      if (uses_any(condition, reducing) && !facts.proves(substitute(condition, starts))) return false;
    return std::all_of(iterators_.begin(), iterators_.end(), [&](const BlockIterator& iterator) {
      return iterator.kind != IteratorKind::reduce ||
             facts.proves(
                 equals(as_index(substitute(iterator.binding, starts)), as_index(iterator.domain.min)));
    });
  }

  bool never_starts(Analyzer facts) const {
    for (const Expr& condition : conditions_) facts.assume(condition);
    return std::any_of(iterators_.begin(), iterators_.end(), [&](const BlockIterator& iterator) {
      return iterator.kind == IteratorKind::reduce &&
             facts.proves(as_index(iterator.binding) > as_index(iterator.domain.min));
    });
  }

  std::optional<std::int64_t> value(const Expr& e, const Substitution& at) const {
    return constant_int(plain_.simplify(substitute(e, at)));
  }

  /// Whether the runs of one element are one, or all the whole reduction; each without repeating a value.
  bool once(const std::map<Point, std::vector<Point>>& runs) const {
    std::set<Point> whole;
    for (const auto& [outside, places] : runs) {
      const std::set<Point> different(places.begin(), places.end());
      if (different.size() < places.size()) return false;
      if (runs.size() == 1) return true;
      if (!whole.empty() && different != whole) return false;
      whole = different;
      const bool starts =
          std::any_of(places.begin(), places.end(), [&](const Point& p) { return is_start(p); });
      if (block_.init.defined() && starts && !is_start(places.front())) return false;
    }
    return true;
  }

  bool is_start(const Point& place) const {
    std::size_t k = 0;
    return std::all_of(iterators_.begin(), iterators_.end(), [&](const BlockIterator& iterator) {
      return iterator.kind != IteratorKind::reduce || constant_int(iterator.domain.min) == place[k++];
    });
  }

  const Block& block_;
  const Surroundings& around_;
  std::vector<BlockIterator> iterators_;
  std::vector<Expr> conditions_;
  std::vector<LoopRange> loops_;
  std::size_t outside_ = 0;  ///< so many loops are around the whole reduction
  Analyzer plain_;
};

std::string names_of_reduce_iterators(const Block& block) {
  std::vector<std::string> list;
  for (const BlockIterator& iterator : block.iterators)
    if (iterator.kind == IteratorKind::reduce) list.push_back(iterator.var.name());
  return join(list, ", ");
}

}  // namespace

void check_counts_once(const Block& block, const Surroundings& around, Report& report) {
  const bool reduces =
      std::any_of(block.iterators.begin(), block.iterators.end(), [&](const BlockIterator& i) {
        return i.kind == IteratorKind::reduce &&
               !around.shared.proves(equals(as_index(i.domain.extent), make_int(1)));
      });
  if (!reduces) return;
  const ReductionCount count(block, around);
  if (const LoopRange* idle = count.idle_loop(); idle != nullptr && around.conditions.empty()) {
    report.add(
        "reduction_counts_twice",
        "block {}: loop {} repeats each value of the reduce iterators {} {} times; bind an iterator to "
        "it, or move it out of the reduction",
        block.name, idle->first.name(), names_of_reduce_iterators(block), *constant_int(idle->second.extent));
    return;
  }
  if (count.is_proved()) return;
  const Proof counted = count.counted();
  if (counted == Proof::proved) return;
  report.add_proof(
      counted == Proof::refuted, "reduction_counts_twice",
      "block {}: {} its loops run each value of the reduce iterators {} once for every element; "
      "split loops bind as outer * factor + inner, and a loop around a reduction repeats all of it, "
      "from its init on",
      block.name, counted == Proof::refuted ? "it is not true that" : "it is not proved that",
      names_of_reduce_iterators(block));
}

}  // namespace ardea::arith
