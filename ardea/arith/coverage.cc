#include "ardea/arith/coverage.h"

#include <algorithm>

#include "ardea/arith/inside.h"
#include "ardea/arith/regions.h"
#include "ardea/arith/work.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/overloaded.h"

namespace ardea::arith {

namespace {

/// Walks in the order of execution with the boxes that have been written for certain.
class Coverage {
 public:
  explicit Coverage(const Buffer& buffer) : buffer_(buffer) {}

  using Boxes = std::vector<BufferRegion>;

  /// Whether every read in s is covered; what s writes for certain is added, unless it is the last that
  /// anybody asks about.
  bool visit(const Stmt& s, Boxes& written, const Analyzer& facts, bool is_last) const {
    if (const auto* seq = s.as<Seq>()) {
      for (const Stmt& part : seq->statements)
        if (!visit(part, written, facts, is_last && part == seq->statements.back())) return false;
      return true;
    }
    // Boxes of a whole nest are dear: where nothing is written yet, a read can be covered from inside only.
    const bool from_inside = written.empty() && declares_read(s);
    if (from_inside && !parts_are_covered(s, written, facts)) return false;
    if (from_inside && is_last) return true;
    const Accesses touched = accesses_of(buffer_, s, facts);
    if (!from_inside && !all_written(touched.reads, written, facts) && !parts_are_covered(s, written, facts))
      return false;
    for (const Touched& write : touched.writes)
      if (write.region.buffer == buffer_ && write.exact) add(written, write, facts);
    return true;
  }

 private:
  /// Also the box of both where it lies directly beside one before, as the parts of a loop that was cut do.
  static void add(Boxes& written, const Touched& write, const Analyzer& facts) {
    const std::size_t before = written.size();
    written.push_back(write.region);
    for (std::size_t i = 0; i < before; ++i)
      if (const Touched both = unite({written[i], true}, write, facts); both.exact)
        written.push_back(both.region);
  }

  bool all_written(const std::vector<Touched>& reads, const Boxes& written, const Analyzer& facts) const {
    for (const Touched& read : reads) {
      if (read.region.buffer != buffer_) continue;
      const bool covered = std::any_of(written.begin(), written.end(), [&](const BufferRegion& box) {
        return contains(box, read.region, facts) == Proof::proved;
      });
      if (!covered) return false;
    }
    return true;
  }

  /// The reads of s as a whole are not covered from before; those of each part may be covered from inside.
  bool parts_are_covered(const Stmt& s, Boxes written, const Analyzer& facts) const {
    return std::visit(
        overloaded{[&](const For& loop) {
                     if (reads_buffer(loop.min) || reads_buffer(loop.extent)) return false;
                     Boxes before = written;
                     return visit(loop.body, written, inside(facts, loop), true) ||
                            fills_once(loop, std::move(before), facts);
                   },
                   [&](const If& branch) {
                     if (reads_buffer(branch.condition)) return false;
                     Boxes other = written;
                     return visit(branch.then_case, written, facts, true) &&
                            (!branch.else_case.defined() || visit(branch.else_case, other, facts, true));
                   },
                   [&](const LetStmt& let) {
                     if (reads_buffer(let.value)) return false;
                     return visit(let.body, written, inside(facts, let), true);
                   },
                   [&](const Allocate& allocate) { return visit(allocate.body, written, facts, true); },
                   [&](const DeclareBuffer& declare) { return visit(declare.body, written, facts, true); },
                   [&](const Block& block) {
                     if (block.init.defined() || !block.matches.empty()) return false;
                     Substitution bindings;
                     for (const BlockIterator& iterator : block.iterators)
                       bindings.emplace(iterator.var, iterator.binding);
                     return visit(substitute(block.body, bindings), written, facts, true);
                   },
                   [](const auto&) { return false; }},
        s.variant());
  }

  /// Whether what the first iteration alone writes, under a guard such as i == 0, covers what all of them
  /// read.
  bool fills_once(const For& loop, Boxes written, const Analyzer& facts) const {
    return has_equality(loop.body) &&
           visit(substitute(loop.body, loop.var, make_cast(loop.var.type(), loop.min)), written, facts,
                 false) &&
           visit(loop.body, written, inside(facts, loop), true);
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
    const std::vector<Buffer> mentioned = buffers_in(e);
    return std::find(mentioned.begin(), mentioned.end(), buffer_) != mentioned.end();
  }

  /// Whether a block in s says that it reads the buffer.
  bool declares_read(const Stmt& s) const {
    bool found = false;
    visit_stmts(s, [&](const Stmt& part) {
      const auto* block = part.as<Block>();
      if (block == nullptr || !block->reads) return;
      found = found || std::any_of(block->reads->begin(), block->reads->end(),
                                   [&](const BufferRegion& region) { return region.buffer == buffer_; });
    });
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
  const Question question(steps_of_an_analysis);
  Coverage::Boxes written;
  return !carries_an_init(s, buffer, loops_around) && Coverage(buffer).visit(s, written, facts, true);
}

}  // namespace ardea::arith
