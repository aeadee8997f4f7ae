#include "ardea/arith/distances.h"

#include <algorithm>

#include "ardea/arith/inside.h"
#include "ardea/arith/iter_map.h"
#include "ardea/arith/regions_conditions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/substitute.h"

namespace ardea::arith {

namespace {

Range substituted(const Range& range, const Substitution& values) {
  return {substitute(range.min, values), substitute(range.extent, values)};
}

BufferRegion substituted(const BufferRegion& region, const Substitution& values) {
  BufferRegion out{region.buffer, {}};
  for (const Range& range : region.region) out.region.push_back(substituted(range, values));
  return out;
}

const Binary* division(const Expr& e, BinaryOp op) {
  const auto* binary = e.as<Binary>();
  return binary != nullptr && binary->op == op ? binary : nullptr;
}

/// e where e // c and e % c are known, e // b where e // (a * b) and e // b % a are, in whatever words:
/// (i * 32 + j) // 104 goes with (i * 4 + j // 8) % 13. Nothing for other pairs.
std::optional<Expr> joined(const Expr& high, const Expr& low, const Analyzer& facts) {
  const Binary* rest = division(low, BinaryOp::floor_mod);
  if (rest == nullptr) return std::nullopt;
  const Expr &number = rest->left, &radix = rest->right;
  const auto is_positive = [&](const Expr& e) { return facts.proves(e >= make_int(1, e.type())); };
  if (!is_positive(radix)) return std::nullopt;
  const Binary* quotient = division(high, BinaryOp::floor_div);
  if (quotient != nullptr && is_positive(quotient->right)) {
    const Expr& whole = quotient->right;
    if (structurally_equal(quotient->left, number) && facts.proves(equals(whole, radix))) return number;
    const Binary* part = division(number, BinaryOp::floor_div);
    if (part != nullptr && structurally_equal(quotient->left, part->left) && is_positive(part->right) &&
        facts.proves(equals(whole, part->right * radix)))
      return number;
  }
  // The rule: where high = number // radix, high and low = number % radix are number, and the other way
  // round.
  const bool is_one_type = high.type() == number.type() && radix.type() == number.type();
  return is_one_type && facts.proves(equals(high, floor_div(number, radix))) ? std::optional(number)
                                                                             : std::nullopt;
}

/// Digits of one number, which fused loops leave, as that number.
std::vector<Expr> with_joined_digits(std::vector<Expr> indices, const Analyzer& facts) {
  for (std::size_t i = 0; i < indices.size(); ++i)
    for (std::size_t j = 0; j < indices.size(); ++j) {
      const auto number = i == j ? std::nullopt : joined(indices[i], indices[j], facts);
      if (!number) continue;
      indices[i] = *number;
      indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(j));
      return with_joined_digits(std::move(indices), facts);
    }
  return indices;
}

/// Two values of an index in different iterations of `moving` are equal exactly where those of this part are:
/// what is left without addends and positive factors that the iterations share.
Expr deciding_part(const Expr& index, const std::vector<LoopRange>& moving, const Analyzer& facts) {
  const auto* binary = index.as<Binary>();
  if (binary == nullptr) return index;
  const Expr &left = binary->left, &right = binary->right;
  const bool shares_left = !uses_any(left, moving), shares_right = !uses_any(right, moving);
  if (shares_left == shares_right) return index;
  if (binary->op == BinaryOp::add) return deciding_part(shares_left ? right : left, moving, facts);
  if (binary->op == BinaryOp::sub && shares_right) return deciding_part(left, moving, facts);
  // A product of a narrower type may wrap, and two different ones be equal.
  if (binary->op == BinaryOp::mul && index.type() == int64 && shares_right &&
      facts.proves(right >= make_int(1, right.type())))
    return deciding_part(left, moving, facts);
  return index;
}

/// What one access does in each iteration of the loops listed and of loops inside them, where all conditions
/// hold.
struct Repeated {
  const BufferRegion& region;
  const std::vector<LoopRange>& inner;
  const std::vector<Expr>& conditions;

