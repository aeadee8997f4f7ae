#include <algorithm>
#include <optional>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/movable.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

/// Dearer than the name that it would get: divisions (fused loops are full of them), approximate functions
/// and other calls. Sums and products stay: addressing absorbs them, every C compiler moves what is left, and
/// a formula reads better than a chain of names. Loads stay: what is read where is the backends' business.
bool is_dear(const Expr& e) {
  if (is_integer_division(e)) return true;
  if (const auto* binary = e.as<Binary>()) return binary->op == BinaryOp::div;
  const auto* call = e.as<Call>();
  return call != nullptr && call->op->name != "likely" && call->op->name != "reinterpret";
}

/// The conjuncts of a condition, in order.
void conjuncts(const Expr& condition, std::vector<Expr>& out) {
  const auto* both = condition.as<Binary>();
  if (both == nullptr || both->op != BinaryOp::logical_and || condition.type().is_vector()) {
    out.push_back(condition);
    return;
  }
  conjuncts(both->left, out);
  conjuncts(both->right, out);
}

Expr conjunction(const std::vector<Expr>& conditions) {
  Expr all = conditions.front();
  for (std::size_t i = 1; i < conditions.size(); ++i) all = logical_and(all, conditions[i]);
  return all;
}

class Hoisting {
 public:
  explicit Hoisting(const Function& f) : movable_(f) {}

  Stmt run(const Stmt& body) {
    open(false);
    return close(visit(body));
  }

 private:
  /// A place where lets can stand: before everything in the body of a loop, of a let, or of a branch.
  struct Place {
    bool is_loop = false;    ///< the body of a loop
    std::size_t branch = 0;  ///< the innermost place that is in a branch: no call leaves it
    std::vector<std::pair<Var, Expr>> lets = {};
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_hash = {};  ///< positions in `lets`
  };

  void open(bool is_loop) { places_.push_back({is_loop, places_.empty() ? 0 : places_.back().branch}); }

  /// The body in the lets that were moved before it.
  Stmt close(Stmt body) {
    std::vector<std::pair<Var, Expr>> lets = std::move(places_.back().lets);
    places_.pop_back();
    for (std::size_t i = lets.size(); i-- > 0;) body = LetStmt{lets[i].first, lets[i].second, body};
    return body;
  }

  Stmt visit(const Stmt& s) {
    if (const auto* loop = s.as<For>()) return visit_loop(s, *loop);
    if (const auto* let = s.as<LetStmt>()) {
      const Expr value = moved(let->value);
      open(false);
      depth_[let->var] = places_.size() - 1;
      const Stmt body = close(visit(let->body));
      return value == let->value && body == let->body ? s : Stmt(LetStmt{let->var, value, body});
    }
    if (const auto* branch = s.as<If>()) {
      const Expr condition = moved(branch->condition);
      const Stmt then_case = visit_branch(branch->then_case), else_case = visit_branch(branch->else_case);
      const bool same =
          condition == branch->condition && then_case == branch->then_case && else_case == branch->else_case;
      return same ? s : Stmt(If{condition, then_case, else_case});
    }
    return map_children(s, Mapper{.expr = [&](const Expr& e) { return moved(e); },
                                  .stmt = [&](const Stmt& part) { return visit(part); }});
  }

  Stmt visit_branch(const Stmt& s) {
    if (!s.defined()) return s;
    open(false);
    places_.back().branch = places_.size() - 1;
    return close(visit(s));
  }

  Stmt visit_loop(const Stmt& s, const For& loop) {
    if (const std::optional<Stmt> split = condition_outside(loop)) return visit(*split);
    For out = loop;
    out.min = moved(loop.min);
    out.extent = moved(loop.extent);
    open(true);
    depth_[loop.var] = places_.size() - 1;
    out.body = close(visit(loop.body));
    if (const std::optional<Stmt> split = condition_outside(out)) return *split;
    return out.min == loop.min && out.extent == loop.extent && out.body == loop.body ? s : Stmt(out);
  }

