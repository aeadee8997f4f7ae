#include <string_view>
#include <unordered_set>

#include "ardea/arith/regions_conditions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/arith/verify_laws.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/overloaded.h"

namespace ardea::arith {

namespace {

/// Everything around a statement, up to the function: iterators are replaced by their bindings, so that only
/// loops that really run count.
struct Path {
  Analyzer facts;
  std::vector<LoopRange> loops = {};
  Substitution values = {};
  bool certain = true;  ///< every iteration of the loops comes here
  bool dead = false;

  void enter_loop(const Var& var, const Range& range) {
    const Proof runs = facts.prove(as_index(range.extent) >= make_int(1));
    facts.bind(var, range);
    loops.emplace_back(var, range);
    certain = certain && runs == Proof::proved;
    dead = dead || runs == Proof::refuted;
  }
  void require(const std::vector<Expr>& parts) {
    for (const Expr& part : parts) {
      const Expr condition = substitute(part, values);
      const Proof proof = facts.prove(condition);
      dead = dead || proof == Proof::refuted;
      if (proof != Proof::unknown) continue;
      facts.assume(condition);
      certain = false;
    }
  }
};

class RangeCheck {
 public:
  RangeCheck(const Analyzer& facts, const Unchanged& known, Report& report)
      : facts_(facts), known_(known), report_(report) {}

  void visit(const Stmt& s, Path path) {
    if (!s.defined() || path.dead || known_.contains(s)) return;
    statement_ = s;
    std::visit(overloaded{
                   [&](const Store& node) {
                     access(node.buffer, node.indices, node.predicate, "writes", path);
                     for (const Expr& index : node.indices) visit(index, path);
                     visit(node.predicate, path);
                     visit(node.value, path);
                   },
                   [&](const For& node) {
                     visit(node.min, path);
                     visit(node.extent, path);
                     path.enter_loop(
                         node.var, {substitute(node.min, path.values), substitute(node.extent, path.values)});
                     visit(node.body, std::move(path));
                   },
                   [&](const If& node) {
                     visit(node.condition, path);
                     Path otherwise = path;
                     path.require(conjuncts(node.condition));
                     otherwise.require(conjuncts_of_negation(node.condition));
                     visit(node.then_case, std::move(path));
                     visit(node.else_case, std::move(otherwise));
                   },
                   [&](const Seq& node) {
                     for (const Stmt& statement : node.statements) {
                       visit(statement, path);
                       if (const auto* check = statement.as<Assert>())
                         path.require(conjuncts(check->condition));
                     }
                   },
                   [&](const LetStmt& node) {
                     visit(node.value, path);
                     if (is_number(node)) path.values[node.var] = substitute(node.value, path.values);
                     visit(node.body, std::move(path));
                   },
                   [&](const Block& node) { block(node, path); },
                   [&](const auto&) {
                     for_each_child(
                         s, [&](const Expr& e) { visit(e, path); },
                         [&](const Stmt& part) { visit(part, path); });
                   },
               },
               s.variant());
  }

 private:
  /// The name of a memory is no number; and of what an intrinsic says, such as the extents of a tensor that
  /// is handed in, arithmetic knows nothing: it can order and bound the name.
  static bool is_number(const LetStmt& let) {
    const auto* call = let.value.as<Call>();
    return !let.var.type().is_handle() && (call == nullptr || call->op->name == "if_then_else");
  }

  void block(const Block& node, Path& path) {
    for (const BlockIterator& i : node.iterators) visit(i.binding, path);
    visit(node.predicate, path);
    if (is_in_range_throughout(node)) return;
    if (node.predicate.defined() && path.facts.prove(node.predicate) == Proof::refuted)
      return;  // it never runs
    path.require(conjuncts(node.predicate));
    for (const BlockIterator& i : node.iterators) path.values[i.var] = substitute(i.binding, path.values);
    Path init = path;
    for (const BlockIterator& i : node.iterators)
      if (i.kind == IteratorKind::reduce) init.require({equals(as_index(i.var), as_index(i.domain.min))});
    visit(node.init, std::move(init));
    visit(node.body, std::move(path));
  }

  /// Whether every access in the block is inside its buffer for all values of its iterators, whatever the
  /// loops around: so it is for nearly all blocks, and asked after every step it is answered from memory.
  /// (That bindings stay in the domains is a law that was looked at before.)
  bool is_in_range_throughout(const Block& node) const {
    const Analyzer inside = facts_inside(node, facts_);
    bool all = true;
    const auto check = [&](const Buffer& buffer, const std::vector<Expr>& indices) {
      for (std::size_t d = 0; all && d < indices.size(); ++d) {
        const Expr &index = indices[d], extent = as_index(buffer->shape[d]);
        all = index.type().is_scalar() && inside.proves(as_index(index) >= make_int(0)) &&
              inside.proves(as_index(index) < extent);
      }
    };
    for (const Stmt& part : {node.init, node.body}) {
      if (!part.defined()) continue;
      visit_stmts(part, [&](const Stmt& s) {
        if (const auto* store = s.as<Store>()) check(store->buffer, store->indices);
      });
      visit_exprs(part, [&](const Expr& e) {
        if (const auto* load = e.as<Load>()) check(load->buffer, load->indices);
      });
    }
    return all;
  }