  bool has_unit_loop() const {
    return std::any_of(inner.begin(), inner.end(),
                       [](const LoopRange& loop) { return is_one(loop.second.extent); });
  }
};

/// The same without loops of one iteration, which are always where they start. `facts` need to know nothing
/// of the loops inside.
class WithoutUnitLoops {
 public:
  WithoutUnitLoops(const Repeated& access, const Analyzer& facts) : region_{access.region.buffer, {}} {
    Substitution starts;
    const auto there = [&](const Expr& e) { return facts.simplify(substitute(e, starts)); };
    for (const auto& [var, range] : access.inner) {
      if (is_one(range.extent))
        starts[var] = make_cast(var.type(), there(range.min));
      else
        inner_.emplace_back(var, Range{there(range.min), there(range.extent)});
    }
    for (const Range& range : access.region.region)
      region_.region.push_back({there(range.min), there(range.extent)});
    for (const Expr& condition : access.conditions) conditions_.push_back(there(condition));
  }
  Repeated access() const { return {region_, inner_, conditions_}; }

 private:
  BufferRegion region_;
  std::vector<LoopRange> inner_;
  std::vector<Expr> conditions_;
};

bool same_ranges(const std::vector<Range>& a, const std::vector<Range>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Range& x, const Range& y) {
    return structurally_equal(x.min, y.min) && structurally_equal(x.extent, y.extent);
  });
}

/// The loops among `loops` that the expressions name, in the order of their first mention.
std::vector<LoopRange> named_in(const std::vector<Range>& ranges, const std::vector<LoopRange>& loops) {
  std::vector<LoopRange> named;
  const auto look = [&](const Expr& e) {
    for (const Var& var : free_variables(e)) {
      const auto is_it = [&](const LoopRange& loop) { return loop.first == var; };
      const auto loop = std::find_if(loops.begin(), loops.end(), is_it);
      if (loop != loops.end() && std::none_of(named.begin(), named.end(), is_it)) named.push_back(*loop);
    }
  };
  for (const Range& range : ranges) {
    look(range.min);
    look(range.extent);
  }
  return named;
}

/// What two accesses by one function of the loops share.
struct SharedFunction {
  std::vector<LoopRange> inner;  ///< the loops inside that it names, and those that their ranges name
  std::vector<Expr> conditions;  ///< over these loops, under which both happen
};

/// Where both accesses are by one function of the listed loops and of those inside, up to the names of the
/// latter: what they share, in the names of the first. A loop that only one of them is in, or a condition of
/// only one, says nothing of the other: not even that a range is not empty.
std::optional<SharedFunction> shared_function(const Repeated& first, const Repeated& second) {
  const std::vector<LoopRange> mine = named_in(first.region.region, first.inner),
                               theirs = named_in(second.region.region, second.inner);
  if (mine.size() != theirs.size()) return std::nullopt;
  Substitution names;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (!(mine[i].first.type() == theirs[i].first.type())) return std::nullopt;
    names[theirs[i].first] = mine[i].first;
  }
  std::vector<Range> my_ranges, their_ranges;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    my_ranges.push_back(mine[i].second);
    their_ranges.push_back(substituted(theirs[i].second, names));
  }
  if (!same_ranges(my_ranges, their_ranges) ||
      !same_ranges(first.region.region, substituted(second.region, names).region))
    return std::nullopt;
  SharedFunction shared;
  std::vector<Range> seen = first.region.region;
  for (std::size_t k = first.inner.size(); k-- > 0;) {  // innermost first: a range names loops around
    if (named_in(seen, {first.inner[k]}).empty()) continue;
    shared.inner.insert(shared.inner.begin(), first.inner[k]);
    seen.push_back(first.inner[k].second);
  }
  std::vector<LoopRange> others = first.inner;
  std::erase_if(others, [&](const LoopRange& loop) { return !named_in(seen, {loop}).empty(); });
  for (const Expr& condition : first.conditions) {
    const auto is_it = [&](const Expr& other) {
      return structurally_equal(condition, substitute(other, names));
    };
    if (!uses_any(condition, others) &&
        std::any_of(second.conditions.begin(), second.conditions.end(), is_it))
      shared.conditions.push_back(condition);
  }
  return shared;
}

