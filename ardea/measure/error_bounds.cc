#include "ardea/measure/error_bounds.h"

#include <unordered_map>
#include <unordered_set>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/passes.h"
#include "ardea/measure/bounded_value.h"
#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"

namespace ardea::measure {

namespace {

/// The memory (data variables) whose contents a float reaches: all that holds floats, and integers computed
/// from them.
class InexactMemory {
 public:
  explicit InexactMemory(const Function& f) {
    for (const Parameter& p : f.parameters)
      if (p.buffer.defined()) given_.insert(p.buffer->data);
    visit_stmts(f.body, [&](const Stmt& s) {
      if (const auto* store = s.as<Store>()) given_.erase(store->buffer->data);
      if (const auto* block = s.as<Block>())
        for (const MatchBuffer& m : block->matches) given_.erase(m.source.buffer->data);
    });
    for (const Parameter& p : f.parameters)
      if (p.buffer.defined() && p.buffer->type.is_float()) data_.insert(p.buffer->data);
    for (std::size_t before = 0; before != data_.size() || !started_;) {  // until nothing more is reached
      started_ = true;
      before = data_.size();
      visit_stmts(f.body, [&](const Stmt& s) {
        if (const auto* store = s.as<Store>())
          if (store->buffer->type.is_float() || reached(store->value)) data_.insert(store->buffer->data);
        if (const auto* let = s.as<LetStmt>())
          if (reached(let->value)) variables_.insert(let->var);
        if (const auto* block = s.as<Block>())
          for (const MatchBuffer& m : block->matches)
            if (contains(m.buffer) || contains(m.source.buffer))
              data_.insert(m.buffer->data), data_.insert(m.source.buffer->data);
      });
    }
  }

  bool contains(const Buffer& b) const { return b->type.is_float() || data_.contains(b->data); }
  /// A parameter that is only read: whatever the caller gave is exact.
  bool is_given(const Buffer& b) const { return given_.contains(b->data); }

 private:
  bool reached(const Expr& e) const {
    bool found = false;
    visit_exprs(e, [&](const Expr& x) {
      if (const auto* load = x.as<Load>()) found = found || contains(load->buffer);
      if (x.is<VarNode>()) found = found || variables_.contains(Var(x));
      found = found || x.type().is_float();
    });
    return found;
  }

  std::unordered_set<Var> data_, variables_, given_;
  bool started_ = false;
};

/// Twice the values, and wider ones, need not fit the registers.
std::string carried_scope(const std::string& scope) { return scope == register_scope ? "local" : scope; }

class Transformation {
 public:
  explicit Transformation(const Function& f) : original_(f), inexact_(f) {}

  BoundedProgram run() {
    BoundedProgram program{original_, {}};
    program.function.name = original_.name + "_bounded";
    program.function.parameters.clear();
    auto& parameters = program.function.parameters;
    for (const Parameter& p : original_.parameters) {
      if (!p.buffer.defined()) {
        program.parameters.push_back({parameters.size(), std::nullopt});
        const Var carried(p.var.name(), carried_type(p.var.type()));
        variables_[p.var] = {carried};
        parameters.push_back({p.var.type().is_float() ? carried : p.var});
        if (!p.var.type().is_float()) variables_.erase(p.var);
        continue;
      }
      const Pair pair = buffers_of(p.buffer);
      program.parameters.push_back({parameters.size(), std::nullopt});
      parameters.push_back({Var(p.var.name(), handle_type), pair.value});
      if (!pair.bound.defined()) continue;
      program.parameters.back().bound = parameters.size();
      parameters.push_back({Var(p.var.name() + "_bound", handle_type), pair.bound});
    }
    program.function.body = statement(original_.body);
    return program;
  }

 private:
  struct Pair {
    Buffer value, bound;  ///< no bound where the contents are exact
  };

