#include "ardea/arith/dependence.h"

#include <algorithm>

#include "ardea/arith/regions_linear.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"

namespace ardea::arith {

namespace {

bool reads(const Expr& e, const Buffer& buffer) {
  return any_expr(e, [&](const Expr& part) {
    const auto* load = part.as<Load>();
    return load != nullptr && load->buffer->data == buffer->data;
  });
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

/// Whether a reduce iterator of the block (or one of another kind) is bound to the loop.
bool feeds(const Block& block, const Var& loop, bool reduce) {
  return std::any_of(block.iterators.begin(), block.iterators.end(), [&](const BlockIterator& iterator) {
    return (iterator.kind == IteratorKind::reduce) == reduce && uses(iterator.binding, loop);
  });
}

class ConflictList {
 public:
  ConflictList(const std::vector<LoopRange>& loops, const Analyzer& facts) : loops_(loops), facts_(facts) {}
  std::vector<Conflict> take() { return std::move(found_); }

  /// The conflict of two different iterations, where there is one. Both must live as long as more are added.
  /// `reduction`: both are updates of that block, which may change places where they differ in loops that
  /// feed its reduce iterators alone. (Where others differ, a loop repeats a reduction: from its init on, or
  /// what has been counted would be counted again.)
  void add_of_iterations(const PlacedAccess& a, const PlacedAccess& b, const Block* reduction) {
    if (!may_meet(a.access, b.access) || is_known(a, b)) return;
    if (!comparable(a.access, b.access)) return keep(a, b, anywhere());
    auto distance = distances_of_iterations(a, b, loops_, facts_);
    if (!distance) {
      settled_.push_back({&a, &b});
      return;
    }
    if (reduction == nullptr || !differs_by_reducing(*distance, *reduction)) keep(a, b, *std::move(distance));
  }

  /// The conflict of the two, in one iteration or in different ones.
  void add(const PlacedAccess& a, const PlacedAccess& b) {
    if (!may_meet(a.access, b.access) || is_known(a, b)) return;
    keep(a, b, comparable(a.access, b.access) ? distances(a, b, loops_, facts_) : anywhere());
  }

 private:
  struct Pair {
    const PlacedAccess *first = nullptr, *second = nullptr;  ///< those of the caller
  };

  static bool may_meet(const Access& a, const Access& b) {
    return (a.write || b.write) && a.each.buffer->data == b.each.buffer->data;
  }

  std::vector<Signs> anywhere() const { return std::vector<Signs>(loops_.size()); }

  /// Whether all that was asked about a pair before would be answered alike for this one: a reduction's
  /// accesses of one element name it several times, and one of them speaks for all.
  bool is_known(const PlacedAccess& a, const PlacedAccess& b) const {
    const auto alike = [&](const Pair& pair) {
      return same_instances(*pair.first, a) && same_instances(*pair.second, b);
    };
    return std::any_of(settled_.begin(), settled_.end(), alike) ||
           std::any_of(seen_.begin(), seen_.end(), [&](const Pair& pair) {
             return alike(pair) && same_boxes(*pair.first, a) && same_boxes(*pair.second, b);
           });
  }

  void keep(const PlacedAccess& a, const PlacedAccess& b, std::vector<Signs> distance) {
    seen_.push_back({&a, &b});
    found_.push_back({a.access.touched().region, b.access.touched().region, std::move(distance)});
  }

  bool differs_by_reducing(const std::vector<Signs>& distance, const Block& block) const {
    for (std::size_t k = 0; k < loops_.size(); ++k)
      if ((distance[k].negative || distance[k].positive) && !feeds(block, loops_[k].first, true))
        return false;
    return true;
  }

  const std::vector<LoopRange>& loops_;
  const Analyzer& facts_;
  std::vector<Conflict> found_;
  std::vector<Pair> seen_;     ///< those of `found_`
  std::vector<Pair> settled_;  ///< those that meet in one iteration at most, without their boxes
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

/// Whether the instance with the init is the first of its element in any order of the loops.
///
/// The rule: the loops that feed reduce iterators feed no others, and where they are at their starts each
/// reduce iterator is at the start of its domain, which is where the init runs. Proof: of all iterations that
/// come to the element this one has the least value of each of these loops (of one whose start depends on
/// another, the least for that one's start, which stays around it), so none comes before it. That iterators
/// are least there is not enough: where no instance runs there, the first that does may be another one in
/// another order. An init that never runs in these loops has no place to lose.
bool init_stays_first(const Block& block, const std::vector<LoopRange>& loops, const Analyzer& facts) {
  if (!block.init.defined()) return true;
  const bool never_runs =
      std::any_of(block.iterators.begin(), block.iterators.end(), [&](const BlockIterator& iterator) {
        return iterator.kind == IteratorKind::reduce &&
               facts.proves(as_index(iterator.binding) > as_index(iterator.domain.min));
      });
  if (never_runs) return true;
  Substitution starts;
  for (const auto& [var, range] : loops) {
    if (!feeds(block, var, true)) continue;
    if (feeds(block, var, false)) return false;
    starts[var] = make_cast(var.type(), substitute(range.min, starts));
  }
  return std::all_of(block.iterators.begin(), block.iterators.end(), [&](const BlockIterator& iterator) {
    return iterator.kind != IteratorKind::reduce || !uses_any(iterator.binding, loops) ||
           facts.proves(
               equals(as_index(substitute(iterator.binding, starts)), as_index(iterator.domain.min)));
  });
}

}  // namespace

std::vector<Conflict> conflicts(const Stmt& body, const std::vector<LoopRange>& loops, const Analyzer& facts,
                                bool concurrent) {
  const Analyzer inner = inside_loops(facts, loops);
  const std::vector<Access> accesses = each_access_of_written(body, inner);
  const std::vector<PlacedAccess> all = placed(accesses, loops);
  ConflictList found(loops, facts);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i; j < all.size(); ++j) {
      const Access &a = all[i].access, &b = all[j].access;
      const auto* block = a.statement.as<Block>();
      const bool of_one_reduction = !concurrent && block != nullptr && a.statement == b.statement &&
                                    is_commutative_update(*block, a.each.buffer) &&
                                    init_stays_first(*block, loops, inner);
      // Without an init, updates are the same in any order, however often they come.
      if (of_one_reduction && !block->init.defined()) continue;
      found.add_of_iterations(all[i], all[j], of_one_reduction ? block : nullptr);
    }
  return found.take();
}

namespace {

/// The same access in fewer words: what a schedule leaves of loops that were unrolled or shifted differs from
/// copy to copy, and comes to the same. A loop inside that it does not name only repeats it.
void abridge(Access& access) {
  for (Range& range : access.each.region) {
    range.min = access.facts.simplify(range.min);
    range.extent = access.facts.simplify(range.extent);
  }
  for (std::size_t k = access.inner.size(); k-- > 0;) {  // innermost first: a range names loops around
    const Var& loop = access.inner[k].first;
    const auto names = [&](const Expr& e) { return uses(e, loop); };
    const auto is_named_in = [&](const Range& range) { return names(range.min) || names(range.extent); };
    const bool is_named =
        std::any_of(access.each.region.begin(), access.each.region.end(), is_named_in) ||
        std::any_of(access.inner_conditions.begin(), access.inner_conditions.end(), names) ||
        std::any_of(access.relaxing.conditions.begin(), access.relaxing.conditions.end(), names) ||
        std::any_of(access.inner.begin() + static_cast<std::ptrdiff_t>(k) + 1, access.inner.end(),
                    [&](const LoopRange& inside) { return is_named_in(inside.second); });
    if (!is_named) access.inner.erase(access.inner.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

std::vector<Access> accesses_where(const Stmt& s, const Analyzer& facts,
                                   const std::function<bool(const Buffer&)>& is_asked_about) {
  std::vector<Access> all = each_access(s, facts);
  std::erase_if(all, [&](const Access& access) { return !is_asked_about(access.each.buffer); });
  return all;
}

}  // namespace

AccessesInLoops::AccessesInLoops(const Stmt& s, const std::vector<LoopRange>& loops, const Analyzer& facts,
                                 const std::function<bool(const Buffer&)>& is_asked_about)
    : accesses_(accesses_where(s, inside_loops(facts, loops), is_asked_about)),
      placed_(placed(accesses_, loops)) {}

AccessesInLoops AccessesInLoops::distinct(const Stmt& s, const std::vector<LoopRange>& loops,
                                          const Analyzer& facts,
                                          const std::function<bool(const Buffer&)>& is_asked_about) {
  AccessesInLoops found(accesses_where(s, inside_loops(facts, loops), is_asked_about));
  for (Access& access : found.accesses_) abridge(access);
  for (PlacedAccess& access : placed(found.accesses_, loops)) {
    const auto is_alike = [&](const PlacedAccess& other) { return are_alike(other, access); };
    if (std::none_of(found.placed_.begin(), found.placed_.end(), is_alike))
      found.placed_.push_back(std::move(access));
  }
  return found;
}

std::vector<Conflict> conflicts_between(const AccessesInLoops& first, const AccessesInLoops& second,
                                        const std::vector<LoopRange>& loops, const Analyzer& facts) {
  ConflictList found(loops, facts);
  for (const PlacedAccess& a : first.all())
    for (const PlacedAccess& b : second.all()) found.add(a, b);
  return found.take();
}

std::vector<Conflict> conflicts_between(const Stmt& first, const Stmt& second,
                                        const std::vector<LoopRange>& loops, const Analyzer& facts) {
  const auto is_any = [](const Buffer&) { return true; };
  return conflicts_between(AccessesInLoops(first, loops, facts, is_any),
                           AccessesInLoops(second, loops, facts, is_any), loops, facts);
}

bool runs_backwards(const Conflict& conflict) {
  for (const Signs& signs : conflict.distance) {
    if (signs.negative) return true;
    if (!signs.zero) return false;
  }
  return false;
}

bool has_effects(const Stmt& s) {
  return any_expr(s, [](const Expr& e) {
    const auto* call = e.as<Call>();
    // A tensor instruction does no more than what the addresses that it is given show.
    return call != nullptr && call->op->effect == Effect::writes && call->op->name != "tensor_instruction";
  });
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
