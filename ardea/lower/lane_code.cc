#include "ardea/lower/lane_code.h"

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/lane_memory.h"
#include "ardea/lower/lane_values.h"
#include "ardea/support/overloaded.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

std::vector<Expr> conjuncts(const Expr& condition) {
  if (const auto* call = condition.as<Call>(); call != nullptr && call->op->name == "likely")
    return conjuncts(call->arguments[0]);
  const auto* both = condition.as<Binary>();
  if (both == nullptr || both->op != BinaryOp::logical_and) return {condition};
  std::vector<Expr> all = conjuncts(both->left);
  for (const Expr& part : conjuncts(both->right)) all.push_back(part);
  return all;
}

Expr all_of(const std::vector<Expr>& conditions) {
  Expr all;
  for (const Expr& condition : conditions) all = all.defined() ? logical_and(all, condition) : condition;
  return all;
}

/// One nesting of scopes inside the loop: what holds there, which lanes run, and what a serial loop over the
/// lanes has to say again, because it stands outside of that loop in vector form.
class LaneScope {
 public:
  LaneScope(const LaneLoop& loop, const Analyzer& facts, const target::Target& target)
      : loop_(loop), values_(loop, target), facts_(facts) {
    facts_.bind(loop.var, {loop.first, make_int(loop.lanes, loop.var.type())});
    if (constant_int(loop.used) == loop.lanes) return;
    const DataType type = loop.used.type();
    const Expr numbers = make_ramp(make_int(0, type), make_int(1, type), loop.lanes);
    mask_ = {numbers < make_broadcast(loop.used, loop.lanes), true};
  }

  /// Nothing where the statement has no vector form, in whole or in part.
  std::optional<Stmt> visit(const Stmt& s) {
    return std::visit(overloaded{[&](const auto& node) { return visit_node(s, node); }}, s.variant());
  }

  /// The statement lane by lane.
  Stmt serial(Stmt s) const {
    for (std::size_t i = around_.size(); i-- > 0;) {
      const Around& a = around_[i];
      s = a.var.defined() ? Stmt(LetStmt{a.var, a.value, s}) : Stmt(If{a.value, s});
    }
    return fresh_copy(make_for(loop_.var, loop_.first, loop_.used, s));
  }

 private:
  struct Around {
    Var var;  ///< of a let; empty for a condition
    Expr value;
  };

  /// Whether a part of what is visited may become a loop of its own: not where something around it read
  /// memory, which may have been written since.
  bool can_split() const { return can_split_; }

  void surround(const Around& a) {
    around_.push_back(a);
    can_split_ = can_split_ && !reads_memory(a.value);
  }

  bool is_vector(const Expr& e) const { return values_.has_vector_form(e); }

  Stmt visit_or_serial(const Stmt& s) {
    const auto out = visit(s);
    return out ? *out : serial(s);
  }

  std::optional<Stmt> visit_node(const Stmt&, const Store& store) {
    if (store.predicate.defined() || store.indices.size() != 1 || !store.buffer->type.is_scalar())
      return std::nullopt;
    if (!is_vector(store.indices[0]) || !is_vector(store.value)) return std::nullopt;
    const Expr index = values_.at(store.indices[0], mask_, facts_);
    if (index.type().is_scalar()) return std::nullopt;  // one element for all lanes: the last one's value
    return make_store(store.buffer, {index}, values_.vector_at(store.value, mask_, facts_), mask_.lanes);
  }

  std::optional<Stmt> visit_node(const Stmt&, const Seq& seq) {
    std::vector<Stmt> parts, waiting;
    const auto flush = [&] {
      if (!waiting.empty()) parts.push_back(serial(make_seq(std::move(waiting))));
      waiting.clear();
    };
    bool any_vector = false, any_serial = false;
    for (const Stmt& part : seq.statements) {
      if (const auto out = visit(part)) {
        flush();
        parts.push_back(*out);
        any_vector = true;
      } else {
        waiting.push_back(part);
        any_serial = true;
      }
    }
    if (!any_vector || (any_serial && !can_split())) return std::nullopt;
    flush();
    return make_seq(std::move(parts));
  }

