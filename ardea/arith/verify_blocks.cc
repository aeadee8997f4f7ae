#include <algorithm>

#include "ardea/arith/regions_conditions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/arith/verify_laws.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"

namespace ardea::arith {

namespace {

/// What surrounds a statement, up to the block around it.
struct Around {
  Analyzer facts;   ///< everything
  Analyzer shared;  ///< what a block inside may count on: no loops, no conditions
  std::vector<LoopRange> loops = {};
  std::vector<Expr> conditions = {};
  std::vector<std::pair<Var, Expr>> lets = {};
  bool runs = true;  ///< false: a loop around it is proved to have no iteration

  void require(const std::vector<Expr>& parts) {
    for (const Expr& part : parts) {
      facts.assume(part);
      conditions.push_back(part);
    }
  }
};

class BlockCheck {
 public:
  BlockCheck(const Unchanged& known, Report& report) : known_(known), report_(report) {}

  void function(const Function& f) {
    root_ = root_block(f);
    const Analyzer facts = facts_of(f);
    visit(f.body, Around{facts, facts});
  }

 private:
  void visit(const Stmt& s, Around around) {
    if (!s.defined() || known_.contains(s)) return;
    if (const auto* block = s.as<Block>()) return visit_block(s, *block, std::move(around));
    if (const auto* branch = s.as<If>()) {
      Around otherwise = around;
      around.require(conjuncts(branch->condition));
      otherwise.require(conjuncts_of_negation(branch->condition));
      visit(branch->then_case, std::move(around));
      return visit(branch->else_case, std::move(otherwise));
    }
    if (const auto* loop = s.as<For>()) {
      const Range range{loop->min, loop->extent};
      // Asked before the range is bound: a bound variable exists.
      around.runs =
          around.runs && around.facts.prove(as_index(loop->extent) >= make_int(1)) != Proof::refuted;
      around.facts.bind(loop->var, range);
      around.loops.emplace_back(loop->var, range);
      return visit(loop->body, std::move(around));
    }
    if (const auto* let = s.as<LetStmt>()) {
      around.facts.define(let->var, let->value);
      around.lets.emplace_back(let->var, let->value);
      return visit(let->body, std::move(around));
    }
    for_each_child(s, [](const Expr&) {}, [&](const Stmt& part) { visit(part, around); });
  }

  void visit_block(const Stmt& s, const Block& block, Around around) {
    // A block that no iteration runs has no binding to be wrong about: the rest of a split may leave one.
    const bool never_runs =
        !around.runs || (block.predicate.defined() && around.facts.prove(block.predicate) == Proof::refuted);
    around.require(conjuncts(block.predicate));
    if (!never_runs)
      for (std::size_t i = 0; i < block.iterators.size(); ++i)
        if (!known_.has_binding(s, i)) binding(block, block.iterators[i], around);
    if (&block != root_)
      check_counts_once(block, {around.shared, around.loops, around.conditions, around.lets}, report_);
    if (known_.has_inside(s)) return;
    const Analyzer inside = facts_inside(block, around.shared);
    if (&block != root_) {
      const std::vector<Access> each = each_access(block, around.shared);
      if (block.reads) reads(block, each, inside);
      if (block.writes) writes(block, each, inside);
      check_iterator_kinds(block, around.shared, report_);
    }
    visit(block.init, Around{inside, inside});
    visit(block.body, Around{inside, inside});
  }

  /// What is known of the loops that the value depends on, and of nothing else: a proof does not fail for all
  /// the other things that could be tried.
  static Analyzer facts_about(const Expr& value, const Around& around) {
    std::vector<bool> needed(around.loops.size());
    for (std::size_t k = around.loops.size(); k-- > 0;) {
      const Var& var = around.loops[k].first;
      needed[k] = uses(value, var);
      for (std::size_t later = k + 1; later < needed.size(); ++later) {
        const Range& range = around.loops[later].second;
        needed[k] = needed[k] || (needed[later] && (uses(range.min, var) || uses(range.extent, var)));
      }
    }
    Analyzer facts = around.shared;
    for (std::size_t k = 0; k < needed.size(); ++k)
      if (needed[k]) facts.bind(around.loops[k].first, around.loops[k].second);
    return facts;
  }

  void binding(const Block& block, const BlockIterator& i, const Around& around) {
    const Expr value = as_index(i.binding), low = as_index(i.domain.min);
    const Analyzer& facts = around.facts;
    const Expr end = facts.simplify(low + as_index(i.domain.extent));
    const Proof above = facts.prove(low <= value), below = facts.prove(value < end);
    if (above == Proof::proved && below == Proof::proved) return;
    const Analyzer own = facts_about(value, around);
    // Each end by itself: one may follow from a condition, the other be lost among all that follows from it.
    if ((above == Proof::proved || own.proves(low <= value)) &&
        (below == Proof::proved || own.proves(value < end)))
      return;
    const bool refuted = above == Proof::refuted || below == Proof::refuted;
    const SymbolicBounds bounds = facts.bounds(i.binding);
    if (!refuted && lies_between(bounds, low, end, own)) return;
    report_.add_proof(
        refuted, "binding_out_of_domain",
        "block {}: iterator {} is bound to {}, which {} its domain [{}, {}){}; enlarge the domain, "
        "shorten the "
        "loops, or guard the block with T.where",
        block.name, i.var.name(), print(i.binding), refuted ? "lies outside" : "is not proved to stay in",
        print(low), print(end), between(bounds, facts));
  }