  void visit(const Expr& e, const Path& path) {
    if (!e.defined() || e.is<VarNode>() || e.is<IntImm>()) return;  // most bounds and bindings
    std::unordered_set<Expr> done;
    visit(e, path, done);
  }

  void visit(const Expr& e, const Path& path, std::unordered_set<Expr>& done) {
    if (!e.defined() || path.dead || !done.insert(e).second) return;
    const auto* binary = e.as<Binary>();
    const auto* call = e.as<Call>();
    const std::string_view name = call == nullptr ? "" : std::string_view(call->op->name);
    if (name == "prefetch") return;  // a hint
    if (name == "if_then_else") {
      visit(call->arguments[0], path, done);
      choose(call->arguments[0], call->arguments[1], call->arguments[2], path);
    } else if (name == "async_copy_or_zero") {  // (to, from, count, condition)
      visit(call->arguments[0], path, done);
      visit(call->arguments[3], path, done);
      choose(call->arguments[3], call->arguments[1], {}, path);
    } else if (binary != nullptr && e.type() == boolean && binary->op == BinaryOp::logical_and) {
      visit(binary->left, path, done);
      choose(binary->left, binary->right, {}, path);
    } else if (binary != nullptr && e.type() == boolean && binary->op == BinaryOp::logical_or) {
      visit(binary->left, path, done);
      choose(binary->left, {}, binary->right, path);
    } else if (const auto* let = e.as<Let>()) {
      visit(let->value, path, done);
      Path inner = path;
      inner.values[let->var] = substitute(let->value, path.values);
      visit(let->body, inner);
    } else {
      if (const auto* load = e.as<Load>())
        access(load->buffer, load->indices, load->predicate, "reads", path);
      for_each_child(e, [&](const Expr& part) { visit(part, path, done); });
    }
  }

  void choose(const Expr& condition, const Expr& when_true, const Expr& when_false, const Path& path) {
    Path yes = path, no = path;
    yes.require(conjuncts(condition));
    no.require(conjuncts_of_negation(condition));
    visit(when_true, yes);
    visit(when_false, no);
  }

  void access(const Buffer& buffer, const std::vector<Expr>& indices, const Expr& predicate, const char* verb,
              Path path) {
    std::int64_t lanes = 1;
    for (const Expr& index : indices) lanes = std::max<std::int64_t>(lanes, index.type().lanes);
    const Var lane("lane");
    if (lanes > 1) path.enter_loop(lane, {make_int(0), make_int(lanes)});
    // A mask may be a variable, and only a part of it may be readable.
    if (predicate.defined())
      for (const Expr& part : conjuncts(substitute(predicate, path.values))) {
        if (const Expr holds = one_lane(part, lane); holds.defined())
          path.require(conjuncts(holds));
        else
          path.certain = false;
      }
    if (path.dead) return;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const Expr index = one_lane(substitute(indices[d], path.values), lane);
      if (!index.defined() || !dimension(buffer, d, as_index(substitute(index, path.values)), path)) continue;
      const SymbolicBounds bounds = path.facts.bounds(as_index(substitute(index, path.values)));
      report_.add("out_of_range",
                  "`{}` {} outside {}: its index {} in dimension {} {}, but the extent there is {}; shorten "
                  "the loop, "
                  "enlarge the buffer, or guard the access",
                  brief(statement_), verb, buffer->name, print(indices[d]), d + 1,
                  bounds.low.defined() && bounds.high.defined()
                      ? fmt::format("runs from {} to {}", print(path.facts.simplify(bounds.low)),
                                    print(path.facts.simplify(bounds.high)))
                      : "is never inside",
                  print(buffer->shape[d]));
      return;
    }
  }

  /// Whether the index certainly leaves [0, extent): in every iteration, or in one that certainly comes.
  static bool dimension(const Buffer& buffer, std::size_t d, const Expr& index, const Path& path) {
    const Expr extent = as_index(buffer->shape[d]), zero = make_int(0);
    if (path.facts.prove(index >= zero) == Proof::refuted ||
        path.facts.prove(index < extent) == Proof::refuted)
      return true;
    if (!path.certain || !linear_coefficients(index, path.loops, path.facts)) return false;
    // A linear index reaches its bounds where the loops are a box and all of it runs.
    std::vector<Var> vars;
    for (const auto& [var, range] : path.loops) {
      if (uses_any(range.min, path.loops) || uses_any(range.extent, path.loops)) return false;
      vars.push_back(var);
    }
    const SymbolicBounds bounds = path.facts.bounds(index, vars);
    return (bounds.low.defined() && path.facts.proves(as_index(bounds.low) < zero)) ||
           (bounds.high.defined() && path.facts.proves(as_index(bounds.high) >= extent));
  }

  const Analyzer facts_;  ///< of the function
  const Unchanged& known_;
  Report& report_;
  Stmt statement_;
};

}  // namespace

void check_ranges(const Function& f, const Unchanged& known, Report& report) {
  const Analyzer facts = facts_of(f);
  RangeCheck(facts, known, report).visit(f.body, Path{.facts = facts});
}

}  // namespace ardea::arith
