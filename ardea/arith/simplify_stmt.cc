#include "ardea/arith/analyzer.h"
#include "ardea/arith/inside.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/pragmas.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/overloaded.h"

namespace ardea::arith {

namespace {

class StmtSimplifier {
 public:
  StmtSimplifier(bool drop_unit_loops, const Shortcut& shortcut)
      : drop_unit_loops_(drop_unit_loops), shortcut_(shortcut) {}

  Stmt simplify(const Stmt& s, const Analyzer& facts) const {
    return std::visit(overloaded{
                          [&](const For& loop) { return simplify_for(s, loop, facts); },
                          [&](const If& branch) { return simplify_if(s, branch, facts); },
                          [&](const Seq& seq) { return simplify_seq(s, seq, facts); },
                          [&](const LetStmt& let) { return simplify_let(s, let, facts); },
                          [&](const Block& block) { return simplify_block(s, block, facts); },
                          [&](const Assert& check) {
                            return facts.proves(check.condition) ? make_no_op() : parts(s, facts);
                          },
                          [&](const Evaluate& e) {
                            return is_no_op(s) || has_effect(e.value) ? parts(s, facts) : make_no_op();
                          },
                          [&](const Allocate&) { return used(parts(s, facts)); },
                          [&](const DeclareBuffer&) { return used(parts(s, facts)); },
                          [&](const auto&) { return parts(s, facts); },
                      },
                      s.variant());
  }

 private:
  Stmt parts(const Stmt& s, const Analyzer& facts) const {
    return map_children(s, {.expr =
                                [&](const Expr& e) {
                                  std::optional<Expr> short_form = shortcut_ ? shortcut_(e) : std::nullopt;
                                  return short_form ? *std::move(short_form) : facts.simplify(e);
                                },
                            .stmt = [&](const Stmt& part) { return simplify(part, facts); }});
  }

  /// Memory that nothing is done with, or that is only written, is none.
  static Stmt used(const Stmt& s) {
    const auto* memory = s.as<Allocate>();
    if (is_no_op(memory != nullptr ? memory->body : s.as<DeclareBuffer>()->body)) return make_no_op();
    return memory != nullptr && is_only_written(*memory) ? make_no_op() : s;
  }

  /// Whether all that happens while the memory lives are stores to it.
  static bool is_only_written(const Allocate& memory) {
    bool only = true;
    visit_stmts(memory.body, [&](const Stmt& part) {
      const auto* store = part.as<Store>();
      only = only && !part.is<Evaluate>() && !part.is<Assert>() && !part.is<Block>() &&
             !part.is<Allocate>() && (store == nullptr || store->buffer->data == memory.data);
    });
    return only && !any_expr(memory.body,
                             [](const Expr& e) { return e.is<Load>() || (e.is<Call>() && has_effect(e)); });
  }

  // What holds now and goes on to hold: a condition on memory may be overwritten by what it guards.
  static void assume_lasting(Analyzer& facts, const Expr& condition) {
    if (const auto* both = condition.as<Binary>(); both && both->op == BinaryOp::logical_and) {
      assume_lasting(facts, both->left);
      assume_lasting(facts, both->right);
    } else if (!reads_memory(condition)) {
      facts.assume(condition);
    }
  }

  Stmt simplify_for(const Stmt& s, const For& loop, const Analyzer& facts) const {
    const Expr min = facts.simplify(loop.min), extent = facts.simplify(loop.extent);
    if (facts.proves(make_binary(BinaryOp::le, extent, make_int(0, extent.type())))) return make_no_op();
    const bool is_thread = loop.kind == ForKind::thread_binding || loop.kind == ForKind::virtual_thread;
    if (drop_unit_loops_ && !is_thread && is_one(extent))
      return simplify(hand_down_pragmas(loop.annotations, substitute(loop.body, loop.var, min)), facts);
    For named = loop;
    named.min = min, named.extent = extent;
    const Stmt body = simplify(loop.body, inside(facts, named));
    if (is_no_op(body)) return body;
    if (min == loop.min && extent == loop.extent && body == loop.body) return s;
    For result = loop;
    result.min = min, result.extent = extent, result.body = body;
    return result;
  }