  /// A sum of loops, quotients and remainders of them, each of which goes to its own end, is a proof too many
  /// where sizes are symbolic; what it then runs from and to often is one.
  static bool lies_between(const SymbolicBounds& bounds, const Expr& low, const Expr& end,
                           const Analyzer& facts) {
    return bounds.low.defined() && bounds.high.defined() && facts.proves(low <= bounds.low) &&
           facts.proves(bounds.high < end);
  }

  static std::string between(const SymbolicBounds& bounds, const Analyzer& facts) {
    if (!bounds.low.defined() || !bounds.high.defined()) return "";
    return fmt::format(" (it runs from {} to {})", print(facts.simplify(bounds.low)),
                       print(facts.simplify(bounds.high)));
  }

  /// Whether the region holds what of the box lies in the buffer. A dimension that is declared as a whole
  /// holds whatever its index is: whether that stays in the buffer is another law.
  static bool holds_inside(const BufferRegion& region, const BufferRegion& box, const Analyzer& facts) {
    BufferRegion some{region.buffer, {}}, part{box.buffer, {}};
    for (std::size_t d = 0; d < region.region.size(); ++d) {
      if (is_zero(region.region[d].min) &&
          structurally_equal(region.region[d].extent, region.buffer->shape[d]))
        continue;
      some.region.push_back(region.region[d]);
      part.region.push_back(box.region[d]);
    }
    return contains(some, part, facts) == Proof::proved;
  }

  /// Whether one of the declared regions holds the box, or the whole of an alias of its memory.
  static bool declared(const std::vector<BufferRegion>& regions, const BufferRegion& box,
                       const Analyzer& facts) {
    return std::any_of(regions.begin(), regions.end(), [&](const BufferRegion& region) {
      if (region.buffer == box.buffer) return holds_inside(region, box, facts);
      return region.buffer->data == box.buffer->data &&
             contains(region, whole_region(region.buffer), facts) == Proof::proved;
    });
  }

  static bool mentions(const std::vector<BufferRegion>& regions, const Buffer& buffer) {
    return std::any_of(regions.begin(), regions.end(),
                       [&](const BufferRegion& region) { return region.buffer->data == buffer->data; });
  }

  /// An address given away may be read or written: the declaration decides which, and must make one of them.
  static bool opaque_is_declared(const Block& block, const Buffer& buffer) {
    return (block.reads && mentions(*block.reads, buffer)) ||
           (block.writes && mentions(*block.writes, buffer));
  }

  static bool written_by(const std::vector<Access>& each, const BufferRegion& box, const Analyzer& facts) {
    return std::any_of(each.begin(), each.end(), [&](const Access& access) {
      return access.write && access.each.buffer == box.buffer &&
             contains(access.touched().region, box, facts) == Proof::proved;
    });
  }

  void reads(const Block& block, const std::vector<Access>& each, const Analyzer& facts) {
    for (const Access& access : each) {
      const BufferRegion& box = access.touched().region;
      if (access.write) continue;
      if (access.opaque ? opaque_is_declared(block, box.buffer) : declared(*block.reads, box, access.facts))
        continue;
      if (block.init.defined() && written_by(each, box, facts))
        continue;  // it reads back what it wrote itself
      report_.add_proof(
          false, mentions(*block.reads, box.buffer) ? "read_region_too_small" : "read_region_missing",
          "block {}: {} reads {}, but the block declares that it reads {}; add T.reads({}), or leave T.reads "
          "out to have it inferred",
          block.name, brief(access.statement), print(box), listed(*block.reads), print(box));
    }
  }

  void writes(const Block& block, const std::vector<Access>& each, const Analyzer& facts) {
    for (const Access& access : each) {
      const BufferRegion& box = access.touched().region;
      if (!access.write) continue;
      if (access.opaque ? opaque_is_declared(block, box.buffer) : declared(*block.writes, box, access.facts))
        continue;
      report_.add_proof(
          false, mentions(*block.writes, box.buffer) ? "write_region_too_small" : "write_region_missing",
          "block {}: {} writes {}, but the block declares that it writes {}; add T.writes({}), or leave "
          "T.writes out to have it inferred",
          block.name, brief(access.statement), print(box), listed(*block.writes), print(box));
    }
    for (const BufferRegion& region : *block.writes) not_too_large(block, region, each, facts);
  }

  void not_too_large(const Block& block, const BufferRegion& region, const std::vector<Access>& each,
                     const Analyzer& facts) {
    std::optional<Touched> actual;
    for (const Access& access : each) {
      const Touched& touched = access.touched();
      if (!access.write || !(touched.region.buffer->data == region.buffer->data)) continue;
      if (access.opaque || !(touched.region.buffer == region.buffer))
        return;  // not known in this buffer's terms
      actual = actual ? unite(*actual, touched, facts) : touched;
    }
    if (actual && (!actual->exact || contains(actual->region, region, facts) == Proof::proved)) return;
    report_.add_proof(false, "write_region_too_large",
                      "block {}: it declares that it writes {}, but its body writes {}; declare that",
                      block.name, print(region), actual ? print(actual->region) : "nothing of this buffer");
  }

  const Unchanged& known_;
  Report& report_;
  const Block* root_ = nullptr;
};

}  // namespace

void check_blocks(const Function& f, const Unchanged& known, Report& report) {
  BlockCheck(known, report).function(f);
}

}  // namespace ardea::arith