/// `disjoint` without the work of a refutation.
bool lie_apart(const BufferRegion& a, const BufferRegion& b, const Analyzer& facts) {
  for (std::size_t d = 0; d < a.region.size(); ++d) {
    const Range &ra = a.region[d], &rb = b.region[d];
    const Expr first = as_index(ra.min), second = as_index(rb.min);
    if (facts.proves(first + as_index(ra.extent) <= second) ||
        facts.proves(second + as_index(rb.extent) <= first))
      return true;
  }
  return false;
}

/// Finds the signs loop by loop. Each is tested with the other loops of the second access free, except those
/// already known to be equal: the digits of a split index follow one after another.
///
/// Everything that depends on an iteration (indices, lengths, conditions, the ranges of loops inside others)
/// has two values, one for each access. A proof either puts x' for x in all of the second's, or is about one
/// function of x that both accesses share and uses no equality f(x) = f(x') but where f is free of all loops
/// that may differ.
class DistanceSearch {
 public:
  /// The first access happens only where `first_conditions` hold, the second where `second_conditions` do.
  DistanceSearch(const std::vector<Expr>& first_conditions, const std::vector<Expr>& second_conditions,
                 const std::vector<LoopRange>& loops, const Analyzer& facts)
      : second_conditions_(second_conditions), loops_(loops), unconditional_(facts), signs_(loops.size()) {
    Substitution names;
    for (std::size_t k = 0; k < loops.size(); ++k) {
      const auto& [var, range] = loops[k];
      others_.emplace_back(var.name() + "'", var.type());
      unconditional_.bind(var, range);
      if (!uses_any(range.min, loops) && facts.proves(range.extent <= make_int(1, var.type())))
        signs_[k] = stands_still;
    }
    facts_ = unconditional_;
    for (std::size_t k = 0; k < loops.size(); ++k) {
      const Range& range = loops[k].second;
      facts_.bind(others_[k], {substitute(range.min, names), substitute(range.extent, names)});
      names[loops[k].first] = others_[k];
    }
    for (const Expr& condition : first_conditions) facts_.assume(condition);
  }

  /// What follows from the accesses before loops inside were relaxed.
  void learn_from_each(const Repeated& first, const Repeated& second) {
    if (const auto shared = shared_function(first, second)) {
      learn_from_digits(first.region.region, shared->inner, shared->conditions);
    } else if (first.has_unit_loop() || second.has_unit_loop()) {
      // A loop of one iteration around only one of them makes no other function of it.
      const WithoutUnitLoops a(first, unconditional_), b(second, unconditional_);
      learn_from_each(a.access(), b.access());
    }
  }

  /// Whether the two meet in one iteration of the loops at most, by what has been learned.
  bool is_settled() const {
    for (std::size_t k = 0; k < loops_.size(); ++k)
      if (!is_equal(k)) return false;
    return true;
  }

  /// What follows from the regions that they touch while the loops inside run, too.
  std::vector<Signs> run(const BufferRegion& first, const BufferRegion& second) {
    std::vector<Range> shared;
    for (std::size_t d = 0; d < first.region.size(); ++d)
      if (same_ranges({first.region[d]}, {second.region[d]})) shared.push_back(first.region[d]);
    learn_from_digits(shared, {}, {});
    const Meeting meeting{first, second};
    for (bool learned = true; learned;) {
      learned = false;
      for (std::size_t k = 0; k < loops_.size(); ++k) {
        if (is_equal(k)) continue;
        const Signs before = signs_[k];
        if (signs_[k].positive && apart(meeting, k, true)) signs_[k].positive = false;
        if (signs_[k].negative && apart(meeting, k, false)) signs_[k].negative = false;
        learned = learned || (is_equal(k) && (before.positive || before.negative));
      }
    }
    for (std::size_t k = 0; k < loops_.size(); ++k)
      if (signs_[k].zero && !is_equal(k) && never_equal(meeting, k)) signs_[k].zero = false;
    return signs_;
  }

 private:
  static constexpr Signs stands_still = {false, true, false};

  struct Meeting {
    const BufferRegion &first, &second;
  };

