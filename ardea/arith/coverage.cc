#include "ardea/arith/coverage.h"

#include <algorithm>

#include "ardea/arith/inside.h"
#include "ardea/arith/regions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/arith/scopes.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/overloaded.h"

namespace ardea::arith {

namespace {

/// Walks in the order of execution with what has been written for certain.
class Coverage {
 public:
  explicit Coverage(const Buffer& buffer) : buffer_(buffer) {}

  /// Written for certain where the conditions hold. They name no memory and only variables of loops around
  /// the statement that wrote: these have the same values wherever the box is asked about, and so have they.
  struct Box {
    BufferRegion region;
    std::vector<Expr> conditions = {};
  };
  /// What is written for certain: boxes, and instances of nests whose elements are no box.
  struct Written {
    std::vector<Box> boxes = {};
    std::vector<Access> instances = {};
    bool empty() const { return boxes.empty() && instances.empty(); }
  };

  /// What is known at a place.
  struct Place {
    Analyzer facts;
    std::vector<For> loops = {};  ///< entered on the way, outermost first

    Place inside(const For& loop) const {
      Place inner{arith::inside(facts, loop), loops};
      inner.loops.push_back(loop);
      return inner;
    }
    Place with(const Analyzer& more) const { return {more, loops}; }
  };

  /// Whether every read in s is covered; what s writes for certain is added, unless it is the last that
  /// anybody asks about.
  bool visit(const Stmt& s, Written& written, const Place& place, bool is_last) const {
    if (Question::is_exhausted()) return false;
    if (const auto* seq = s.as<Seq>()) {
      for (const Stmt& part : seq->statements)
        if (!visit(part, written, place, is_last && part == seq->statements.back())) return false;
      return true;
    }
    const Analyzer& facts = place.facts;
    // Boxes of a whole nest are dear: where nothing is written yet, a read can be covered from inside only.
    const bool from_inside = written.empty() && holds_read(s);
    if (from_inside && !covered_from_inside(s, place)) return false;
    if (from_inside && is_last) return true;
    const std::vector<Access> all = each_access_of(buffer_, s, facts);
    if (!from_inside && !all_written(all, written, facts) && !parts_are_covered(s, written, place))
      return false;
    std::vector<Access> writes;
    for (const Access& access : all)
      if (access.write && access.each.buffer == buffer_) writes.push_back(access);
    for (const Touched& write : united(writes, facts).writes) {
      if (write.exact) {
        add(written, write, facts);
      } else {
        add_conditional(written, writes);
        add_instances(written, writes);
      }
    }
    return true;
  }

 private:
  /// Also the box of both where it lies directly beside one before, as the parts of a loop that was cut do.
  static void add(Written& written, const Touched& write, const Analyzer& facts) {
    std::vector<Box>& boxes = written.boxes;
    const std::size_t before = boxes.size();
    boxes.push_back({write.region});
    for (std::size_t i = 0; i < before; ++i) {
      if (!boxes[i].conditions.empty()) continue;
      if (const Touched both = unite({boxes[i].region, true}, write, facts); both.exact)
        boxes.push_back({both.region});
    }
  }

  /// What is written in tiles that a guard leaves out as a whole is read there under the same guard.
  static void add_conditional(Written& written, const std::vector<Access>& writes) {
    for (const Access& access : writes) {
      if (access.opaque || access.conditions.empty()) continue;
      if (Touched box = access.touched_under_conditions(); box.exact)
        written.boxes.push_back({std::move(box.region), access.conditions});
    }
  }

  /// What a nest writes that is no box is read by a nest of the same loops.
  static void add_instances(Written& written, const std::vector<Access>& writes) {
    for (const Access& access : writes)
      if (!access.opaque && access.relaxing.exact) written.instances.push_back(access);
  }