  const Pair& buffers_of(const Buffer& b) {
    const auto [at, added] = buffers_.try_emplace(b);
    if (!added) return at->second;
    Pair& pair = at->second;
    if (!inexact_.contains(b)) {
      pair.value = b;
      return pair;
    }
    const auto [type, first_view] = element_types_.try_emplace(b->data, b->type);
    require(first_view || type->second == b->type,
            "buffer {}: memory that is viewed both as {} and as {} cannot be checked; run without --check",
            b->name, to_string(type->second), to_string(b->type));
    const auto& [value_data, bound_data] = data_of(b->data);
    const auto carry = [&](const Var& data, DataType type, const std::string& suffix) {
      BufferNode node = *b;
      node.name += suffix;
      node.data = data;
      node.type = type;
      node.scope = carried_scope(b->scope);
      const auto plain_part = [&](const Expr& e) { return plain(e); };
      node.shape = mapped(b->shape, plain_part);
      node.strides = mapped(b->strides, plain_part);
      if (node.element_offset.defined()) node.element_offset = plain(node.element_offset);
      return Buffer(std::move(node));
    };
    pair.value = carry(value_data, carried_type(b->type), "");
    if (!inexact_.is_given(b)) pair.bound = carry(bound_data, float64.with_lanes(b->type.lanes), "_bound");
    return pair;
  }

  std::pair<Var, Var>& data_of(const Var& data) {
    const auto [at, added] = data_.try_emplace(data);
    if (added) at->second = {Var(data.name(), handle_type), Var(data.name() + "_bound", handle_type)};
    return at->second;
  }

  template <class T, class F>
  static std::vector<T> mapped(const std::vector<T>& parts, const F& f) {
    std::vector<T> out;
    for (const T& part : parts) out.push_back(f(part));
    return out;
  }

  // --- expressions ---

  Bounded expression(const Expr& e) {
    if (!e.defined()) return {};
    if (lets_ == 0)
      if (const auto found = known_.find(e); found != known_.end()) return found->second;
    const std::size_t conditions = conditions_.size();
    const Bounded result = std::visit([&](const auto& node) { return of(node, e); }, e.variant());
    // What asked for an assertion must ask again where it is used again.
    if (lets_ == 0 && conditions == conditions_.size()) known_.emplace(e, result);
    return result;
  }

  /// An expression that decides where or whether something happens: it must be exact.
  Expr plain(const Expr& e) {
    if (!e.defined()) return e;
    const Bounded x = expression(e);
    if (x.bound.defined()) {
      Expr exact = make_binary(BinaryOp::eq, x.bound, make_float(0, x.bound.type()));
      if (x.bound.type().is_vector())
        fail("{}: a vector index computed from floats cannot be checked", print(e));
      conditions_.emplace_back(
          Assert{exact, "the check cannot decide " + print(e) + ": it depends on rounding"});
    }
    return x.value;
  }

