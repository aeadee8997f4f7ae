#include "ardea/lower/access_checks.h"

#include <unordered_set>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/single_lane.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// A copy whose lets define variables of their own.
Expr fresh(const Expr& e) { return fresh_copy(Stmt(Evaluate{e})).as<Evaluate>()->value; }

/// What surrounds a load inside its expression.
struct Around {
  Expr guard;  ///< evaluated only where this holds, or
  Var var;     ///< in the scope of var = value
  Expr value;
};

class LoadWalk {
 public:
  LoadWalk(const std::string& function, std::vector<Check>& checks) : function_(function), checks_(checks) {}

  void visit(const Expr& e, const Analyzer& facts) {
    if (!e.defined() || !seen_.back().insert(e).second) return;
    if (const auto* let = e.as<Let>()) return visit_let(*let, facts);
    if (const auto* call = e.as<Call>(); call != nullptr && call->op->name == "if_then_else")
      return visit_choice(call->arguments, facts);
    if (const auto* binary = e.as<Binary>(); binary != nullptr && e.type() == boolean) {
      const bool is_and = binary->op == BinaryOp::logical_and;
      if (is_and || binary->op == BinaryOp::logical_or) {
        visit(binary->left, facts);
        return under(is_and ? binary->left : logical_not(binary->left), binary->right, facts);
      }
    }
    for_each_child(e, [&](const Expr& child) { visit(child, facts); });
    if (const auto* load = e.as<Load>()) check(load->buffer, load->indices, load->predicate, "reads", facts);
  }

  void check(const Buffer& buffer, const std::vector<Expr>& indices, const Expr& mask, const char* verb,
             const Analyzer& facts) {
    for (std::size_t d = 0; d < indices.size(); ++d) {
      require(!has_effect(indices[d]),
              "{}: an index of {} calls out; bind what the call answers to a variable before the access",
              function_, buffer->name);
      for (const Expr& lane : lanes_to_check(indices[d], mask)) {
        const Expr index = as_index(lane), extent = as_index(buffer->shape[d]);
        Expr holds;
        if (!facts.proves(index >= make_int(0))) holds = index >= make_int(0);
        if (!facts.proves(index < extent))
          holds = holds.defined() ? logical_and(holds, index < extent) : index < extent;
        if (!holds.defined()) continue;
        add(masked(holds, indices[d], mask, lane),
            fmt::format("{} {} {} at index {{}} in dimension {}, whose extent is {{}}", function_ + ":", verb,
                        buffer->name, d + 1),
            {index, extent});
      }
    }
  }

 private:
  void visit_let(const Let& let, const Analyzer& facts) {
    visit(let.value, facts);
    Analyzer inner = facts;
    if (let.var.type().is_integer()) inner.define(let.var, let.value);
    around_.push_back({{}, let.var, let.value});
    visit(let.body, inner);
    around_.pop_back();
  }

  void visit_choice(const std::vector<Expr>& parts, const Analyzer& facts) {
    visit(parts[0], facts);
    under(parts[0], parts[1], facts);
    under(logical_not(parts[0]), parts[2], facts);
  }

  /// e is evaluated only where the guard holds.
  void under(const Expr& guard, const Expr& e, const Analyzer& facts) {
    if (buffers_in(e).empty()) return;
    Analyzer inner = facts;
    inner.assume(guard);
    around_.push_back({guard, {}, {}});
    seen_.emplace_back();
    visit(e, inner);
    seen_.pop_back();
    around_.pop_back();
  }

  /// The ends of a ramp stand for all its lanes; other vectors, and masked ones, are checked lane by lane.
  static std::vector<Expr> lanes_to_check(const Expr& index, const Expr& mask) {
    if (index.type().is_scalar()) return {index};
    const int lanes = index.type().lanes;
    if (const auto* broadcast = index.as<Broadcast>(); broadcast != nullptr && !mask.defined())
      return {broadcast->value};
    if (const auto* ramp = index.as<Ramp>(); ramp != nullptr && !mask.defined())
      return {ramp->base, add_index(ramp->base, multiply_index(ramp->stride, make_int(lanes - 1)))};
    std::vector<Expr> all;
    for (int lane = 0; lane < lanes; ++lane) all.push_back(lane_of(index, lane));
    return all;
  }

  static Expr masked(const Expr& holds, const Expr& index, const Expr& mask, const Expr& lane) {
    if (!mask.defined()) return holds;
    if (index.type().is_scalar()) {  // one place for all lanes: touched where any lane is
      Expr any;
      for (int i = 0; i < mask.type().lanes; ++i)
        any = any.defined() ? logical_or(any, lane_of(mask, i)) : lane_of(mask, i);
      return make_call("if_then_else", {any, holds, make_bool(true)});
    }
    const auto which = lane.as<Shuffle>()->indices[0];
    return make_call("if_then_else", {lane_of(mask, static_cast<int>(which)), holds, make_bool(true)});
  }

  void add(Expr holds, std::string sentence, std::vector<Expr> values) {
    for (std::size_t i = around_.size(); i-- > 0;) {
      const Around& a = around_[i];
      if (a.guard.defined()) {
        holds = make_call("if_then_else", {a.guard, holds, make_bool(true)});
        continue;
      }
      holds = make_let(a.var, a.value, holds);
      for (Expr& value : values) value = make_let(a.var, a.value, value);
    }
    for (const Check& other : checks_)
      if (other.sentence == sentence && structurally_equal(other.holds, holds)) return;
    for (Expr& value : values) value = fresh(value);
    checks_.push_back({fresh(holds), std::move(sentence), std::move(values)});
  }

  const std::string& function_;
  std::vector<Check>& checks_;
  std::vector<Around> around_;
  std::vector<std::unordered_set<Expr>> seen_ = {{}};
};

}  // namespace

void add_load_checks(const std::string& function, const Expr& e, const Analyzer& facts,
                     std::vector<Check>& checks) {
  LoadWalk(function, checks).visit(e, facts);
}

void add_store_checks(const std::string& function, const Store& store, const Analyzer& facts,
                      std::vector<Check>& checks) {
  LoadWalk(function, checks).check(store.buffer, store.indices, store.predicate, "writes", facts);
}

}  // namespace ardea::lower