  /// The rule: the loops of a write run over the same ranges as those of the read, and with the read's
  /// iterations for its own the write touches what the read does, under conditions that hold where the read
  /// happens. So each instance of the read finds what the instance of the write in the same iterations left.
  static bool has_instance(const Access& read, const Access& write) {
    if (read.opaque) return false;
    // A loop of one iteration is always where it starts.
    Substitution mine, theirs;
    const std::vector<LoopRange> here = without_unit_loops(read.inner, mine),
                                 there = without_unit_loops(write.inner, theirs);
    const auto is_same = [&](const Range& a, const Range& b) {
      return read.facts.proves(
                 equals(as_index(substitute(a.min, mine)), as_index(substitute(b.min, theirs)))) &&
             read.facts.proves(
                 equals(as_index(substitute(a.extent, mine)), as_index(substitute(b.extent, theirs))));
    };
    if (here.size() != there.size()) return false;
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (!(here[i].first.type() == there[i].first.type()) || !is_same(here[i].second, there[i].second))
        return false;
      theirs[there[i].first] = here[i].first;
    }
    const std::vector<Expr>& conditions = write.relaxing.conditions;
    return std::equal(read.each.region.begin(), read.each.region.end(), write.each.region.begin(),
                      write.each.region.end(), is_same) &&
           std::all_of(conditions.begin(), conditions.end(), [&](const Expr& condition) {
             return read.facts.proves(substitute(substitute(condition, theirs), mine));
           });
  }

  static std::vector<LoopRange> without_unit_loops(const std::vector<LoopRange>& loops,
                                                   Substitution& starts) {
    std::vector<LoopRange> others;
    for (const LoopRange& loop : loops) {
      if (is_one(loop.second.extent))
        starts[loop.first] = make_cast(loop.first.type(), substitute(loop.second.min, starts));
      else
        others.push_back(loop);
    }
    return others;
  }

  /// Each read by one box, where it happens.
  bool all_written(const std::vector<Access>& all, const Written& written, const Analyzer& facts) const {
    for (const Access& access : all) {
      if (access.write || !(access.each.buffer == buffer_)) continue;
      Analyzer there = facts;
      for (const Expr& condition : access.conditions) there.assume(condition);
      const BufferRegion read =
          access.conditions.empty() ? access.touched().region : access.touched_under_conditions().region;
      if (is_in_one(read, written, there)) continue;
      if (std::none_of(written.instances.begin(), written.instances.end(),
                       [&](const Access& write) { return has_instance(access, write); }))
        return false;
    }
    return true;
  }

  static bool is_in_one(const BufferRegion& read, const Written& written, const Analyzer& facts) {
    return std::any_of(written.boxes.begin(), written.boxes.end(), [&](const Box& box) {
      return std::all_of(box.conditions.begin(), box.conditions.end(),
                         [&](const Expr& condition) { return facts.proves(condition); }) &&
             contains(box.region, read, facts) == Proof::proved;
    });
  }

  /// Statements in statements ask for the same again, each with what is around it. The loops around count for
  /// stores that go on from the buffer only; without these, the facts say it all.
  bool covered_from_inside(const Stmt& s, const Place& place) const {
    if (goes_on_from_buffer(s)) return parts_are_covered(s, {}, place);
    AskedAbout about{AskedAbout::What::own_writes};
    about.buffer = buffer_;
    about.statement = s;
    return remembered_analysis<bool>(place.facts.facts(), about, steps_of_an_analysis,
                                     [&] { return parts_are_covered(s, {}, place); });
  }

  bool goes_on_from_buffer(const Stmt& s) const {
    bool found = false;
    visit_stmts(s, [&](const Stmt& part) {
      const auto* store = part.as<Store>();
      if (found || store == nullptr || store->buffer != buffer_) return;
      for_each_child(part, [&](const Expr& e) { found = found || reads_buffer(e); }, [](const Stmt&) {});
    });
    return found;
  }

