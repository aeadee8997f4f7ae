#include <algorithm>

#include "ardea/arith/allocation_site.h"
#include "ardea/arith/in_place.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// Less is not worth it: it lies in registers or in one line of the cache, and backends would no longer know
/// that the two are apart.
constexpr std::int64_t least_bytes = 64;

/// A statement of a sequence in which each runs once, with what holds there.
struct Moment {
  Stmt statement;
  Analyzer facts;
};

/// An allocation around moments [from, to), of which it is used in [first, last].
struct Use {
  Allocate allocate;
  std::size_t from = 0, to = 0;
  std::size_t first = 0, last = 0;
  std::vector<std::size_t> around = {};  ///< the allocations that it stands in
};

/// What one sequence does, allocations and lets taken apart.
struct Timeline {
  std::vector<Moment> moments;
  std::vector<Use> uses;

  void add(const Stmt& s, const Analyzer& facts) {
    if (const auto* sequence = s.as<Seq>()) {
      for (const Stmt& part : sequence->statements) add(part, facts);
    } else if (const auto* declare = s.as<DeclareBuffer>()) {
      add(declare->body, facts);
    } else if (const auto* let = s.as<LetStmt>()) {
      moments.push_back({Evaluate{let->value}, facts});
      add(let->body, inside(facts, *let));
    } else if (const auto* allocate = s.as<Allocate>()) {
      const std::size_t index = uses.size();
      uses.push_back({*allocate, moments.size(), 0, 0, 0, open_});
      open_.push_back(index);
      add(allocate->body, facts);
      open_.pop_back();
      uses[index].to = moments.size();
    } else {
      moments.push_back({s, facts});
    }
  }

  /// When each is used first and last; `first` is `to` where it never is.
  void find_lives() {
    for (Use& use : uses) {
      use.first = use.to;
      for (std::size_t i = use.from; i < use.to; ++i) {
        if (!arith::touches(moments[i].statement, use.allocate.data)) continue;
        use.first = std::min(use.first, i);
        use.last = i;
      }
    }
  }

 private:
  std::vector<std::size_t> open_;
};

/// The memory of several allocations that do not live at the same time.
struct StorageSlot {
  std::size_t host = 0;  ///< the outermost of them
  std::vector<std::size_t> members = {};
  Expr elements = {};
};

bool gives_address_away(const Stmt& s, const Var& data) {
  bool found = false;
  visit_exprs(s, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    found = found || e == data ||
            (call != nullptr && call->op->name == "address_of" &&
             call->arguments[0].as<Load>()->buffer->data == data);
  });
  return found;
}

class Reuse {
 public:
  Reuse(const Timeline& timeline, const Analyzer& facts) : timeline_(timeline), facts_(facts) {}

