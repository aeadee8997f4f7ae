#include "ardea/arith/dependence.h"

#include <algorithm>

#include "ardea/arith/iter_map.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"

namespace ardea::arith {

namespace {

BufferRegion substituted(const BufferRegion& region, const Substitution& values) {
  BufferRegion out{region.buffer, {}};
  for (const Range& range : region.region)
    out.region.push_back({substitute(range.min, values), substitute(range.extent, values)});
  return out;
}

const Binary* quotient_or_rest(const Expr& e, BinaryOp op) {
  const auto* binary = e.as<Binary>();
  return binary != nullptr && binary->op == op && constant_int(binary->right) ? binary : nullptr;
}

/// e where e // c and e % c are known, e // b where e // (a * b) and e // b % a are; nothing for other pairs.
Expr joined(const Expr& high, const Expr& low) {
  const Binary* quotient = quotient_or_rest(high, BinaryOp::floor_div);
  const Binary* rest = quotient_or_rest(low, BinaryOp::floor_mod);
  if (quotient == nullptr || rest == nullptr) return {};
  const std::int64_t whole = *constant_int(quotient->right), radix = *constant_int(rest->right);
  if (whole <= 0 || radix <= 0) return {};
  if (whole == radix && structurally_equal(quotient->left, rest->left)) return rest->left;
  const Binary* part = quotient_or_rest(rest->left, BinaryOp::floor_div);
  if (part == nullptr || !structurally_equal(quotient->left, part->left)) return {};
  const std::int64_t divisor = *constant_int(part->right);
  return divisor > 0 && whole % divisor == 0 && whole / divisor == radix ? rest->left : Expr();
}

/// Digits of one number, which fused loops leave, as that number.
std::vector<Expr> with_joined_digits(std::vector<Expr> indices) {
  for (std::size_t i = 0; i < indices.size(); ++i)
    for (std::size_t j = 0; j < indices.size(); ++j) {
      const Expr number = i == j ? Expr() : joined(indices[i], indices[j]);
      if (!number.defined()) continue;
      indices[i] = number;
      indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(j));
      return with_joined_digits(std::move(indices));
    }
  return indices;
}

/// An access for the question with which others it meets.
struct Guarded {
  const BufferRegion& region;
  const std::vector<Expr>& conditions;  ///< it happens only where these hold
};

/// Finds the signs loop by loop. Each is tested with the other loops of the second access free, except those
/// already known to be equal: the digits of a split index follow one after another.
class DistanceSearch {
 public:
  DistanceSearch(const Guarded& first, const Guarded& second, const std::vector<LoopRange>& loops,
                 const Analyzer& facts)
      : first_(first.region),
        second_(second.region),
        second_conditions_(second.conditions),
        loops_(loops),
        facts_(facts),
        signs_(loops.size()) {
    for (std::size_t k = 0; k < loops.size(); ++k) {
      const auto& [var, range] = loops[k];
      others_.emplace_back(var.name() + "'", var.type());
      facts_.bind(var, range);
      facts_.bind(others_.back(), range);
      if (facts.proves(range.extent <= make_int(1, var.type()))) signs_[k] = stands_still;
    }
    learn_from_digits();
    // Only now: the digits are those of both accesses, and the second one knows nothing of these conditions.
    for (const Expr& condition : first.conditions) facts_.assume(condition);
  }

  std::vector<Signs> run() {
    for (bool learned = true; learned;) {
      learned = false;
      for (std::size_t k = 0; k < loops_.size(); ++k) {
        if (is_equal(k)) continue;
        const Signs before = signs_[k];
        if (signs_[k].positive && apart(k, true)) signs_[k].positive = false;
        if (signs_[k].negative && apart(k, false)) signs_[k].negative = false;
        learned = learned || (is_equal(k) && (before.positive || before.negative));
      }
    }
    for (std::size_t k = 0; k < loops_.size(); ++k)
      if (signs_[k].zero && !is_equal(k) && never_equal(k)) signs_[k].zero = false;
    return signs_;
  }

 private:
  static constexpr Signs stands_still = {false, true, false};