  template <class Node>
    requires(std::is_same_v<Node, IntImm> || std::is_same_v<Node, StringImm>)
  Bounded of(const Node&, const Expr& e) {
    return {e};
  }
  Bounded of(const FloatImm& n, const Expr&) { return {make_float(n.value, float64)}; }
  Bounded of(const VarNode&, const Expr& e) {
    const auto found = variables_.find(Var(e));
    return found == variables_.end() ? Bounded{e} : found->second;
  }
  Bounded of(const Cast& n, const Expr& e) {
    return bounded_cast(expression(n.value), n.value.type(), e.type());
  }
  Bounded of(const Unary& n, const Expr&) { return bounded_unary(n.op, expression(n.operand)); }
  Bounded of(const Binary& n, const Expr&) {
    const Bounded left = expression(n.left);
    return bounded_binary(n.op, left, expression(n.right), n.left.type());
  }
  Bounded of(const Select& n, const Expr&) {
    return bounded_select(expression(n.condition), expression(n.when_true), expression(n.when_false));
  }
  Bounded of(const Let& n, const Expr&) {
    ++lets_;
    const Bounded value = expression(n.value);
    const Var value_var(n.var.name(), value.value.type());
    Bounded inside{value_var};
    Var bound_var;
    if (value.bound.defined()) {
      bound_var = Var(n.var.name() + "_bound", value.bound.type());
      inside.bound = bound_var;
    }
    variables_[n.var] = inside;
    const Bounded body = expression(n.body);
    --lets_;
    const auto wrapped = [&](const Expr& e) {
      if (!e.defined()) return e;
      // Each use of the pair is a let of its own: variables are defined once.
      const Var v(value_var.name(), value_var.type());
      Substitution renamed{{value_var, v}};
      Var b;
      if (bound_var.defined()) {
        b = Var(bound_var.name(), bound_var.type());
        renamed.emplace(bound_var, b);
      }
      Expr inner = substitute(e, renamed);
      if (bound_var.defined()) inner = make_let(b, value.bound, inner);
      return make_let(v, value.value, inner);
    };
    return {wrapped(body.value), wrapped(body.bound)};
  }
  Bounded of(const Load& n, const Expr&) {
    const Pair& pair = buffers_of(n.buffer);
    const std::vector<Expr> indices = mapped(n.indices, [&](const Expr& e) { return plain(e); });
    const Expr predicate = plain(n.predicate);
    Bounded out{make_load(pair.value, indices, predicate)};
    if (pair.bound.defined()) out.bound = make_load(pair.bound, indices, predicate);
    return out;
  }
  Bounded of(const Ramp& n, const Expr& e) {
    return {make_ramp(plain(n.base), plain(n.stride), e.type().lanes)};
  }
  Bounded of(const Broadcast& n, const Expr& e) {
    const Bounded x = expression(n.value);
    const auto lanes = e.type().lanes;
    return {make_broadcast(x.value, lanes), x.bound.defined() ? make_broadcast(x.bound, lanes) : Expr()};
  }
  Bounded of(const Shuffle& n, const Expr&) {
    std::vector<Expr> values, bounds;
    bool exact = true;
    for (const Expr& v : n.vectors) {
      const Bounded x = expression(v);
      exact = exact && !x.bound.defined();
      values.push_back(x.value);
      bounds.push_back(bound_or_zero(x));
    }
    return {make_shuffle(values, n.indices), exact ? Expr() : make_shuffle(bounds, n.indices)};
  }
  Bounded of(const Call& n, const Expr& e) {
    if (is_registered(*n.op)) return expression(expand_registered(e));
    if (n.op->effect == Effect::writes || n.op->result == ResultRule::handle) return effect(n, e);
    std::vector<Bounded> arguments;
    for (const Expr& a : n.arguments) arguments.push_back(expression(a));
    if (n.op->name == "if_then_else" && arguments[0].bound.defined() && needs_no_guard(n))
      return bounded_select(arguments[0], arguments[1], arguments[2]);
    return bounded_call(n, arguments, e.type());
  }

  /// Whether both sides may be evaluated: they load nothing that the condition does not load itself.
  static bool needs_no_guard(const Call& if_then_else) {
    std::vector<Expr> loads;
    visit_exprs(if_then_else.arguments[0], [&](const Expr& x) {
      if (x.is<Load>()) loads.push_back(x);
    });
    bool safe = true;
    for (const std::size_t side : {1, 2})
      visit_exprs(if_then_else.arguments[side], [&](const Expr& x) {
        if (!x.is<Load>()) return;
        bool loaded = false;
        for (const Expr& l : loads) loaded = loaded || structurally_equal(l, x);
        safe = safe && loaded;
      });
    return safe;
  }

  /// Effects stay as they are where no float passes through them.
  Bounded effect(const Call& n, const Expr& e) {
    for (const Buffer& b : buffers_in(e))
      require(!inexact_.contains(b), "{}: floats that pass through it cannot be checked; run without --check",
              print(e));
    for (const Expr& a : n.arguments)
      require(!a.type().is_float(), "{}: floats that pass through it cannot be checked; run without --check",
              print(e));
    require(!e.type().is_float(), "{}: its result cannot be checked; run without --check", print(e));
    return {e};
  }

  // --- statements ---