  /// Gives every allocation its slot.
  std::vector<StorageSlot> run() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < timeline_.uses.size(); ++i)
      if (takes_part(timeline_.uses[i])) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return timeline_.uses[a].first < timeline_.uses[b].first;
    });
    for (const std::size_t use : order) place(use);
    return std::move(slots_);
  }

 private:
  static bool takes_part(const Use& use) {
    const Allocate& allocate = use.allocate;
    if (use.first == use.to || allocate.scope == "register" || allocate.extents.size() != 1) return false;
    if (allocate.type.bits < 8 && !allocate.type.is_bool()) return false;
    const auto elements = constant_int(allocate.extents[0]);
    if (elements && *elements * allocate.type.bytes() < least_bytes) return false;
    return !gives_address_away(allocate.body, allocate.data);
  }

  bool stands_in(std::size_t inner, std::size_t outer) const {
    const std::vector<std::size_t>& around = timeline_.uses[inner].around;
    return std::find(around.begin(), around.end(), outer) != around.end();
  }

  /// Whether the two are never needed at the same time.
  bool take_turns(std::size_t a, std::size_t b) const {
    const Use &x = timeline_.uses[a], &y = timeline_.uses[b];
    if (x.last < y.first || y.last < x.first) return true;
    const Use &earlier = x.first < y.first ? x : y, &later = x.first < y.first ? y : x;
    if (earlier.last != later.first || earlier.first == later.first) return false;
    const Moment& both = timeline_.moments[later.first];
    return arith::may_write_in_place(both.statement, earlier.allocate.data, later.allocate.data, both.facts);
  }

  /// The size that serves both and is known where the host is allocated; nothing where there is none.
  Expr larger(const Expr& a, const Expr& b, const Use& host) const {
    for (const auto& [large, small] : {std::pair(a, b), std::pair(b, a)})
      if (facts_.proves(as_index(large) >= as_index(small)) && is_known_at(large, host)) return large;
    return {};
  }

  static bool is_known_at(const Expr& size, const Use& host) {
    const std::vector<Var> needed = free_variables(size);
    if (needed.empty()) return true;
    bool known = !reads_memory(size);
    visit_stmts(host.allocate.body, [&](const Stmt& s) {
      const auto* let = s.as<LetStmt>();
      known = known && (let == nullptr || std::find(needed.begin(), needed.end(), let->var) == needed.end());
    });
    return known;
  }

  std::optional<StorageSlot> joined(const StorageSlot& slot, std::size_t use) const {
    const Allocate &mine = timeline_.uses[use].allocate, &theirs = timeline_.uses[slot.host].allocate;
    if (!(mine.type == theirs.type) || mine.scope != theirs.scope || !mine.annotations.empty() ||
        !theirs.annotations.empty())
      return std::nullopt;
    StorageSlot both = slot;
    if (stands_in(slot.host, use))
      both.host = use;
    else if (!stands_in(use, slot.host))
      return std::nullopt;
    both.elements = larger(slot.elements, mine.extents[0], timeline_.uses[both.host]);
    if (!both.elements.defined()) return std::nullopt;
    for (const std::size_t member : slot.members)
      if (!take_turns(member, use)) return std::nullopt;
    both.members.push_back(use);
    return both;
  }

  /// Into the slot that need not grow for it, or else into any; of its own where there is none.
  void place(std::size_t use) {
    StorageSlot* grown = nullptr;
    StorageSlot larger_one;
    for (StorageSlot& slot : slots_) {
      auto both = joined(slot, use);
      if (!both) continue;
      if (both->elements == slot.elements) {
        slot = *std::move(both);
        return;
      }
      grown = &slot;
      larger_one = *std::move(both);
    }
    if (grown != nullptr)
      *grown = std::move(larger_one);
    else
      slots_.push_back({use, {use}, timeline_.uses[use].allocate.extents[0]});
  }

  const Timeline& timeline_;
  const Analyzer& facts_;
  std::vector<StorageSlot> slots_;
};

/// s with the allocations of each slot made by its host alone.
Stmt shared(const Stmt& s, const Timeline& timeline, const std::vector<StorageSlot>& slots) {
  Substitution moved;
  std::unordered_map<Var, Expr> sizes;
  for (const StorageSlot& slot : slots) {
    const Var& host = timeline.uses[slot.host].allocate.data;
    if (slot.members.size() > 1) sizes[host] = slot.elements;
    for (const std::size_t member : slot.members)
      if (member != slot.host) moved.emplace(timeline.uses[member].allocate.data, host);
  }
  if (moved.empty()) return s;
  const Stmt kept = rewrite(s, Rewriter{.stmt_after = [&](const Stmt& x) -> Stmt {
                              const auto* allocate = x.as<Allocate>();
                              if (allocate == nullptr) return x;
                              if (moved.contains(allocate->data)) return allocate->body;
                              const auto size = sizes.find(allocate->data);
                              if (size == sizes.end()) return x;
                              Allocate out = *allocate;
                              out.extents = {size->second};
                              return out;
                            }});
  return substitute(kept, moved);
}

Stmt with_reused_storage(const Stmt& s, const Analyzer& facts);

/// s with the sequences inside it done: bodies of loops, cases of conditions. Lanes of a vectorized loop get
/// their memory later, each allocation by itself.
Stmt each_inside(const Stmt& s, const Analyzer& facts) {
  const auto* loop = s.as<For>();
  if (loop != nullptr && loop->kind == ForKind::vectorized) return s;
  return map_inside(s, facts, loop != nullptr || s.is<If>() ? with_reused_storage : each_inside);
}

/// The sequence that s is, and those inside it.
Stmt with_reused_storage(const Stmt& s, const Analyzer& facts) {
  Timeline timeline;
  timeline.add(s, facts);
  timeline.find_lives();
  const Stmt here = timeline.uses.size() < 2 ? s : shared(s, timeline, Reuse(timeline, facts).run());
  return each_inside(here, facts);
}

}  // namespace

Function reuse_storage(const Function& f, const target::Target&) {
  Function out = f;
  out.body = with_reused_storage(f.body, arith::facts_of(f));
  return out;
}

}  // namespace ardea::lower