  Stmt simplify_if(const Stmt& s, const If& branch, const Analyzer& facts) const {
    const Expr condition = facts.simplify(branch.condition);
    if (const auto value = constant_int(condition)) {
      const Stmt& chosen = *value ? branch.then_case : branch.else_case;
      return chosen.defined() ? simplify(chosen, facts) : make_no_op();
    }
    Analyzer when_true = facts, when_false = facts;
    assume_lasting(when_true, condition);
    if (!reads_memory(condition)) when_false.assume(logical_not(condition));
    const Stmt then_case = simplify(branch.then_case, when_true);
    const Stmt else_case = branch.else_case.defined() ? simplify(branch.else_case, when_false) : Stmt();
    const bool nothing_else = !else_case.defined() || is_no_op(else_case);
    if (is_no_op(then_case) && nothing_else && !has_effect(condition)) return then_case;
    if (condition == branch.condition && then_case == branch.then_case && else_case == branch.else_case)
      return s;
    return make_if(condition, then_case, nothing_else ? Stmt() : else_case);
  }

  Stmt simplify_seq(const Stmt& s, const Seq& seq, Analyzer facts) const {
    std::vector<Stmt> statements;
    bool changed = false;
    for (const Stmt& statement : seq.statements) {
      const Stmt result = simplify(statement, facts);
      changed = changed || result != statement || is_no_op(result);
      if (!is_no_op(result)) statements.push_back(result);
      // What comes after an assertion runs only where it held.
      if (const auto* check = result.as<Assert>()) assume_lasting(facts, check->condition);
    }
    return changed ? make_seq(std::move(statements)) : s;
  }

  Stmt simplify_let(const Stmt& s, const LetStmt& let, const Analyzer& facts) const {
    const Expr value = facts.simplify(let.value);
    if (value.is<IntImm>() || value.is<FloatImm>() || value.is<VarNode>())
      return simplify(substitute(let.body, let.var, value), facts);
    Analyzer inside = facts;
    if (reads_memory(value))
      inside.data(let.var);
    else
      inside.define(let.var, value);
    const Stmt body = simplify(let.body, inside);
    if (is_no_op(body) && !has_effect(value)) return body;
    return value == let.value && body == let.body ? s : Stmt(LetStmt{let.var, value, body});
  }

  Stmt simplify_block(const Stmt& s, const Block& block, const Analyzer& facts) const {
    Analyzer inside = facts;
    Block result = block;
    bool changed = false;
    const auto update = [&](Expr& e, const Analyzer& known) {
      if (!e.defined()) return;
      const Expr simple = known.simplify(e);
      changed = changed || simple != e;
      e = simple;
    };
    const auto update_region = [&](BufferRegion& region) {
      for (Range& range : region.region) update(range.min, inside), update(range.extent, inside);
    };
    for (BlockIterator& iterator : result.iterators) {
      update(iterator.domain.min, facts), update(iterator.domain.extent, facts),
          update(iterator.binding, facts);
      inside.bind(iterator.var, iterator.domain);
    }
    update(result.predicate, facts);
    for (auto* regions : {&result.reads, &result.writes})
      if (*regions)
        for (BufferRegion& region : **regions) update_region(region);
    for (MatchBuffer& match : result.matches) update_region(match.source);
    if (block.init.defined()) result.init = simplify(block.init, inside);
    result.body = simplify(block.body, inside);
    changed = changed || result.init != block.init || result.body != block.body;
    return changed ? Stmt(std::move(result)) : s;
  }

  bool drop_unit_loops_;
  const Shortcut& shortcut_;
};

}  // namespace

Stmt simplify(const Stmt& s, const Analyzer& facts, bool drop_unit_loops, const Shortcut& shortcut) {
  return StmtSimplifier(drop_unit_loops, shortcut).simplify(s, facts);
}

}  // namespace ardea::arith
