#include <unordered_map>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/interval.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

bool is_wide(const Expr& e) { return e.type().element() == int64; }

bool fits(const arith::ConstantBounds& bounds) {
  return bounds.low && bounds.high && *bounds.low >= INT32_MIN && *bounds.high <= INT32_MAX;
}

/// Of two numbers that fit in int32 one that does: the bits above are copies of the sign.
bool is_bitwise(BinaryOp op) {
  return op == BinaryOp::bit_and || op == BinaryOp::bit_or || op == BinaryOp::bit_xor;
}

/// Closed under int32 where operands and result fit.
bool is_narrowing(BinaryOp op) {
  if (is_bitwise(op)) return true;
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::sub:
    case BinaryOp::mul:
    case BinaryOp::floor_div:
    case BinaryOp::floor_mod:
    case BinaryOp::trunc_div:
    case BinaryOp::trunc_mod:
    case BinaryOp::min:
    case BinaryOp::max: return true;
    default: return false;
  }
}

/// One scope: what holds in it, and what has been rewritten under that.
class Narrowing {
 public:
  explicit Narrowing(const Analyzer& facts) : facts_(facts) {}

  Stmt visit(const Stmt& s) {
    seen_.clear();
    narrow_.clear();
    ranges_.clear();
    if (const auto* loop = s.as<For>()) return visit_loop(*loop);
    if (const auto* let = s.as<LetStmt>()) return visit_let(*let);
    if (const auto* declared = s.as<DeclareBuffer>()) return visit_declaration(*declared);
    if (const auto* branch = s.as<If>()) {
      Narrowing holds = *this, fails = *this;
      holds.facts_ = where(facts_, branch->condition);
      fails.facts_ = where(facts_, logical_not(branch->condition));
      return If{wide(branch->condition), holds.visit(branch->then_case),
                branch->else_case.defined() ? fails.visit(branch->else_case) : Stmt{}};
    }
    if (const auto* store = s.as<Store>())
      return make_store(current(store->buffer), indices(store->indices), wide(store->value),
                        store->predicate.defined() ? wide(store->predicate) : Expr{});
    return map_children(s, Mapper{.expr = [&](const Expr& e) { return wide(e); },
                                  .stmt = [&](const Stmt& child) { return Narrowing(*this).visit(child); }});
  }

 private:
  Stmt visit_loop(const For& loop) {
    For out = loop;
    out.min = wide(loop.min);
    out.extent = wide(loop.extent);
    Narrowing inner = *this;
    inner.facts_ = inside(facts_, loop);
    const Expr min = narrowed(loop.min), extent = narrowed(loop.extent);
    if (is_wide(loop.var) && min.defined() && extent.defined() &&
        fits(facts_.constant_bounds(loop.min + loop.extent))) {
      out.var = Var(loop.var.name(), int32);
      out.min = min;
      out.extent = extent;
      inner.variables_[loop.var] = out.var;
    }
    out.body = inner.visit(loop.body);
    return out;
  }

  Stmt visit_let(const LetStmt& let) {
    Narrowing inner = *this;
    inner.facts_ = inside(facts_, let);
    Var var = let.var;
    Expr value = is_wide(let.value) ? narrowed(let.value) : Expr{};
    if (value.defined()) {
      var = Var(let.var.name(), value.type());
      inner.variables_[let.var] = var;
    } else {
      value = wide(let.value);
    }
    return LetStmt{var, value, inner.visit(let.body)};
  }

  /// A view whose extent names a loop follows the loop to its new variable.
  Stmt visit_declaration(const DeclareBuffer& declared) {
    Narrowing inner = *this;
    const Buffer buffer = map_children(declared.buffer, [&](const Expr& e) { return wide(e); });
    if (!(buffer == declared.buffer)) inner.buffers_[declared.buffer] = buffer;
    return DeclareBuffer{buffer, inner.visit(declared.body)};
  }

  Buffer current(const Buffer& buffer) const {
    const auto found = buffers_.find(buffer);
    return found == buffers_.end() ? buffer : found->second;
  }

  /// e with the same type, narrow inside.
  Expr wide(const Expr& e) {
    if (const auto found = seen_.find(e); found != seen_.end()) return found->second;
    Expr out = rebuilt(e);
    seen_.emplace(e, out);
    return out;
  }

  Expr rebuilt(const Expr& e) {
    if (e.is<VarNode>()) {
      if (const auto renamed = let_variables_.find(Var(e)); renamed != let_variables_.end())
        return renamed->second;
      const auto found = variables_.find(Var(e));
      return found == variables_.end() ? e : make_cast(e.type(), found->second);
    }
    // Two statements may share the node; what becomes of it in each are two definitions.
    if (const auto* let = e.as<Let>()) {
      const Var var =
          let_variables_.insert_or_assign(let->var, Var(let->var.name(), let->var.type())).first->second;
      return make_let(var, wide(let->value), wide(let->body));
    }
    if (const auto* load = e.as<Load>())
      return make_load(current(load->buffer), indices(load->indices),
                       load->predicate.defined() ? wide(load->predicate) : Expr{});
    if (const auto* binary = e.as<Binary>();
        binary != nullptr && is_comparison(binary->op) && is_wide(binary->left)) {
      const Expr left = narrowed(binary->left), right = narrowed(binary->right);
      if (left.defined() && right.defined()) return make_binary(binary->op, left, right);
    }
    if (const auto* cast = e.as<Cast>(); cast != nullptr && is_wide(cast->value))
      if (const Expr value = narrowed(cast->value); value.defined()) return make_cast(e.type(), value);
    if (is_wide(e) && !e.is<IntImm>() && !e.is<Broadcast>())
      if (const Expr value = narrowed(e); value.defined()) return make_cast(e.type(), value);
    return map_children(e, Mapper{.expr = [&](const Expr& x) { return wide(x); }});
  }