  /// The reads of s as a whole are not covered from before; those of each part may be covered from inside.
  bool parts_are_covered(const Stmt& s, Written written, const Place& place) const {
    const Analyzer& facts = place.facts;
    return std::visit(
        overloaded{[&](const For& loop) {
                     if (reads_buffer(loop.min) || reads_buffer(loop.extent)) return false;
                     Written before = written;
                     return visit(loop.body, written, place.inside(loop), true) ||
                            fills_once(loop, std::move(before), place);
                   },
                   [&](const If& branch) {
                     if (reads_buffer(branch.condition)) return false;
                     Written other = written;
                     return visit(branch.then_case, written, place.with(where(facts, branch.condition)),
                                  true) &&
                            (!branch.else_case.defined() || visit(branch.else_case, other, place, true));
                   },
                   [&](const LetStmt& let) {
                     if (reads_buffer(let.value)) return false;
                     return visit(let.body, written, place.with(inside(facts, let)), true);
                   },
                   [&](const Allocate& allocate) { return visit(allocate.body, written, place, true); },
                   [&](const DeclareBuffer& declare) { return visit(declare.body, written, place, true); },
                   [&](const Block& block) {
                     if (block.init.defined() || !block.matches.empty()) return false;
                     if (block.predicate.defined() && reads_buffer(block.predicate)) return false;
                     Substitution bindings;
                     for (const BlockIterator& iterator : block.iterators) {
                       if (reads_buffer(iterator.binding)) return false;
                       bindings.emplace(iterator.var, make_cast(iterator.var.type(), iterator.binding));
                     }
                     const Analyzer runs = block.predicate.defined() ? where(facts, block.predicate) : facts;
                     return visit(substitute(block.body, bindings), written, place.with(runs), true);
                   },
                   [&](const Store& store) {
                     return store.buffer == buffer_ && loops_have_written(s, written, place);
                   },
                   [](const auto&) { return false; }},
        s.variant());
  }

  /// The reads of a store inside loops, each by what was written before the loops and in their earlier
  /// iterations. Asked only of stores that go on from the buffer that they write, as scans do: the boxes of
  /// earlier iterations are dear.
  bool loops_have_written(const Stmt& store, const Written& written, const Place& place) const {
    if (place.loops.empty()) return false;
    for (const Access& access : each_access(store, place.facts)) {
      if (access.write || access.each.buffer != buffer_) continue;
      const BufferRegion& read = access.inner.empty() ? access.each : access.touched().region;
      if (access.opaque || !was_written(read, written, place.with(access.facts), place.loops.size()))
        return false;
    }
    return true;
  }

  /// The rule for serial loops, the innermost of `loops` first. An iteration i of a loop that starts at a is
  /// either the first one, and then what was written before it was written before the loop or in an iteration
  /// of a loop around; or i > a, and then the iterations a, …, i - 1 have run before: what a loop over
  /// [a, i) writes for certain has been written. That loop is a copy with variables of its own, for what
  /// `place` knows of the loops inside holds in this iteration only. Conditions on memory are not in `place`
  /// (inside.h).
  bool was_written(const BufferRegion& read, const Written& written, const Place& place,
                   std::size_t loops) const {
    if (is_in_one(read, written, place.facts)) return true;
    if (loops == 0) return false;
    const For& loop = place.loops[loops - 1];
    const Expr goes_on = loop.var > loop.min;
    const Proof proof = reads_memory(loop.min) ? Proof::unknown : place.facts.prove(goes_on);
    if (proof != Proof::refuted) {
      const Place later = place.with(where(place.facts, goes_on));
      Written more = written;
      add_earlier(more, loop, later.facts);
      if (!was_written(read, more, later, loops - 1)) return false;
    }
    return proof == Proof::proved ||
           was_written(read, written, place.with(where(place.facts, equals(loop.var, loop.min))), loops - 1);
  }

  /// What the iterations before this one have written for certain.
  void add_earlier(Written& written, const For& loop, const Analyzer& facts) const {
    const bool in_turn = loop.kind == ForKind::serial || loop.kind == ForKind::unrolled;
    if (!in_turn || reads_memory(loop.min)) return;
    For earlier = loop;
    earlier.var = Var(loop.var.name(), loop.var.type());
    earlier.extent = loop.var - loop.min;
    earlier.body = substitute(fresh_copy(loop.body), loop.var, earlier.var);
    for (const Touched& write : accesses_of(buffer_, earlier, facts).writes)
      if (write.region.buffer == buffer_ && write.exact) add(written, write, facts);
  }