  std::optional<Stmt> visit_node(const Stmt&, const For& loop) {
    if (!values_.stays_scalar(loop.min, mask_) || !values_.stays_scalar(loop.extent, mask_))
      return std::nullopt;
    LaneScope inner = *this;
    inner.facts_ = inside(facts_, loop);
    const auto body = inner.visit(loop.body);
    if (!body) return std::nullopt;
    For out = loop;
    out.body = *body;
    return out;
  }

  std::optional<Stmt> visit_node(const Stmt&, const LetStmt& let) {
    LaneScope inner = *this;
    if (values_.stays_scalar(let.value, mask_)) {
      inner.facts_ = inside(facts_, let);
      const auto body = inner.visit(let.body);
      return body ? std::optional<Stmt>(LetStmt{let.var, let.value, *body}) : std::nullopt;
    }
    if (!is_vector(let.value)) return std::nullopt;
    const Expr value = values_.vector_at(let.value, mask_, facts_);
    const Var vector(let.var.name(), value.type());
    inner.values_.define(let.var, let.value, vector);
    inner.surround({let.var, let.value});
    const auto body = inner.visit(let.body);
    return body ? std::optional<Stmt>(LetStmt{vector, value, *body}) : std::nullopt;
  }

  std::optional<Stmt> visit_node(const Stmt&, const If& branch) {
    if (values_.stays_scalar(branch.condition, mask_)) return visit_common_condition(branch);
    if (!is_vector(branch.condition)) return std::nullopt;
    return branch.else_case.defined() ? visit_choice(branch) : visit_guard(branch);
  }

  /// The same side in all lanes.
  std::optional<Stmt> visit_common_condition(const If& branch) {
    LaneScope holds = *this, fails = *this;
    holds.facts_ = where(facts_, branch.condition);
    fails.facts_ = where(facts_, logical_not(branch.condition));
    const auto then_case = holds.visit(branch.then_case);
    const auto else_case = branch.else_case.defined() ? fails.visit(branch.else_case) : std::nullopt;
    if (!then_case && !else_case) return std::nullopt;
    if (!can_split() && (!then_case || (branch.else_case.defined() && !else_case))) return std::nullopt;
    Stmt otherwise;
    if (branch.else_case.defined()) otherwise = else_case ? *else_case : fails.serial(branch.else_case);
    return If{branch.condition, then_case ? *then_case : holds.serial(branch.then_case), otherwise};
  }

  /// Lanes on both sides.
  std::optional<Stmt> visit_choice(const If& branch) {
    const Expr condition = values_.vector_at(branch.condition, mask_, facts_);
    const Var chosen("chosen", condition.type());
    LaneScope holds = *this, fails = *this;
    holds.mask_ = narrowed(mask_, chosen);
    fails.mask_ = narrowed(mask_, logical_not(chosen));
    holds.surround({{}, branch.condition});
    fails.surround({{}, logical_not(branch.condition)});
    const auto then_case = holds.visit(branch.then_case);
    const auto else_case = fails.visit(branch.else_case);
    const bool both = then_case && else_case;
    if (!both && (!holds.can_split() || (!then_case && !else_case))) return std::nullopt;
    return LetStmt{chosen, condition,
                   make_seq({then_case ? *then_case : holds.serial(branch.then_case),
                             else_case ? *else_case : fails.serial(branch.else_case)})};
  }

  /// What is the same in all lanes stays a condition around; the rest is a mask.
  std::optional<Stmt> visit_guard(const If& branch) {
    std::vector<Expr> common, different;
    for (const Expr& part : conjuncts(branch.condition)) {
      const bool early = different.empty() && values_.stays_scalar(part, mask_);
      const bool is_free = !values_.differs(part) && values_.stays_scalar(part, {make_bool(true), false});
      (early || is_free ? common : different).push_back(part);
    }
    LaneScope inner = *this;
    for (const Expr& part : common) inner.facts_ = where(inner.facts_, part);
    const Expr condition = inner.values_.vector_at(all_of(different), mask_, inner.facts_);
    const Var runs("runs", condition.type());
    inner.mask_ = narrowed(mask_, runs);
    const std::optional<Expr> some =
        mask_.lanes.defined() ? std::nullopt : where_some_run(different, inner.facts_);
    if (some && some->defined()) common.push_back(*some);
    if (some && all_run(different, some->defined() ? where(inner.facts_, *some) : inner.facts_)) {
      LaneScope whole = *this;
      for (const Expr& part : common) whole.facts_ = where(whole.facts_, part);
      const auto body = whole.visit(branch.then_case);
      if (!body) return std::nullopt;
      return common.empty() ? *body : Stmt(If{all_of(common), *body});
    }
    inner.mask_.some_run = some.has_value();
    inner.surround({{}, all_of(different)});
    const auto body = inner.visit(branch.then_case);
    if (!body) return std::nullopt;
    Stmt out = LetStmt{runs, condition, *body};
    return common.empty() ? out : Stmt(If{all_of(common), out});
  }