  std::vector<Expr> indices(const std::vector<Expr>& before) {
    std::vector<Expr> after;
    for (const Expr& index : before) {
      const Expr narrow = is_wide(index) ? narrowed(index) : Expr{};
      after.push_back(narrow.defined() ? narrow : wide(index));
    }
    return after;
  }

  /// e in int32, or nothing where a value in it may not fit.
  Expr narrowed(const Expr& e) {
    if (const auto found = narrow_.find(e); found != narrow_.end()) return found->second;
    Expr out = is_wide(e) && is_narrow(e) ? narrowed_parts(e) : Expr{};
    narrow_.emplace(e, out);
    return out;
  }

  /// Mostly the ranges of the variables show it, without a question for every part.
  bool is_narrow(const Expr& e) {
    const arith::Interval values = range(e);
    return (values.low >= INT32_MIN && values.high <= INT32_MAX) ||
           (!e.is<VarNode>() && fits(facts_.constant_bounds(e)));
  }

  /// Values that e may have, by those of its parts alone.
  arith::Interval range(const Expr& e) {
    if (const auto value = constant_int(e)) return arith::point(*value);
    if (const auto found = ranges_.find(e); found != ranges_.end()) return found->second;
    arith::Interval values;
    const auto* binary = e.as<Binary>();
    if (const auto* broadcast = e.as<Broadcast>()) {
      values = range(broadcast->value);
    } else if (const auto* ramp = e.as<Ramp>()) {
      values = range(ramp->base) + range(ramp->stride) * arith::Interval{0, e.type().lanes - 1};
    } else if (binary != nullptr && binary->op == BinaryOp::add) {
      values = range(binary->left) + range(binary->right);
    } else if (binary != nullptr && binary->op == BinaryOp::sub) {
      values = range(binary->left) + -range(binary->right);
    } else if (binary != nullptr && binary->op == BinaryOp::mul) {
      values = range(binary->left) * range(binary->right);
    } else if (binary != nullptr && is_bitwise(binary->op) && is_narrow(binary->left) &&
               is_narrow(binary->right)) {
      values = {INT32_MIN, INT32_MAX};
    } else if (is_wide(e)) {
      const arith::ConstantBounds bounds = facts_.constant_bounds(e);
      if (bounds.low) values.low = *bounds.low;
      if (bounds.high) values.high = *bounds.high;
    }
    ranges_.emplace(e, values);
    return values;
  }

  Expr narrowed_parts(const Expr& e) {
    const int lanes = e.type().lanes;
    if (const auto value = constant_int(e)) return make_int(*value, int32);
    if (e.is<VarNode>()) {
      const auto found = variables_.find(Var(e));
      return found == variables_.end() ? Expr{} : Expr(found->second);
    }
    if (const auto* cast = e.as<Cast>()) {
      const DataType from = cast->value.type().element();
      const bool exact = from.is_bool() || (from.is_integer() && (from.bits < 32 || from == int32));
      return exact ? make_cast(int32.with_lanes(lanes), wide(cast->value)) : Expr{};
    }
    if (const auto* binary = e.as<Binary>(); binary != nullptr && is_narrowing(binary->op)) {
      const Expr left = narrowed(binary->left), right = narrowed(binary->right);
      return left.defined() && right.defined() ? make_binary(binary->op, left, right) : Expr{};
    }
    if (const auto* select = e.as<Select>()) {
      const Expr a = narrowed(select->when_true), b = narrowed(select->when_false);
      return a.defined() && b.defined() ? make_select(wide(select->condition), a, b) : Expr{};
    }
    if (const auto* ramp = e.as<Ramp>()) {
      const Expr base = narrowed(ramp->base), stride = narrowed(ramp->stride);
      return base.defined() && stride.defined() ? make_ramp(base, stride, lanes) : Expr{};
    }
    if (const auto* broadcast = e.as<Broadcast>()) {
      const Expr value = narrowed(broadcast->value);
      return value.defined() ? make_broadcast(value, lanes) : Expr{};
    }
    return {};
  }

  Analyzer facts_;
  std::unordered_map<Var, Var> variables_;           ///< int64 to int32
  std::unordered_map<Var, Var> let_variables_;       ///< of lets inside expressions
  std::unordered_map<Buffer, Buffer> buffers_ = {};  ///< declared anew
  std::unordered_map<Expr, Expr> seen_, narrow_;     ///< of the statement at hand
  std::unordered_map<Expr, arith::Interval> ranges_;
};

}  // namespace

Function narrow_indices(const Function& f, const target::Target&) {
  Function out = f;
  out.body = Narrowing(arith::facts_of(f)).visit(f.body);
  return out;
}

}  // namespace ardea::lower