  /// `s` behind the assertions that its own expressions asked for.
  Stmt guarded(std::size_t conditions_before, Stmt s) {
    std::vector<Stmt> all(conditions_.begin() + static_cast<std::ptrdiff_t>(conditions_before),
                          conditions_.end());
    conditions_.resize(conditions_before);
    all.push_back(std::move(s));
    return make_seq(std::move(all));
  }

  Stmt statement(const Stmt& s) {
    if (!s.defined()) return s;
    const std::size_t before = conditions_.size();
    Stmt out = std::visit([&](const auto& node) -> Stmt { return of(node); }, s.variant());
    return guarded(before, std::move(out));
  }

  /// The term that `store` adds to its own place in a declared reduction, or nothing.
  std::optional<Expr> accumulated_term(const Store& store) const {
    const auto* sum = store.value.as<Binary>();
    if (!reduction_terms_.defined() || sum == nullptr || sum->op != BinaryOp::add ||
        !store.value.type().is_float())
      return {};
    const Expr place = make_load(store.buffer, store.indices, store.predicate);
    if (structurally_equal(sum->left, place)) return sum->right;
    if (structurally_equal(sum->right, place)) return sum->left;
    return {};
  }

  Stmt of(const Store& n) {
    const Pair& pair = buffers_of(n.buffer);
    const std::vector<Expr> indices = mapped(n.indices, [&](const Expr& e) { return plain(e); });
    const Expr predicate = plain(n.predicate);
    Bounded value;
    if (const std::optional<Expr> term = accumulated_term(n)) {
      Bounded place{make_load(pair.value, indices, predicate), make_load(pair.bound, indices, predicate)};
      value = bounded_accumulate(place, expression(*term), reduction_terms_, n.value.type());
    } else {
      value = expression(n.value);
      // What a sum starts from takes part in each of its additions, as every term does.
      if (starting_sums_.contains(n.buffer) && !is_zero(n.value))
        value =
            bounded_accumulate({make_float(0, value.value.type())}, value, reduction_terms_, n.value.type());
    }
    Stmt store_value = make_store(pair.value, indices, value.value, predicate);
    if (!pair.bound.defined()) return store_value;
    // The bound first: it is computed from the values before the store.
    return make_seq({make_store(pair.bound, indices, bound_or_zero(value), predicate), store_value});
  }

  Stmt of(const For& n) {
    For out = n;
    out.min = plain(n.min);
    out.extent = plain(n.extent);
    out.body = statement(n.body);
    return out;
  }
  Stmt of(const If& n) {
    If out = n;
    out.condition = plain(n.condition);
    out.then_case = statement(n.then_case);
    out.else_case = statement(n.else_case);
    return out;
  }
  Stmt of(const Seq& n) {
    return make_seq(mapped(n.statements, [&](const Stmt& s) { return statement(s); }));
  }
  Stmt of(const Allocate& n) {
    // The pair is made by whichever buffer views it; here only the memory is known.
    Allocate out = n;
    out.scope = carried_scope(n.scope);
    out.extents = mapped(n.extents, [&](const Expr& e) { return plain(e); });
    out.body = statement(n.body);
    const auto found = data_.find(n.data);
    if (found == data_.end()) return out;
    out.data = found->second.first;
    out.type = carried_type(n.type);
    Allocate bound = out;
    bound.data = found->second.second;
    bound.type = float64.with_lanes(n.type.lanes);
    out.body = std::move(bound);
    return out;
  }
  Stmt of(const DeclareBuffer& n) {
    const Pair pair = buffers_of(n.buffer);
    Stmt body = statement(n.body);
    if (pair.bound.defined()) body = DeclareBuffer{pair.bound, body};
    return DeclareBuffer{pair.value, body};
  }
  Stmt of(const LetStmt& n) {
    const Bounded value = expression(n.value);
    const Var v(n.var.name(), value.value.type());
    Bounded inside{v};
    Var b;
    if (value.bound.defined()) {
      b = Var(n.var.name() + "_bound", value.bound.type());
      inside.bound = b;
    }
    variables_[n.var] = inside;
    Stmt body = statement(n.body);
    if (value.bound.defined()) body = LetStmt{b, value.bound, body};
    return LetStmt{v, value.value, body};
  }
  Stmt of(const Assert& n) {
    const Bounded condition = expression(n.condition);
    return condition.bound.defined() ? make_no_op() : Stmt(Assert{condition.value, n.message});
  }
  Stmt of(const Evaluate& n) { return Evaluate{expression(n.value).value}; }