  /// A number that two ranges of one function have in common where they meet; nothing where there is none.
  ///
  /// The rule: let iteration x touch [m(x), m(x) + L(x)), and c > 0 and r be free of the loops `moving`,
  /// which are all that may differ between x and x', with L(x) <= c and m(x) = c · t(x) + r for all x. Where
  /// the ranges of x and x' meet, t(x) = t(x'). Proof: both lie in tiles r + [c · t, c · t + c), and two of
  /// these tiles meet only where they are the same one. (c is a bound of the length: a length that differs
  /// from iteration to iteration makes no tiles.)
  static std::optional<Expr> tile_of(const Range& range, const std::vector<LoopRange>& moving,
                                     const Analyzer& facts) {
    if (is_one(range.extent)) return range.min;
    const Expr start = as_index(range.min), length = as_index(range.extent);
    const auto in_tiles_of = [&](const Expr& c) -> std::optional<Expr> {
      if (uses_any(c, moving) || !facts.proves(c >= make_int(1)) || !facts.proves(length <= c))
        return std::nullopt;
      if (uses_any(facts.simplify(floor_mod(start, c)), moving)) return std::nullopt;
      return facts.simplify(floor_div(start, c));
    };
    std::vector<Var> variables;
    for (const LoopRange& loop : moving) variables.push_back(loop.first);
    const SymbolicBounds bounds = facts.bounds(length, variables);
    if (bounds.high.defined())
      if (const auto tile = in_tiles_of(as_index(bounds.high))) return tile;
    const std::int64_t step = facts.congruence(start).multiple;
    return step > 1 ? in_tiles_of(make_int(step)) : std::nullopt;
  }

  /// Both accesses touch `region`, a function of the loops and of those inside, where `conditions` hold: they
  /// meet only where its digits are equal in both, and the loops that these determine are equal. i // m and
  /// i % m need the same i.
  void learn_from_digits(const std::vector<Range>& region, const std::vector<LoopRange>& inner,
                         const std::vector<Expr>& conditions) {
    Analyzer facts = unconditional_;
    std::vector<LoopRange> moving;
    std::vector<std::size_t> positions;
    for (std::size_t k = 0; k < loops_.size(); ++k) {
      if (is_equal(k)) continue;
      moving.push_back(loops_[k]);
      positions.push_back(k);
    }
    for (const LoopRange& loop : inner) {
      // One of a single iteration is the same in both, if it begins where both do.
      if (!is_one(loop.second.extent) || uses_any(loop.second.min, moving)) moving.push_back(loop);
      facts.bind(loop.first, loop.second);
    }
    std::vector<Expr> indices;
    bool moves = false;
    for (const Range& range : region)
      if (const auto index = tile_of(range, moving, facts)) {
        indices.push_back(deciding_part(*index, moving, facts));
        for (const std::size_t k : positions) moves = moves || uses(*index, loops_[k].first);
      }
    if (!moves) return;
    Expr all = make_bool(true);
    for (const Expr& condition : conditions) all = logical_and(all, condition);
    const auto map = iter_map(with_joined_digits(std::move(indices), facts), moving, all, facts);
    if (!map) return;
    for (std::size_t i = 0; i < positions.size(); ++i)
      if (map->determined[i]) signs_[positions[i]] = stands_still;
  }

  bool is_equal(std::size_t k) const { return !signs_[k].positive && !signs_[k].negative; }

  /// What the second access's loops are: the first one's where they are equal, else iterations of their own.
  Substitution iterations() const {
    Substitution values;
    for (std::size_t k = 0; k < loops_.size(); ++k)
      values[loops_[k].first] = is_equal(k) ? Expr(loops_[k].first) : Expr(others_[k]);
    return values;
  }

  bool never_meet(const Meeting& meeting, Analyzer facts, const Substitution& values) const {
    for (const Expr& condition : second_conditions_) {
      const Expr needed = substitute(condition, values);
      if (facts.prove(needed) == Proof::refuted) return true;
      facts.assume(needed);
    }
    const BufferRegion &first = meeting.first, second = substituted(meeting.second, values);
    if (lie_apart(first, second, facts)) return true;
    if (second.region.size() == 1) return false;
    // Where they meet they do so in every dimension: what one requires may contradict another.
    for (std::size_t d = 0; d < second.region.size(); ++d) {
      const Range &a = first.region[d], &b = second.region[d];
      if (is_one(a.extent) && is_one(b.extent)) facts.assume(equals(as_index(a.min), as_index(b.min)));
    }
    return lie_apart(first, second, facts);
  }