  /// Ranges that begin at multiples of their length, as tiles do, meet only where they are the same one:
  /// which one the range is. Nothing for other ranges.
  Expr tile_of(const Range& range) const {
    if (is_one(range.extent)) return range.min;
    const Expr extent = make_cast(range.min.type(), range.extent);
    const Expr tile = facts_.simplify(floor_div(range.min, extent));
    return facts_.proves(equals(tile * extent, range.min)) ? tile : Expr();
  }

  /// Two accesses by the same indices meet only where their digits are equal: i // m and i % m need the same
  /// i.
  void learn_from_digits() {
    std::vector<Expr> indices;
    for (std::size_t d = 0; d < first_.region.size(); ++d) {
      const Range &a = first_.region[d], &b = second_.region[d];
      if (!structurally_equal(a.min, b.min) || !structurally_equal(a.extent, b.extent)) continue;
      if (const Expr index = tile_of(a); index.defined()) indices.push_back(index);
    }
    indices = with_joined_digits(std::move(indices));
    std::vector<LoopRange> used;
    std::vector<std::size_t> positions;
    for (std::size_t k = 0; k < loops_.size(); ++k) {
      const bool is_used = std::any_of(indices.begin(), indices.end(),
                                       [&](const Expr& index) { return uses(index, loops_[k].first); });
      if (!is_used) continue;
      used.push_back(loops_[k]);
      positions.push_back(k);
    }
    if (used.empty()) return;
    const auto map = iter_map(indices, used, {}, facts_);
    if (!map || !map->injective) return;
    for (const std::size_t k : positions) signs_[k] = stands_still;
  }

  bool is_equal(std::size_t k) const { return !signs_[k].positive && !signs_[k].negative; }

  /// What the second access's loops are: the first one's where they are equal, else iterations of their own.
  Substitution iterations() const {
    Substitution values;
    for (std::size_t k = 0; k < loops_.size(); ++k)
      values[loops_[k].first] = is_equal(k) ? Expr(loops_[k].first) : Expr(others_[k]);
    return values;
  }

  bool never_meet(Analyzer facts, const Substitution& values) const {
    for (const Expr& condition : second_conditions_) {
      const Expr needed = substitute(condition, values);
      if (facts.prove(needed) == Proof::refuted) return true;
      facts.assume(needed);
    }
    const BufferRegion second = substituted(second_, values);
    if (disjoint(first_, second, facts) == Proof::proved) return true;
    // Where they meet they do so in every dimension: what one requires may contradict another.
    Analyzer meeting = facts;
    for (std::size_t d = 0; d < second.region.size(); ++d) {
      const Range &a = first_.region[d], &b = second.region[d];
      if (is_one(a.extent) && is_one(b.extent)) meeting.assume(equals(as_index(a.min), as_index(b.min)));
    }
    return disjoint(first_, second, meeting) == Proof::proved;
  }

  /// Whether the two cannot meet where loop k of the second is after (or before) that of the first.
  bool apart(std::size_t k, bool after) const {
    const auto& [var, range] = loops_[k];
    Analyzer facts = facts_;
    const Var distance("distance", var.type());
    facts.bind(distance, {make_int(1, var.type()), range.extent});
    const Expr other = after ? var + distance : var - distance;
    const Expr runs = after ? other < range.min + range.extent : other >= range.min;
    if (facts.prove(runs) == Proof::refuted) return true;
    facts.assume(runs);
    Substitution values = iterations();
    values[var] = other;
    return never_meet(facts, values);
  }

  bool never_equal(std::size_t k) const {
    Substitution values = iterations();
    values[loops_[k].first] = loops_[k].first;
    return never_meet(facts_, values);
  }