  Stmt of(const Block& n) {
    Block out = n;
    out.id = BlockId::fresh();
    for (std::size_t i = 0; i < n.iterators.size(); ++i) {
      out.iterators[i].domain = {plain(n.iterators[i].domain.min), plain(n.iterators[i].domain.extent)};
      out.iterators[i].binding = plain(n.iterators[i].binding);
    }
    out.predicate = plain(n.predicate);
    out.allocations.clear();
    for (const Buffer& b : n.allocations) {
      const Pair pair = buffers_of(b);
      out.allocations.push_back(pair.value);
      if (pair.bound.defined()) out.allocations.push_back(pair.bound);
    }
    out.matches.clear();
    for (const MatchBuffer& m : n.matches) {
      const Pair pair = buffers_of(m.buffer);
      std::vector<BufferRegion> sources = regions(m.source);
      out.matches.push_back({pair.value, sources[0]});
      if (pair.bound.defined()) out.matches.push_back({pair.bound, sources[1]});
    }
    out.reads = regions(n.reads);
    out.writes = regions(n.writes);
    const Expr terms_outside = reduction_terms_;
    reduction_terms_ = {};
    // Without an init the sum goes on from what memory holds, whose size no term tells: then every step
    // counts what it adds to.
    for (const BlockIterator& it : out.iterators)
      if (n.init.defined() && it.kind == IteratorKind::reduce)
        reduction_terms_ =
            reduction_terms_.defined() ? reduction_terms_ * it.domain.extent : it.domain.extent;
    visit_stmts(n.body, [&](const Stmt& s) {
      const auto* store = s.as<Store>();
      if (store != nullptr && accumulated_term(*store)) starting_sums_.insert(store->buffer);
    });
    out.init = statement(n.init);
    starting_sums_.clear();
    out.body = statement(n.body);
    reduction_terms_ = terms_outside;
    return out;
  }

  std::vector<BufferRegion> regions(const BufferRegion& r) {
    std::vector<Range> ranges;
    for (const Range& range : r.region) ranges.push_back({plain(range.min), plain(range.extent)});
    const Pair pair = buffers_of(r.buffer);
    std::vector<BufferRegion> out = {{pair.value, ranges}};
    if (pair.bound.defined()) out.push_back({pair.bound, ranges});
    return out;
  }
  std::optional<std::vector<BufferRegion>> regions(const std::optional<std::vector<BufferRegion>>& all) {
    if (!all) return all;
    std::vector<BufferRegion> out;
    for (const BufferRegion& r : *all)
      for (BufferRegion& one : regions(r)) out.push_back(std::move(one));
    return out;
  }

  const Function& original_;
  const InexactMemory inexact_;
  std::unordered_map<Buffer, Pair> buffers_;
  std::unordered_map<Var, std::pair<Var, Var>> data_;
  std::unordered_map<Var, DataType> element_types_;
  std::unordered_map<Var, Bounded> variables_;
  std::unordered_map<Expr, Bounded> known_;
  std::vector<Stmt> conditions_;  ///< assertions that the statement being transformed needs in front of it
  Expr reduction_terms_;          ///< of the reduction block around; empty outside
  std::unordered_set<Buffer> starting_sums_;  ///< in an init: what the block goes on to sum into
  int lets_ = 0;
};

}  // namespace

BoundedProgram with_error_bounds(const Function& f) {
  return Transformation(lower::expand_tensor_instructions(f)).run();
}

}  // namespace ardea::measure
