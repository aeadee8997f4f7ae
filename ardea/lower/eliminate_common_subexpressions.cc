#include <algorithm>
#include <functional>
#include <optional>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/memory_ages.h"
#include "ardea/lower/movable.h"
#include "ardea/lower/passes.h"
#include "ardea/lower/value_numbers.h"

namespace ardea::lower {

namespace {

/// A statement where it stands; numbered in the order of the program.
struct Position {
  std::size_t parent = 0;
  int depth = 0;
  bool in_sequence = false;            ///< one of several statements
  bool runs_with_parent = false;       ///< first of all in the parent, and once wherever that runs
  NumberOfNode numbers = {};           ///< of the statement's own expressions
  std::vector<ValueNumber> lets = {};  ///< that will stand before it
};

/// Where a value is used.
struct Uses {
  int count = 0;           ///< by statements, and by other values once each
  std::size_t around = 0;  ///< the lowest position with all of them inside
  std::size_t first = 0;
  bool first_is_sure = false;  ///< evaluated whenever the first statement runs
};

/// A value that expressions of the program have.
struct Value {
  Expr expr = {};               ///< one of them
  std::size_t numbered_at = 0;  ///< the position that has the numbers of its parts
  bool is_outer = false;        ///< its variables are defined by statements, not by lets in expressions
  bool calls = false;
  bool may_get_name = false;
  bool may_move = false;  ///< may be computed where the program does not compute it
  Uses uses = {};
  Var name = {};  ///< set where it gets a let
};

/// Whether evaluating e always evaluates its first part only.
bool is_lazy(const Expr& e) {
  if (const auto* call = e.as<Call>()) return call->op->name == "if_then_else";
  const auto* binary = e.as<Binary>();
  return binary != nullptr && e.type().is_scalar() &&
         (binary->op == BinaryOp::logical_and || binary->op == BinaryOp::logical_or);
}

/// What has a name costs a name. A variable plus a number is left to addressing, a vector of indices is a
/// shape that backends look for, and a condition belongs to its branch.
bool is_worth_a_name(const Expr& e) {
  const DataType type = e.type();
  if (!(type.is_float() || (type.is_integer() && type.is_scalar())) || type.is_storage_only()) return false;
  if (const auto* binary = e.as<Binary>()) {
    const bool shifts = binary->op == BinaryOp::add || binary->op == BinaryOp::sub;
    return !(type.is_integer() && shifts && binary->right.is<IntImm>());
  }
  if (const auto* call = e.as<Call>())
    return call->op->effect == Effect::pure && call->op->name != "likely" && call->op->name != "reinterpret";
  return e.is<Load>() || e.is<Select>();
}

class Elimination {
 public:
  explicit Elimination(const Function& f) : f_(f), movable_(f), ages_(f) {}

  Stmt run() {
    collect(f_.body, {.runs_with_parent = true});
    // Values before their parts: whether a part is used twice depends on whether the whole gets a name.
    for (ValueNumber n = values_.size(); n-- > 0;) settle(values_[n], n);
    if (!name_all()) return f_.body;
    return in_lets(0, rebuilt(f_.body));
  }

 private:
  // The first walk: positions, numbers, and what statements themselves use.

  void collect(const Stmt& s, Position position) {
    const std::size_t at = positions_.size();
    const int depth = position.depth;
    positions_.push_back(std::move(position));
    const bool has_effects = ages_.calls(s);
    const auto use = [&](const Expr& e) {
      add(values_[number(e, at)].uses, {.count = 1, .around = at, .first = at, .first_is_sure = true});
    };
    if (!has_effects) for_each_child(s, use, [](const Stmt&) {});
    const bool repeats = s.is<For>(), chooses = s.is<If>();
    if (repeats || has_effects) ages_.pass(s);
    bool is_first = true;
    const auto enter = [&](const Stmt& part) {
      const bool sure = is_first && !repeats && !chooses && !has_effects;
      collect(part, {.parent = at, .depth = depth + 1, .in_sequence = s.is<Seq>(), .runs_with_parent = sure});
      is_first = false;
      if (chooses) ages_.pass(s);  // the other branch does not see what this one wrote
    };
    for_each_child(s, [](const Expr&) {}, enter);
    if (repeats || s.is<Store>()) ages_.pass(s);
  }

  ValueNumber number(const Expr& e, std::size_t at) {
    auto& numbers = positions_[at].numbers;
    const ValueNumber n = numbers_.add(e, ages_.ages(), numbers);
    values_.resize(numbers_.size());
    describe(e, at, numbers);
    return n;
  }

  void describe(const Expr& e, std::size_t at, const NumberOfNode& numbers) {
    Value& value = values_[*numbers.find(e)];
    if (value.expr.defined()) return;
    value.expr = e;
    value.numbered_at = at;
    if (const auto* let = e.as<Let>()) locals_.insert(let->var);
    value.is_outer = !e.is<Let>() && !(e.is<VarNode>() && locals_.contains(Var(e)));
    value.calls = e.is<Call>();
    bool parts_may_move = true;
    const auto describe_part = [&](const Expr& part) {
      describe(part, at, numbers);
      const Value& inner = values_[*numbers.find(part)];
      value.is_outer = value.is_outer && inner.is_outer;
      value.calls = value.calls || inner.calls;
      parts_may_move = parts_may_move && inner.may_move;
    };
    for_each_child(e, std::ref(describe_part));
    value.may_get_name = value.is_outer && is_worth_a_name(e);
    // A call may be dear: not where nobody needs it.
    value.may_move = !value.calls && parts_may_move && movable_.with_its_parts(e);
  }