  /// Whether the two cannot meet where loop k of the second is after (or before) that of the first.
  bool apart(const Meeting& meeting, std::size_t k, bool after) const {
    const auto& [var, range] = loops_[k];
    Analyzer facts = facts_;
    const Var distance("distance", var.type());
    const Expr other = after ? var + distance : var - distance;
    Substitution values = iterations();
    const Expr low = substitute(range.min, values), end = low + substitute(range.extent, values);
    if (uses_any(range.min, loops_) || uses_any(range.extent, loops_)) {
      facts.assume(distance >= make_int(1, var.type()));
      facts.assume(low <= other);
      facts.assume(other < end);
    } else {
      facts.bind(distance, {make_int(1, var.type()), range.extent});
      const Expr runs = after ? other < end : other >= low;
      if (facts.prove(runs) == Proof::refuted) return true;
      facts.assume(runs);
    }
    values[var] = other;
    return never_meet(meeting, facts, values);
  }

  bool never_equal(const Meeting& meeting, std::size_t k) const {
    Substitution values = iterations();
    values[loops_[k].first] = loops_[k].first;
    return never_meet(meeting, facts_, values);
  }

  const std::vector<Expr> second_conditions_;
  const std::vector<LoopRange>& loops_;
  Analyzer unconditional_;  ///< knows the loops of the first access
  Analyzer facts_;          ///< and those of the second, and the first one's conditions
  std::vector<Signs> signs_;
  std::vector<Var> others_;
};

bool same_region(const BufferRegion& a, const BufferRegion& b) {
  return a.buffer == b.buffer && same_ranges(a.region, b.region);
}

bool same_exprs(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Expr& x, const Expr& y) { return structurally_equal(x, y); });
}

/// Whether memory decides where it is, by the range of a loop: its content may be another one for the other
/// access.
bool follows_memory(const Access& access) {
  const auto reads = [](const Range& range) { return reads_memory(range.min) || reads_memory(range.extent); };
  return std::any_of(access.each.region.begin(), access.each.region.end(), reads) ||
         std::any_of(access.inner.begin(), access.inner.end(),
                     [&](const LoopRange& loop) { return reads(loop.second); });
}

/// The conditions of the access on the listed loops and what is around them, and what it says of these by
/// happening at all. The rule: an access under loops inside happens in some iteration y of them, in which
/// each of their ranges has an element and each condition holds. Each of these facts is v(x, y) >= 0 (for a
/// range its length less one), and where v(x, y) <= h(x) for all y, then h(x) >= 0. So `for i in 2: for j in
/// i` runs with i = 1 alone, and no two of its iterations meet.
std::vector<Expr> conditions_of(const Access& access, const std::vector<LoopRange>& loops) {
  std::vector<Expr> all = access.conditions;
  const auto learn = [&](const Expr& value) {
    if (!uses_any(value, loops)) return;
    Expr most = value;
    for (std::size_t k = access.inner.size(); k-- > 0 && most.defined();)  // a range names loops around
      if (uses(most, access.inner[k].first)) most = access.facts.bounds(most, {access.inner[k].first}).high;
    if (!most.defined() || uses_any(most, access.inner)) return;
    if (uses_any(most, loops)) return all.push_back(as_index(most) >= make_int(0));
    // The facts, of which the condition is one, leave so little that h(x) is a number: they say it of x.
    for (const auto& [var, range] : loops) {
      if (!uses(value, var)) continue;
      const SymbolicBounds left = access.facts.bounds(var, {var});
      if (left.low.defined() && !uses_any(left.low, access.inner))
        all.push_back(as_index(var) >= as_index(left.low));
      if (left.high.defined() && !uses_any(left.high, access.inner))
        all.push_back(as_index(var) <= as_index(left.high));
    }
  };
  for (const auto& [var, range] : access.inner) learn(as_index(range.extent) - 1);
  for (const Expr& condition : access.inner_conditions)
    if (uses_any(condition, access.inner))
      for (const Expr& value : nonnegative_parts(condition)) learn(value);
  return all;
}

/// What follows without the boxes of the two.
DistanceSearch begin_search(const PlacedAccess& a, const PlacedAccess& b, const std::vector<LoopRange>& loops,
                            const Analyzer& facts) {
  DistanceSearch search(a.conditions, b.conditions, loops, facts);
  const Access &first = a.access, &second = b.access;
  if (!first.inner.empty() || !second.inner.empty())
    search.learn_from_each({first.each, first.inner, first.inner_conditions},
                           {second.each, second.inner, second.inner_conditions});
  return search;
}

}  // namespace

