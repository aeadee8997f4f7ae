#include "ardea/arith/regions.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "ardea/arith/regions_conditions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/arith/touching_parts.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/pointer_set.h"

namespace ardea::arith {

namespace {

bool has_load(const Expr& e) {
  return any_expr(e, [](const Expr& part) { return part.is<Load>(); });
}

/// Whether an index depends on memory or on something that arithmetic does not follow.
bool follows_data(const Expr& index) {
  return any_expr(index, [](const Expr& e) {
    return e.is<Load>() || e.is<Call>() || e.type().is_float() || e.type().is_handle();
  });
}

/// What is in force at a place inside the statement that was asked about.
struct Place {
  Analyzer facts;                     ///< with the conditions
  Analyzer stated_facts = {};         ///< without: what holds wherever a region is stated
  std::vector<LoopRange> loops = {};  ///< to relax over, outermost first
  std::vector<Expr> conditions = {};  ///< not decided by the facts
  Substitution values = {};           ///< lets, and iterators of blocks inside, by their values
  Stmt statement = {};                ///< the one around an expression
  bool all_run = true;                ///< every loop has an iteration
  bool guarded_by_memory = false;     ///< a condition reads what the code itself may write
  bool in_init = false;
  bool dead = false;  ///< a condition is refuted: nothing here runs

  void enter_loop(const Var& var, const Range& range) {
    all_run = all_run && facts.proves(as_index(range.extent) >= make_int(1));
    loops.emplace_back(var, range);
    facts.bind(var, range);
    stated_facts.bind(var, range);
  }

  void require(const std::vector<Expr>& parts) {
    for (const Expr& part : parts) {
      const Expr condition = substitute(part, values);
      const Proof proof = facts.prove(condition);
      if (proof == Proof::refuted) dead = true;
      if (proof != Proof::unknown) continue;
      // A region is stated outside: it names no memory, whose content may have changed by then.
      if (has_load(condition)) {
        guarded_by_memory = true;
        continue;
      }
      conditions.push_back(condition);
      facts.assume(condition);
    }
  }

  /// The conditions over variables from outside the statement that was asked about.
  std::vector<Expr> outer_conditions() const {
    std::vector<Expr> outer = plain_conditions();
    Substitution starts;  // a loop of one iteration is where it starts
    for (const auto& [var, range] : loops)
      if (is_one(range.extent)) starts[var] = make_cast(var.type(), substitute(range.min, starts));
    if (!starts.empty())
      for (Expr& condition : outer) condition = substitute(condition, starts);
    std::erase_if(outer, [&](const Expr& condition) { return uses_any(condition, loops); });
    return outer;
  }

  std::vector<Expr> plain_conditions() const {
    std::vector<Expr> plain = conditions;
    std::erase_if(plain, follows_data);
    return plain;
  }
};

void add_box(std::vector<Touched>& boxes, const Touched& touched, const Analyzer& facts) {
  for (Touched& box : boxes) {
    if (!(box.region.buffer == touched.region.buffer)) continue;
    box = unite(box, touched, facts);
    return;
  }
  boxes.push_back(touched);
}

}  // namespace

Accesses united(const std::vector<Access>& each, const Analyzer& facts) {
  Accesses all;
  for (const Access& access : each) add_box(access.write ? all.writes : all.reads, access.touched(), facts);
  return all;
}

namespace {

class Walk {
 public:
  /// `outside`: what holds around all that is walked. `only`: accesses of other memory are left out; it must
  /// live as long, and name its memory.
  explicit Walk(const Analyzer& outside, const TouchingParts* only = nullptr)
      : outside_(outside), only_(only) {}

  std::vector<Access> take() { return std::move(found_); }

  void block_inside(const Block& block, Place place) {
    for (const MatchBuffer& match : block.matches) matches_[match.buffer] = match.source;
    for (const Buffer& buffer : block.allocations) own_memory_.insert(buffer->data);
    for (const MatchBuffer& match : block.matches) own_memory_.insert(match.buffer->data);
    if (block.init.defined()) {
      Place init = place;
      init.in_init = true;
      visit(block.init, std::move(init));
    }
    visit(block.body, std::move(place));
  }

  void visit(const Stmt& s, Place place) {
    if (!s.defined() || place.dead || (only_ != nullptr && !only_->may_touch(s))) return;
    place.statement = s;
    std::visit(overloaded{
                   [&](const Store& node) { store(node, place); },
                   [&](const For& node) { loop(node, place); },
                   [&](const If& node) { branch(node, place); },
                   [&](const Seq& node) { sequence(node, place); },
                   [&](const Allocate& node) {
                     for (const Expr& extent : node.extents) visit(extent, place);
                     own_memory_.insert(node.data);
                     visit(node.body, std::move(place));
                   },
                   [&](const DeclareBuffer& node) { visit(node.body, std::move(place)); },
                   [&](const LetStmt& node) {
                     visit(node.value, place);
                     define(node.var, node.value, place);
                     visit(node.body, std::move(place));
                   },
                   [&](const Assert& node) { visit(node.condition, place); },
                   [&](const Evaluate& node) { visit(node.value, place); },
                   [&](const Block& node) { block(node, place); },
               },
               s.variant());
  }