  /// Whether what the first iteration alone writes, under a guard such as i == 0, covers what all of them
  /// read.
  bool fills_once(const For& loop, Written written, const Place& place) const {
    return has_equality(loop.body) &&
           visit(substitute(loop.body, loop.var, make_cast(loop.var.type(), loop.min)), written, place,
                 false) &&
           visit(loop.body, written, place.inside(loop), true);
  }

  /// Whether a condition or a predicate in s compares for equality: worth a second look.
  static bool has_equality(const Stmt& s) {
    bool found = false;
    const auto look = [&](const Expr& condition) {
      if (!condition.defined()) return;
      visit_exprs(condition, [&](const Expr& e) {
        const auto* node = e.as<Binary>();
        found = found || (node != nullptr && node->op == BinaryOp::eq);
      });
    };
    visit_stmts(s, [&](const Stmt& part) {
      if (const auto* branch = part.as<If>()) look(branch->condition);
      if (const auto* block = part.as<Block>()) look(block->predicate);
    });
    return found;
  }

  bool reads_buffer(const Expr& e) const {
    return any_expr(e, [&](const Expr& part) {
      const auto* load = part.as<Load>();
      return load != nullptr && load->buffer == buffer_;
    });
  }

  /// Whether a block in s says that it reads the buffer, or code outside of blocks does.
  bool holds_read(const Stmt& s) const {
    bool found = false;
    visit_stmts(s, [&](const Stmt& part) {
      const auto* block = part.as<Block>();
      if (block == nullptr || !block->reads) return;
      found = found || std::any_of(block->reads->begin(), block->reads->end(),
                                   [&](const BufferRegion& region) { return region.buffer == buffer_; });
    });
    return found || reads_outside_of_blocks(s);
  }

  bool reads_outside_of_blocks(const Stmt& s) const {
    if (!s.defined() || s.is<Block>()) return false;
    bool found = false;
    for_each_child(
        s, [&](const Expr& e) { found = found || (e.defined() && reads_buffer(e)); },
        [&](const Stmt& part) { found = found || reads_outside_of_blocks(part); });
    return found;
  }

  const Buffer& buffer_;
};

/// Whether a block in s initialises the buffer in one iteration of a loop around s and goes on in the next
/// ones. Its declared reads do not list what it updates.
bool carries_an_init(const Stmt& s, const Buffer& buffer, std::unordered_set<Var> around) {
  bool carried = false;
  const auto follows = [&](const Expr& e) {
    const std::vector<Var> free = free_variables(e);
    return std::any_of(free.begin(), free.end(), [&](const Var& v) { return around.contains(v); });
  };
  visit_stmts(s, [&](const Stmt& x) {
    const auto* block = x.as<Block>();
    if (block == nullptr) return;
    const std::vector<Buffer> set = block->init.defined() ? buffers_in(block->init) : std::vector<Buffer>{};
    const bool sets_buffer = std::find(set.begin(), set.end(), buffer) != set.end();
    for (const BlockIterator& iterator : block->iterators) {
      if (!follows(iterator.binding)) continue;
      around.insert(iterator.var);
      carried = carried || (sets_buffer && iterator.kind == IteratorKind::reduce);
    }
  });
  return carried;
}

}  // namespace

bool reads_only_own_writes(const Stmt& s, const Buffer& buffer, const std::unordered_set<Var>& loops_around,
                           const Analyzer& facts) {
  // A GPU's sums of windows in three dimensions need 300,000 steps, and without this answer they have no
  // place.
  const Question question(3 * steps_of_an_analysis);
  Coverage::Written written;
  return !carries_an_init(s, buffer, loops_around) && Coverage(buffer).visit(s, written, {facts}, true) &&
         !Question::is_exhausted();
}

}  // namespace ardea::arith