std::vector<Signs> distances(const BufferRegion& first, const BufferRegion& second,
                             const std::vector<LoopRange>& loops, const Analyzer& facts) {
  return DistanceSearch({}, {}, loops, facts).run(first, second);
}

std::vector<PlacedAccess> placed(const std::vector<Access>& accesses, const std::vector<LoopRange>& loops) {
  std::vector<PlacedAccess> all;
  all.reserve(accesses.size());
  for (const Access& access : accesses) all.push_back({access, conditions_of(access, loops)});
  return all;
}

bool comparable(const Access& a, const Access& b) {
  return a.each.buffer == b.each.buffer && !a.opaque && !b.opaque && !follows_memory(a) && !follows_memory(b);
}

std::vector<Signs> distances(const PlacedAccess& first, const PlacedAccess& second,
                             const std::vector<LoopRange>& loops, const Analyzer& facts) {
  return begin_search(first, second, loops, facts)
      .run(first.access.touched().region, second.access.touched().region);
}

std::optional<std::vector<Signs>> distances_of_iterations(const PlacedAccess& first,
                                                          const PlacedAccess& second,
                                                          const std::vector<LoopRange>& loops,
                                                          const Analyzer& facts) {
  DistanceSearch search = begin_search(first, second, loops, facts);
  if (search.is_settled()) return std::nullopt;
  return search.run(first.access.touched().region, second.access.touched().region);
}

bool same_instances(const PlacedAccess& a, const PlacedAccess& b) {
  const Access &here = a.access, &there = b.access;
  const auto same_loop = [](const LoopRange& x, const LoopRange& y) {
    return x.first == y.first && same_ranges({x.second}, {y.second});
  };
  return same_region(here.each, there.each) &&
         std::equal(here.inner.begin(), here.inner.end(), there.inner.begin(), there.inner.end(),
                    same_loop) &&
         same_exprs(here.inner_conditions, there.inner_conditions) && same_exprs(a.conditions, b.conditions);
}

bool are_alike(const PlacedAccess& a, const PlacedAccess& b) {
  const Access &here = a.access, &there = b.access;
  if (here.write != there.write || here.opaque != there.opaque || !(here.each.buffer == there.each.buffer) ||
      here.inner.size() != there.inner.size() || here.relaxing.exact != there.relaxing.exact ||
      here.relaxing.all_run != there.relaxing.all_run)
    return false;
  Substitution names;
  for (std::size_t i = 0; i < here.inner.size(); ++i) {
    if (!(here.inner[i].first.type() == there.inner[i].first.type())) return false;
    if (!same_ranges({here.inner[i].second}, {substituted(there.inner[i].second, names)})) return false;
    names[there.inner[i].first] = here.inner[i].first;
  }
  const auto same_renamed = [&](const std::vector<Expr>& mine, const std::vector<Expr>& theirs) {
    return std::equal(
        mine.begin(), mine.end(), theirs.begin(), theirs.end(),
        [&](const Expr& x, const Expr& y) { return structurally_equal(x, substitute(y, names)); });
  };
  return same_ranges(here.each.region, substituted(there.each, names).region) &&
         same_renamed(here.inner_conditions, there.inner_conditions) &&
         same_renamed(here.relaxing.conditions, there.relaxing.conditions) &&
         same_renamed(a.conditions, b.conditions);
}

bool same_boxes(const PlacedAccess& a, const PlacedAccess& b) {
  return same_region(a.access.touched().region, b.access.touched().region);
}

bool tell_apart(const std::vector<Expr>& values, const std::vector<LoopRange>& loops,
                const std::vector<Expr>& conditions, const Analyzer& facts) {
  BufferRegion point;
  for (const Expr& value : values) point.region.push_back({value, make_int(1, value.type())});
  const std::vector<Signs> found = DistanceSearch(conditions, conditions, loops, facts).run(point, point);
  return std::none_of(found.begin(), found.end(),
                      [](const Signs& signs) { return signs.negative || signs.positive; });
}

}  // namespace ardea::arith