 private:
  static void define(const Var& var, const Expr& value, Place& place) {
    place.values[var] = substitute(value, place.values);
  }

  void store(const Store& node, const Place& place) {
    touch(node.buffer, node.indices, node.predicate, true, place);
    visit(node.value, place);
    for (const Expr& index : node.indices) visit(index, place);
    visit(node.predicate, place);
  }

  void loop(const For& node, Place& place) {
    visit(node.min, place);
    visit(node.extent, place);
    place.enter_loop(node.var, {substitute(node.min, place.values), substitute(node.extent, place.values)});
    visit(node.body, std::move(place));
  }

  void branch(const If& node, const Place& place) {
    visit(node.condition, place);
    Place yes = place, no = place;
    yes.require(conjuncts(node.condition));
    no.require(conjuncts_of_negation(node.condition));
    visit(node.then_case, std::move(yes));
    visit(node.else_case, std::move(no));
  }

  void sequence(const Seq& node, Place& place) {
    for (const Stmt& statement : node.statements) {
      visit(statement, place);
      // What was asserted holds from there on, else the program has stopped.
      if (const auto* check = statement.as<Assert>())
        for (const Expr& part : conjuncts(check->condition))
          if (const Expr holds = substitute(part, place.values); !has_load(holds)) {
            place.facts.assume(holds);
            place.stated_facts.assume(holds);
          }
    }
  }

  void block(const Block& node, Place& place) {
    for (const BlockIterator& iterator : node.iterators) visit(iterator.binding, place);
    visit(node.predicate, place);
    place.require(conjuncts(node.predicate));
    if (place.dead) return;
    for (const BlockIterator& iterator : node.iterators)
      place.values[iterator.var] = substitute(make_cast(iterator.var.type(), iterator.binding), place.values);
    if (!node.reads || !node.writes) {
      block_inside(node, place);
      return;
    }
    // A declared region is exact where it is what the body touches exactly. A tensor instruction writes all
    // that is declared: what it is given are addresses, and the declaration says what lies behind them.
    const auto left_out = [&](const BufferRegion& region) { return is_left_out(region.buffer); };
    if (std::all_of(node.reads->begin(), node.reads->end(), left_out) &&
        std::all_of(node.writes->begin(), node.writes->end(), left_out))
      return;
    const Analyzer inside = facts_inside(node, place.facts);
    Walk walk(inside, only_);
    walk.block_inside(node, Place{.facts = inside, .stated_facts = inside});
    const Accesses actual = united(walk.take(), inside);
    const bool whole = is_instruction(node.body);
    for (const BufferRegion& region : *node.reads)
      declared(region, actual.reads, inside, false, false, place);
    for (const BufferRegion& region : *node.writes)
      declared(region, actual.writes, inside, true, whole, place);
  }

  static bool is_instruction(const Stmt& s) {
    const auto* evaluate = s.as<Evaluate>();
    const auto* call = evaluate != nullptr ? evaluate->value.as<Call>() : nullptr;
    return call != nullptr && call->op->name == "tensor_instruction";
  }

  void declared(const BufferRegion& region, const std::vector<Touched>& actual, const Analyzer& inside,
                bool write, bool whole, const Place& place) {
    if (is_left_out(region.buffer)) return;
    const bool exact = whole || std::any_of(actual.begin(), actual.end(), [&](const Touched& t) {
                         return t.exact && t.region.buffer == region.buffer &&
                                contains(t.region, region, inside) == Proof::proved;
                       });
    BufferRegion here{region.buffer, {}};
    for (const Range& dim : region.region)
      here.region.push_back({substitute(dim.min, place.values), substitute(dim.extent, place.values)});
    record(std::move(here), exact, write, false, place);
  }

  using Done = PointerSet;

  void visit(const Expr& e, const Place& place) {
    Done done;
    visit(e, place, done);
  }