  /// Whether the conditions hold in every lane.
  bool all_run(const std::vector<Expr>& conditions, const Analyzer& facts) const {
    for (int lane = 0; lane < loop_.lanes; ++lane)
      for (const Expr& condition : conditions) {
        const Expr here = loop_.first + make_int(lane, loop_.var.type());
        if (!facts.proves(substitute(condition, loop_.var, here))) return false;
      }
    return true;
  }

  /// A condition on the loops around under which at least one lane runs, and without which none does; an
  /// empty expression where one always does; nothing where it has no simple form.
  std::optional<Expr> where_some_run(const std::vector<Expr>& conditions, const Analyzer& facts) const {
    if (conditions.size() != 1) return std::nullopt;
    const auto* compared = conditions[0].as<Binary>();
    if (compared == nullptr || !is_comparison(compared->op) || !compared->left.type().is_int() ||
        compared->op == BinaryOp::eq || compared->op == BinaryOp::ne || reads_memory(conditions[0]))
      return std::nullopt;
    const auto steps = values_.steps_of(compared->left - compared->right, facts);
    if (!steps || compared->left.type() != int64) return std::nullopt;  // others may wrap in between
    const bool falls = compared->op == BinaryOp::gt || compared->op == BinaryOp::ge;
    const auto at_lane = [&](int lane) {
      const Expr here = loop_.first + make_int(lane, loop_.var.type());
      return facts.simplify(substitute(conditions[0], loop_.var, here));
    };
    // The lane for which left - right is least (most, where it must be large).
    const Expr grows = steps->stride >= make_int(0, steps->stride.type());
    const arith::Proof rising = facts.prove(grows);
    if (rising == arith::Proof::unknown) return std::nullopt;
    const bool at_first = (rising == arith::Proof::proved) != falls;
    const Expr some = at_lane(at_first ? 0 : loop_.lanes - 1);
    if (values_.differs(some)) return std::nullopt;
    return is_true(some) || facts.proves(some) ? Expr{} : some;
  }

  std::optional<Stmt> visit_node(const Stmt&, const DeclareBuffer& declared) {
    for (const Expr& extent : declared.buffer->shape)
      if (!values_.stays_scalar(extent, mask_)) return std::nullopt;
    const auto body = visit(declared.body);
    return body ? std::optional<Stmt>(DeclareBuffer{declared.buffer, *body}) : std::nullopt;
  }

  std::optional<Stmt> visit_node(const Stmt&, const Allocate& allocation) {
    const auto all = memory_for_lanes(allocation, loop_);
    const auto body = all ? visit(all->body) : std::nullopt;
    if (!body) return std::nullopt;
    Allocate out = *all;
    out.body = *body;
    return out;
  }

  std::optional<Stmt> visit_node(const Stmt& s, const Assert& check) {
    return mask_.lanes.defined() || values_.differs(check.condition) ? std::nullopt : std::optional(s);
  }

  std::optional<Stmt> visit_node(const Stmt& s, const Evaluate& evaluate) {
    if (is_no_op(s)) return s;
    return mask_.lanes.defined() || values_.differs(evaluate.value) ? std::nullopt : std::optional(s);
  }

  std::optional<Stmt> visit_node(const Stmt&, const Block&) { return std::nullopt; }

  const LaneLoop& loop_;
  LaneValues values_;
  Analyzer facts_;
  LaneMask mask_;
  std::vector<Around> around_;
  bool can_split_ = true;
};

}  // namespace

std::optional<Stmt> lane_code(const Stmt& body, const LaneLoop& loop, const Analyzer& facts,
                              const target::Target& target) {
  return LaneScope(loop, facts, target).visit(body);
}

}  // namespace ardea::lower