  // Uses, and what follows from them.

  std::size_t common(std::size_t a, std::size_t b) const {
    while (positions_[a].depth > positions_[b].depth) a = positions_[a].parent;
    while (positions_[b].depth > positions_[a].depth) b = positions_[b].parent;
    while (a != b) a = positions_[a].parent, b = positions_[b].parent;
    return a;
  }

  void add(Uses& uses, const Uses& more) const {
    if (uses.count == 0) {
      uses = more;
      return;
    }
    uses.count += more.count;
    uses.around = common(uses.around, more.around);
    if (more.first == uses.first) uses.first_is_sure = uses.first_is_sure || more.first_is_sure;
    if (more.first < uses.first) uses.first = more.first, uses.first_is_sure = more.first_is_sure;
  }

  /// The statement before which a let for the value would stand: nothing where it would compute what the
  /// program may not.
  std::optional<std::size_t> place_for(const Value& value) const {
    const Uses& uses = value.uses;
    bool sure = uses.first_is_sure;
    std::size_t place = uses.first;
    while (place != uses.around) {
      const bool is_reached = positions_[place].parent == uses.around && positions_[place].in_sequence;
      if (is_reached) break;
      sure = sure && positions_[place].runs_with_parent;
      place = positions_[place].parent;
    }
    return sure || value.may_move ? std::optional(place) : std::nullopt;
  }

  void settle(const Value& value, ValueNumber n) {
    const std::optional<std::size_t> place =
        value.may_get_name && value.uses.count > 1 ? place_for(value) : std::nullopt;
    Uses uses = value.uses;
    if (place) {
      positions_[*place].lets.push_back(n);
      uses = {.count = 1, .around = *place, .first = *place, .first_is_sure = true};
    }
    const auto& numbers = positions_[value.numbered_at].numbers;
    const bool lazy = is_lazy(value.expr);
    const auto use_part = [&](const Expr& part) {
      add(values_[*numbers.find(part)].uses, uses);
      uses.first_is_sure = uses.first_is_sure && !lazy;
    };
    for_each_child(value.expr, std::ref(use_part));
  }

  bool name_all() {
    int count = 0;
    for (Position& position : positions_) {
      std::sort(position.lets.begin(), position.lets.end());  // parts before what they are part of
      for (const ValueNumber n : position.lets)
        values_[n].name = Var("cse_var_" + std::to_string(++count), values_[n].expr.type());
    }
    return count > 0;
  }

  // The second walk, in the order of the first: names instead of expressions, and the lets.

  Stmt rebuilt(const Stmt& s) {
    const std::size_t at = next_position_++;
    if (const auto* seq = s.as<Seq>()) return rebuilt_sequence(*seq);
    Replaced replaced;
    const auto part = [&](const Stmt& inner) {
      const std::size_t position = next_position_;
      return in_lets(position, rebuilt(inner));
    };
    return map_children(
        s, Mapper{.expr = [&](const Expr& e) { return named(e, positions_[at].numbers, replaced); },
                  .stmt = part});
  }

  Stmt rebuilt_sequence(const Seq& seq) {
    std::vector<Stmt> statements;
    std::vector<std::size_t> at;
    for (const Stmt& part : seq.statements) {
      at.push_back(next_position_);
      statements.push_back(rebuilt(part));
    }
    // A let before one statement holds for all that follow.
    for (std::size_t i = statements.size(); i-- > 0;) {
      if (positions_[at[i]].lets.empty()) continue;
      const auto from = statements.begin() + static_cast<std::ptrdiff_t>(i);
      const Stmt rest = in_lets(at[i], make_seq(std::vector<Stmt>(from, statements.end())));
      statements.erase(from, statements.end());
      statements.push_back(rest);
    }
    return make_seq(std::move(statements));
  }

  Stmt in_lets(std::size_t at, Stmt body) {
    const std::vector<ValueNumber>& lets = positions_[at].lets;
    for (std::size_t i = lets.size(); i-- > 0;) {
      const Value& value = values_[lets[i]];
      const auto& numbers = positions_[value.numbered_at].numbers;
      Replaced replaced;
      const Expr definition = map_children(
          value.expr, Mapper{.expr = [&](const Expr& e) { return named(e, numbers, replaced); }});
      body = LetStmt{value.name, definition, body};
    }
    return body;
  }

  using Replaced = HandleMap<Expr, Expr>;

  Expr named(const Expr& e, const NumberOfNode& numbers, Replaced& replaced) {
    const ValueNumber* number = numbers.find(e);
    if (number == nullptr) return e;  // of a statement with effects
    if (values_[*number].name.defined()) return values_[*number].name;
    if (const Expr* found = replaced.find(e)) return *found;
    const Expr out =
        map_children(e, Mapper{.expr = [&](const Expr& part) { return named(part, numbers, replaced); }});
    replaced.insert(e, out);
    return out;
  }

  const Function& f_;
  Movable movable_;
  MemoryAges ages_;
  ValueNumbers numbers_;
  std::vector<Position> positions_;
  std::vector<Value> values_;
  std::unordered_set<Var> locals_;
  std::size_t next_position_ = 0;
};

}  // namespace

Function eliminate_common_subexpressions(const Function& f, const target::Target&) {
  Function out = f;
  out.body = Elimination(f).run();
  return out;
}

}  // namespace ardea::lower