  /// for i: if c and d(i): S   ⇒   if c: for i: if d(i): S
  std::optional<Stmt> condition_outside(const For& loop) {
    const auto* branch = loop.body.as<If>();
    if (branch == nullptr || has_effect(loop.min) || has_effect(loop.extent)) return std::nullopt;
    std::vector<Expr> all, outside, inside;
    conjuncts(branch->condition, all);
    for (const Expr& condition : all)
      (!uses(condition, loop.var) && movable_.anywhere(condition) ? outside : inside).push_back(condition);
    if (outside.empty() || (branch->else_case.defined() && !inside.empty())) return std::nullopt;
    For when_true = loop;
    when_true.body = inside.empty() ? branch->then_case : make_if(conjunction(inside), branch->then_case);
    Stmt otherwise;
    if (branch->else_case.defined()) {
      For when_false = loop;
      when_false.var = Var(loop.var.name(), loop.var.type());
      when_false.body = substitute(branch->else_case, loop.var, when_false.var);
      otherwise = when_false;
    }
    return make_if(conjunction(outside), when_true, otherwise);
  }

  /// e with names for its dear parts that a loop around does not change.
  Expr moved(const Expr& e) {
    if (!e.defined() || e.is<VarNode>() || e.is<IntImm>() || e.is<FloatImm>()) return e;
    if (is_dear(e) && movable_.anywhere(e))
      if (const std::optional<std::size_t> place = place_for(e)) return name_of(e, *place);
    // What is evaluated only sometimes is not worth being evaluated always.
    const auto* call = e.as<Call>();
    const auto* binary = e.as<Binary>();
    const bool lazy =
        (call != nullptr && call->op->name == "if_then_else") ||
        (binary != nullptr && (binary->op == BinaryOp::logical_and || binary->op == BinaryOp::logical_or));
    if (lazy || e.is<Let>()) return e;
    return map_children(e, Mapper{.expr = [&](const Expr& part) { return moved(part); }});
  }

  /// The place for a let with e: inside the innermost loop or branch that e needs, if a loop lies between it
  /// and here.
  std::optional<std::size_t> place_for(const Expr& e) const {
    std::size_t known = 0;  // the outermost place where all variables of e are known
    bool has_call = false, has_handle = false;
    visit_exprs(e, [&](const Expr& part) {
      has_call = has_call || part.is<Call>();
      has_handle = has_handle || part.type().is_handle();
      if (!part.is<VarNode>()) return;
      if (const auto found = depth_.find(Var(part)); found != depth_.end())
        known = std::max(known, found->second);
    });
    if (has_handle) return std::nullopt;
    // What a condition guards may never be wanted: a division costs less than asking for it in each iteration
    // of a loop around the condition, a call does not.
    const std::size_t inside = std::max(known, places_.back().branch);
    if (!has_call && has_loop(known, inside + 1)) return before_next_loop(known);
    return has_loop(inside, places_.size()) ? std::optional(before_next_loop(inside)) : std::nullopt;
  }

  /// The innermost place that no loop lies between: what stands there is inside all branches around the loop.
  std::size_t before_next_loop(std::size_t place) const {
    while (!places_[place + 1].is_loop) ++place;
    return place;
  }

  /// Whether one of the places after `place`, up to `end`, is the body of a loop.
  bool has_loop(std::size_t place, std::size_t end) const {
    for (std::size_t i = place + 1; i < end; ++i)
      if (places_[i].is_loop) return true;
    return false;
  }

  Expr name_of(const Expr& e, std::size_t place) {
    Place& at = places_[place];
    std::vector<std::size_t>& alike = at.by_hash[structural_hash(e)];
    for (const std::size_t i : alike)
      if (structurally_equal(at.lets[i].second, e)) return at.lets[i].first;
    alike.push_back(at.lets.size());
    at.lets.emplace_back(Var("invariant_" + std::to_string(++count_), e.type()), e);
    return at.lets.back().first;
  }

  Movable movable_;
  std::vector<Place> places_;
  std::unordered_map<Var, std::size_t> depth_;  ///< the place in which a variable is known
  int count_ = 0;
};

}  // namespace

Function hoist_invariants(const Function& f, const target::Target&) {
  Function out = f;
  out.body = Hoisting(f).run(f.body);
  return out;
}

}  // namespace ardea::lower