  const BufferRegion& first_;
  const BufferRegion& second_;
  const std::vector<Expr>& second_conditions_;
  const std::vector<LoopRange>& loops_;
  Analyzer facts_;
  std::vector<Signs> signs_;
  std::vector<Var> others_;
};

bool same_conditions(const Access& a, const Access& b) {
  return std::equal(a.conditions.begin(), a.conditions.end(), b.conditions.begin(), b.conditions.end(),
                    [](const Expr& x, const Expr& y) { return structurally_equal(x, y); });
}

bool same_region(const BufferRegion& a, const BufferRegion& b) {
  if (!(a.buffer == b.buffer)) return false;
  for (std::size_t d = 0; d < a.region.size(); ++d)
    if (!structurally_equal(a.region[d].min, b.region[d].min) ||
        !structurally_equal(a.region[d].extent, b.region[d].extent))
      return false;
  return true;
}

bool reads(const Expr& e, const Buffer& buffer) {
  bool found = false;
  visit_exprs(e, [&](const Expr& part) {
    const auto* load = part.as<Load>();
    found = found || (load != nullptr && load->buffer->data == buffer->data);
  });
  return found;
}

/// Narrower than commutative: == is that, too, but cannot be regrouped.
bool combines_in_any_order(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::mul:
    case BinaryOp::min:
    case BinaryOp::max:
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
    case BinaryOp::logical_and:
    case BinaryOp::logical_or: return true;
    default: return false;
  }
}

bool is_load_of(const Expr& e, const Store& store) {
  const auto* load = e.as<Load>();
  if (load == nullptr || !(load->buffer == store.buffer) || load->predicate.defined()) return false;
  for (std::size_t d = 0; d < store.indices.size(); ++d)
    if (!structurally_equal(load->indices[d], store.indices[d])) return false;
  return true;
}

Analyzer inside_loops(Analyzer facts, const std::vector<LoopRange>& loops) {
  for (const auto& [var, range] : loops) facts.bind(var, range);
  return facts;
}

class ConflictList {
 public:
  ConflictList(const std::vector<LoopRange>& loops, const Analyzer& facts) : loops_(loops), facts_(facts) {}
  std::vector<Conflict> take() { return std::move(found_); }

  /// The conflict of the two, where there is one. Both must live as long as more are added.
  void add(const Access& a, const Access& b) {
    if (!a.write && !b.write) return;
    const BufferRegion &first = a.touched.region, &second = b.touched.region;
    if (!(first.buffer->data == second.buffer->data)) return;
    // A reduction's accesses of one element name it several times: one of them speaks for all.
    const bool known = std::any_of(seen_.begin(), seen_.end(), [&](const auto& pair) {
      return same_region(pair.first->touched.region, first) && same_conditions(*pair.first, a) &&
             same_region(pair.second->touched.region, second) && same_conditions(*pair.second, b);
    });
    if (known) return;
    seen_.emplace_back(&a, &b);
    Conflict conflict{first, second, std::vector<Signs>(loops_.size())};
    // Views of one memory, and addresses given away, may meet anywhere.
    if (first.buffer == second.buffer && !a.opaque && !b.opaque)
      conflict.distance = DistanceSearch({first, a.conditions}, {second, b.conditions}, loops_, facts_).run();
    found_.push_back(std::move(conflict));
  }

 private:
  const std::vector<LoopRange>& loops_;
  const Analyzer& facts_;
  std::vector<Conflict> found_;
  std::vector<std::pair<const Access*, const Access*>> seen_;  ///< those of the caller
};

}  // namespace

bool is_commutative_update(const Block& block, const Buffer& buffer) {
  const auto* store = block.body.as<Store>();
  if (store == nullptr || !(store->buffer == buffer) || store->predicate.defined()) return false;
  const auto* update = store->value.as<Binary>();
  if (update == nullptr || !combines_in_any_order(update->op)) return false;
  if (is_load_of(update->left, *store)) return !reads(update->right, buffer);
  return is_load_of(update->right, *store) && !reads(update->left, buffer);
}