  /// `done`: the nodes seen in this place already. Shared nodes are common, and paths through them many.
  void visit(const Expr& e, const Place& place, Done& done) {
    if (!e.defined() || place.dead || !done.insert(e.get())) return;
    if (const auto* load = e.as<Load>()) {
      touch(load->buffer, load->indices, load->predicate, false, place);
      for (const Expr& index : load->indices) visit(index, place, done);
      visit(load->predicate, place, done);
    } else if (const auto* call = e.as<Call>()) {
      visit_call(*call, place, done);
    } else if (const auto* let = e.as<Let>()) {
      visit(let->value, place, done);
      Place inner = place;
      define(let->var, let->value, inner);
      visit(let->body, inner);
    } else if (const auto* both = e.as<Binary>();
               both != nullptr && e.type() == boolean &&
               (both->op == BinaryOp::logical_and || both->op == BinaryOp::logical_or)) {
      // The right side runs only where the left one does not decide.
      visit(both->left, place, done);
      Place right = place;
      right.require(both->op == BinaryOp::logical_and ? conjuncts(both->left)
                                                      : conjuncts_of_negation(both->left));
      visit(both->right, right);
    } else if (e.is<VarNode>() && e.type().is_handle()) {
      given_away(Var(e), place);
    } else {
      const auto enter = [&](const Expr& part) { visit(part, place, done); };
      for_each_child(e, std::ref(enter));  // a function that needs no memory of its own
    }
  }

  void visit_call(const Call& call, const Place& place, Done& done) {
    if (call.op->name == "if_then_else") {
      visit(call.arguments[0], place, done);
      Place yes = place, no = place;
      yes.require(conjuncts(call.arguments[0]));
      no.require(conjuncts_of_negation(call.arguments[0]));
      visit(call.arguments[1], yes);
      visit(call.arguments[2], no);
      return;
    }
    if (call.op->name == "address_of") {
      const auto* element = call.arguments[0].as<Load>();
      if (element == nullptr) return;
      for (const Expr& index : element->indices) visit(index, place, done);
      opaque(element->buffer, place);
      return;
    }
    for (const Expr& argument : call.arguments) visit(argument, place, done);
  }

  void opaque(const Buffer& buffer, const Place& place) {
    record(whole_region(buffer), false, false, true, place);
    record(whole_region(buffer), false, true, true, place);
  }

  void given_away(const Var& data, const Place& place) {
    for (const Buffer& buffer : seen_)
      if (buffer->data == data) return opaque(buffer, place);
  }

  void touch(const Buffer& buffer, const std::vector<Expr>& indices, const Expr& predicate, bool write,
             const Place& outer) {
    if (is_left_out(buffer)) return;
    std::int64_t lanes = 1;
    for (const Expr& index : indices) lanes = std::max<std::int64_t>(lanes, index.type().lanes);
    const Var lane("lane");
    bool exact = true;
    std::optional<Place> inner;  // a place is dear to copy, and most accesses are those of one element
    if (lanes > 1 || predicate.defined()) inner = outer;
    if (lanes > 1) inner->enter_loop(lane, {make_int(0), make_int(lanes)});
    if (predicate.defined()) {
      if (const Expr holds = one_lane(predicate, lane); holds.defined())
        inner->require(conjuncts(holds));
      else
        exact = false;
    }
    const Place& place = inner ? *inner : outer;
    if (place.dead) return;
    BufferRegion region{buffer, {}};
    for (std::size_t d = 0; d < indices.size(); ++d) {
      Expr index = one_lane(indices[d], lane);
      if (index.defined()) index = substitute(index, place.values);
      if (index.defined() && !follows_data(index)) {
        region.region.push_back({index, make_int(1, index.type())});
      } else {
        region.region.push_back({make_int(0), as_index(buffer->shape[d])});
        exact = false;
      }
    }
    record(std::move(region), exact, write, false, place);
  }

  /// A region of a matched buffer as one of its source.
  BufferRegion in_source(const BufferRegion& region, const BufferRegion& source, const Place& place) {
    BufferRegion out{source.buffer, {}};
    const std::size_t rank = source.region.size(), mine = region.region.size();
    for (std::size_t d = 0; d < rank; ++d) {
      const Range range{substitute(source.region[d].min, place.values),
                        substitute(source.region[d].extent, place.values)};
      // A matched buffer may leave out leading dimensions of extent 1; the rest lie one on another.
      if (mine > rank || d < rank - mine) {
        out.region.push_back(range);
        continue;
      }
      const Range& part = region.region[d - (rank - mine)];
      out.region.push_back(
          {place.facts.simplify(as_index(range.min) + as_index(part.min)), as_index(part.extent)});
    }
    return out;
  }

  void record(BufferRegion region, bool exact, bool write, bool opaque_access, const Place& place) {
    for (auto match = matches_.find(region.buffer); match != matches_.end();
         match = matches_.find(region.buffer))
      region = in_source(region, match->second, place);
    if (std::find(seen_.begin(), seen_.end(), region.buffer) == seen_.end()) seen_.push_back(region.buffer);
    if (own_memory_.contains(region.buffer->data)) return;
    found_.push_back({.write = write,
                      .in_init = place.in_init,
                      .opaque = opaque_access,
                      .conditional = !place.conditions.empty() || place.guarded_by_memory,
                      .conditions = place.outer_conditions(),
                      .each = std::move(region),
                      .inner = place.loops,
                      .inner_conditions = place.plain_conditions(),
                      .facts = place.facts,
                      .statement = place.statement,
                      .relaxing = {.exact = exact && !place.guarded_by_memory,
                                   .all_run = place.all_run,
                                   .conditions = place.conditions,
                                   .stated_facts = place.stated_facts,
                                   .outside = outside_,
                                   .done = {}}});
  }