namespace {

/// Whether the instance with the init is the first of its element in any order of the loops: those that feed
/// reduce iterators feed no other, and the iterators are least where these loops are at their starts.
bool init_stays_first(const Block& block, const std::vector<LoopRange>& loops, const Analyzer& facts) {
  if (!block.init.defined()) return true;
  Substitution starts;
  const auto feeds = [&](const Var& loop, bool reduce) {
    return std::any_of(block.iterators.begin(), block.iterators.end(), [&](const BlockIterator& iterator) {
      return (iterator.kind == IteratorKind::reduce) == reduce && uses(iterator.binding, loop);
    });
  };
  for (const auto& [var, range] : loops) {
    if (!feeds(var, true)) continue;
    if (feeds(var, false)) return false;
    starts[var] = make_cast(var.type(), range.min);
  }
  return std::all_of(block.iterators.begin(), block.iterators.end(), [&](const BlockIterator& iterator) {
    return iterator.kind != IteratorKind::reduce || !uses_any(iterator.binding, loops) ||
           facts.proves(iterator.binding >= substitute(iterator.binding, starts));
  });
}

}  // namespace

std::vector<Conflict> conflicts(const Stmt& body, const std::vector<LoopRange>& loops, const Analyzer& facts,
                                bool concurrent) {
  const Analyzer inner = inside_loops(facts, loops);
  const std::vector<Access> all = each_access_of_written(body, inner);
  ConflictList found(loops, facts);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i; j < all.size(); ++j) {
      const auto* block = all[i].statement.as<Block>();
      const bool of_one_reduction = block != nullptr && all[i].statement == all[j].statement &&
                                    is_commutative_update(*block, all[i].touched.region.buffer) &&
                                    init_stays_first(*block, loops, inner);
      if (concurrent || !of_one_reduction) found.add(all[i], all[j]);
    }
  return found.take();
}

std::vector<Conflict> conflicts_between(const Stmt& first, const Stmt& second,
                                        const std::vector<LoopRange>& loops, const Analyzer& facts) {
  const Analyzer inner = inside_loops(facts, loops);
  ConflictList found(loops, facts);
  const std::vector<Access> later = each_access(second, inner);
  for (const Access& a : each_access(first, inner))
    for (const Access& b : later) found.add(a, b);
  return found.take();
}

bool runs_backwards(const Conflict& conflict) {
  for (const Signs& signs : conflict.distance) {
    if (signs.negative) return true;
    if (!signs.zero) return false;
  }
  return false;
}

bool has_effects(const Stmt& s) {
  bool found = false;
  visit_exprs(s, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    // A tensor instruction does no more than what the addresses that it is given show.
    found = found ||
            (call != nullptr && call->op->effect == Effect::writes && call->op->name != "tensor_instruction");
  });
  return found;
}

std::vector<Signs> distances(const BufferRegion& first, const BufferRegion& second,
                             const std::vector<LoopRange>& loops, const Analyzer& facts) {
  static const std::vector<Expr> none;
  return DistanceSearch({first, none}, {second, none}, loops, facts).run();
}

bool order_breaks(const Conflict& conflict, const std::vector<std::size_t>& order) {
  const std::size_t count = conflict.distance.size();
  std::vector<std::size_t> position(count);
  for (std::size_t i = 0; i < count; ++i) position[order[i]] = i;
  // Both ways round: the second access may also be the earlier one.
  for (const bool reversed : {false, true}) {
    const auto negative = [&](std::size_t k) {
      return reversed ? conflict.distance[k].positive : conflict.distance[k].negative;
    };
    const auto positive = [&](std::size_t k) {
      return reversed ? conflict.distance[k].negative : conflict.distance[k].positive;
    };
    // q leads in the old order and runs forwards, p leads in the new one and runs backwards.
    for (std::size_t q = 0; q < count; ++q)
      for (std::size_t p = q + 1; p < count; ++p) {
        if (!positive(q) || !negative(p) || position[p] > position[q]) continue;
        bool others_stand = true;
        for (std::size_t k = 0; k < count; ++k)
          if (k != p && k != q && (k < q || position[k] < position[p]))
            others_stand = others_stand && conflict.distance[k].zero;
        if (others_stand) return true;
      }
  }
  return false;
}

bool carries(const Conflict& conflict, std::size_t loop) {
  for (std::size_t k = 0; k < loop; ++k)
    if (!conflict.distance[k].zero) return false;
  return conflict.distance[loop].negative || conflict.distance[loop].positive;
}

}  // namespace ardea::arith