  bool is_left_out(const Buffer& buffer) const { return only_ != nullptr && !only_->is_asked_about(buffer); }

  const Analyzer outside_;
  const TouchingParts* const only_;
  std::vector<Access> found_;
  std::unordered_map<Buffer, BufferRegion> matches_;
  std::unordered_set<Var> own_memory_;
  std::vector<Buffer> seen_;
};

}  // namespace

const Touched& Access::touched() const {
  std::optional<Touched>& done = relaxing.done;
  if (done) return *done;
  done = relax_within(each, inner, relaxing.conditions, relaxing.all_run, relaxing.stated_facts, facts);
  done->exact = relaxing.exact &&
                (done->exact || touches_point(done->region, inner, relaxing.conditions, relaxing.outside));
  return *done;
}

Touched Access::touched_under_conditions() const {
  Analyzer stated_facts = relaxing.stated_facts;
  for (const Expr& condition : conditions) stated_facts.assume(condition);
  std::vector<Expr> others = relaxing.conditions;
  std::erase_if(others, [&](const Expr& condition) {
    return std::find(conditions.begin(), conditions.end(), condition) != conditions.end();
  });
  Touched box = relax_within(each, inner, others, relaxing.all_run, stated_facts, facts);
  box.exact = relaxing.exact && box.exact;
  return box;
}

std::vector<Access> each_access(const Stmt& s, const Analyzer& facts) {
  Walk walk(facts);
  walk.visit(s, Place{.facts = facts, .stated_facts = facts});
  return walk.take();
}

namespace {

/// The memory that s names as one that it writes.
std::unordered_set<Var> written_by(const Stmt& s) {
  std::unordered_set<Var> data;
  visit_stmts(s, [&](const Stmt& part) {
    if (const auto* store = part.as<Store>()) data.insert(store->buffer->data);
    const auto* block = part.as<Block>();
    if (block == nullptr || !block->writes) return;
    for (const BufferRegion& region : *block->writes) data.insert(region.buffer->data);
  });
  return data;
}

std::vector<Access> each_access_of(std::unordered_set<Var> memory, const Stmt& s, const Analyzer& facts) {
  const TouchingParts parts(s, std::move(memory));
  Walk walk(facts, parts.names_memory() ? &parts : nullptr);
  walk.visit(s, Place{.facts = facts, .stated_facts = facts});
  return walk.take();
}

}  // namespace

std::vector<Access> each_access_of_written(const Stmt& s, const Analyzer& facts) {
  return each_access_of(written_by(s), s, facts);
}

Analyzer facts_inside(const Block& block, const Analyzer& facts) {
  Analyzer inside = facts;
  for (const BlockIterator& iterator : block.iterators) inside.bind(iterator.var, iterator.domain);
  return inside;
}

std::vector<Access> each_access(const Block& block, const Analyzer& facts) {
  const Analyzer inside = facts_inside(block, facts);
  Walk walk(inside);
  walk.block_inside(block, Place{.facts = inside, .stated_facts = inside});
  return walk.take();
}

Accesses accesses(const Stmt& s, const Analyzer& facts) { return united(each_access(s, facts), facts); }

std::vector<Access> each_access_of(const Buffer& buffer, const Stmt& s, const Analyzer& facts) {
  return each_access_of({buffer->data}, s, facts);
}

Accesses accesses_of(const Buffer& buffer, const Stmt& s, const Analyzer& facts) {
  return united(each_access_of(buffer, s, facts), facts);
}

Accesses accesses_of(const std::unordered_set<Var>& memory, const Stmt& s, const Analyzer& facts) {
  return united(each_access_of(memory, s, facts), facts);
}

std::optional<Touched> touched_box(const std::vector<Touched>& boxes, const Buffer& buffer) {
  for (const Touched& box : boxes)
    if (box.region.buffer == buffer) return box;
  return std::nullopt;
}

std::optional<Touched> touched_box(const Accesses& touched, const Buffer& buffer, const Analyzer& facts) {
  const auto read = touched_box(touched.reads, buffer), written = touched_box(touched.writes, buffer);
  if (read && written) return unite(*read, *written, facts);
  return read ? read : written;
}

Accesses accesses(const Block& block, const Analyzer& facts) {
  return united(each_access(block, facts), facts_inside(block, facts));
}

}  // namespace ardea::arith
