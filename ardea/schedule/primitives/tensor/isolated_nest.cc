#include "ardea/schedule/primitives/tensor/isolated_nest.h"

#include <algorithm>

#include "ardea/arith/iter_map.h"
#include "ardea/arith/regions.h"
#include "ardea/arith/regions_conditions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/in_loops.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/program/both_hold.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;

class Isolating {
 public:
  Isolating(const Function& f, const Path& path, bool keep_units, Context& context)
      : f_(f), path_(path), keep_units_(keep_units), context_(context) {}

  Result<IsolatedNest> run() {
    ARDEA_TRY(find_parts());
    ARDEA_TRY(refuse_outer_bounds());
    for (const BlockIterator& iterator : block_->iterators) ARDEA_TRY(divide(iterator));
    ARDEA_TRY(divide_predicate());
    outer_.name = free_block_name(f_, block_->name + "_o");
    if (block_->init.defined()) ARDEA_TRY(move_init());
    IsolatedNest nest{outer_, loops_, inner_block()};
    nest.outer.body = in_loops(nest.loops, nest.inner);
    return nest;
  }

 private:
  std::optional<Refusal> find_parts() {
    if (path_.size() == 1 && path_[0].is<Block>())
      return Refusal{"root_block", "the root block holds the whole program and cannot stand in another"};
    Stmt s = path_.back();
    while (const auto* loop = s.as<For>()) {
      loops_.push_back(*loop);
      s = loop->body;
    }
    block_ = s.as<Block>();
    if (block_ == nullptr)
      return Refusal{"not_one_block",
                     fmt::format("loop {} holds more than loops and one block", loops_.back().var.name())};
    facts_ = path_.facts(f_);
    inside_ = facts_;
    for (const For& loop : loops_) {
      inside_.bind(loop.var, {loop.min, loop.extent});
      ranges_.emplace_back(loop.var, Range{loop.min, loop.extent});
      starts_[loop.var] = substitute(loop.min, starts_);  // which may be another loop of the nest
    }
    return std::nullopt;
  }

  /// The variables that stand around the nest and that no block may name.
  std::vector<Var> outer_variables() const {
    std::vector<Var> found;
    for (const LoopRef& loop : path_.loops()) found.push_back(loop.var);
    for (const Stmt& s : path_)
      if (const auto* let = s.as<LetStmt>()) found.push_back(let->var);
    return found;
  }

  std::optional<Refusal> refuse_outer_bounds() const {
    const std::vector<Var> outer = outer_variables();
    for (const For& loop : loops_)
      for (const Var& var : outer)
        if (uses(loop.min, var) || uses(loop.extent, var))
          return Refusal{"bounds_depend",
                         fmt::format("the bounds of loop {} depend on {}, which a block cannot name",
                                     loop.var.name(), var.name())};
    return std::nullopt;
  }

  Refusal does_not_divide(const BlockIterator& iterator, const std::string& why) const {
    return {"binding_does_not_divide",
            fmt::format("{} of block {} is {}, {}", iterator.var.name(), block_->name,
                        print(iterator.binding), why),
            {},
            [loops = loops_] {
              std::vector<std::string> names;
              for (const For& loop : loops) names.push_back(loop.var.name());
              return fmt::format(
                  "an iterator must be a multiple of what {} count, plus what they count: split and "
                  "reorder the loops so",
                  names.empty() ? "the loops" : join(names, ", "));
            }};
  }

  /// binding = first + outside * n + within, 0 <= within < n
  std::optional<Refusal> divide(const BlockIterator& iterator) {
    const DataType type = iterator.var.type();
    const Analyzer plain = path_.facts(f_, false);
    const Expr base = plain.simplify(substitute(iterator.binding, starts_));
    const Expr within = inside_.simplify(iterator.binding - base);
    for (const Var& var : outer_variables())
      if (uses(within, var))
        return does_not_divide(iterator, fmt::format("where {} and the nest's loops mix", var.name()));
    Expr count = make_int(1, type);
    if (!is_zero(within)) {
      const auto digits = arith::mixed_radix(within, ranges_, facts_);
      if (!digits || !digits->fills || !is_zero(facts_.simplify(digits->base)))
        return does_not_divide(iterator,
                               fmt::format("of which the nest does not run through a whole range of values"));
      count = facts_.simplify(make_cast(type, digits->extent));
    }
    const Expr first = iterator.domain.min;
    const bool is_outside = is_one(count);
    const Expr offset = is_zero(first) ? base : base - first;
    if (!is_outside)
      ARDEA_TRY(context_.require(facts_, equals(floor_mod(offset, count), make_int(0, type)), [&] {
        return does_not_divide(iterator,
                               fmt::format("of which {} is not a multiple of the {} values in the nest",
                                           print(facts_.simplify(offset)), print(count)));
      }));
    const bool is_inside = !is_outside && facts_.proves(equals(offset, make_int(0, type)));
    Expr value = make_int(0, type);
    if (!is_inside || keep_units_) {
      const Var var(iterator.var.name() + "_o", type);
      Range domain = iterator.domain;
      if (!is_outside)
        domain = {make_int(0, type), facts_.simplify(floor_div(iterator.domain.extent, count))};
      if (is_inside) domain.extent = make_int(1, type);
      outer_.iterators.push_back(
          {var, domain, iterator.kind, is_outside ? base : plain.simplify(floor_div(offset, count))});
      value = is_outside ? Expr(var) : var * count;
    }
    if (!is_outside && !is_zero(first)) value = value + first;
    parts_.push_back({iterator, value, within, count, !is_outside || keep_units_});
    return std::nullopt;
  }

  bool is_about_nest(const Expr& condition) const {
    return std::any_of(loops_.begin(), loops_.end(),
                       [&](const For& loop) { return uses(condition, loop.var); });
  }

  /// Where the condition holds for all iterations of the nest or for none: that condition on the loops around
  /// it. i_0 * 32 + i_1 * 16 + i_2 < 1008 is i_0 * 2 + i_1 < 63 for i_2 in [0, 16). Empty elsewhere.
  Expr of_whole_nest(const Expr& condition) const {
    const std::vector<Expr> parts = arith::nonnegative_parts(condition);
    std::vector<Var> variables;
    for (const For& loop : loops_) variables.push_back(loop.var);
    if (parts.size() != 1) return {};
    const arith::SymbolicBounds bounds = inside_.bounds(parts[0], variables);
    if (!bounds.low.defined() || !bounds.high.defined()) return {};
    const Expr all = bounds.low >= make_int(0), some = bounds.high >= make_int(0);
    if (is_about_nest(all) || is_about_nest(some)) return {};
    const auto implies = [&](const Expr& condition, const Expr& other) {
      Analyzer facts = facts_;
      facts.assume(condition);
      return facts.proves(other);
    };
    if (!implies(some, all)) return {};
    // As what it says of a new iterator, where it says that: smaller numbers are easier to reason about.
    for (const BlockIterator& iterator : outer_.iterators) {
      const Expr inside = arith::as_index(iterator.binding) <
                          arith::as_index(iterator.domain.min) + arith::as_index(iterator.domain.extent);
      if (implies(all, inside) && implies(inside, all)) return facts_.simplify(inside);
    }
    return facts_.simplify(all);
  }

  std::optional<Refusal> divide_predicate() {
    Analyzer inside = inside_;
    std::vector<Expr> about_nest;
    for (const Expr& condition : arith::conjuncts(block_->predicate)) {
      const Expr outside = is_about_nest(condition) ? of_whole_nest(condition) : condition;
      if (!outside.defined()) {
        about_nest.push_back(condition);
        continue;
      }
      outer_.predicate = both_hold(outer_.predicate, outside);
      inside.assume(outside);
    }
    for (const Expr& condition : about_nest)
      ARDEA_TRY(context_.require(inside, condition, [&] {
        return Refusal{"condition_inside",
                       fmt::format("block {} runs only where {}, which the loops of the nest decide",
                                   block_->name, print(condition)),
                       {},
                       [] { return std::string("split by a factor that divides, or with tail=\"cut\""); }};
      }));
    return std::nullopt;
  }

  /// The block with its iterators' values over the new ones, `iterators` mapped to what `value` gives.
  Substitution values_of(std::vector<BlockIterator>& iterators, bool reduce_at_start) const {
    Substitution values;
    for (const Part& part : parts_) {
      const Var& old = part.iterator.var;
      if (reduce_at_start && part.iterator.kind == IteratorKind::reduce) {
        values[old] = part.iterator.domain.min;
        continue;
      }
      Expr value = part.outside;
      if (part.has_inner) {
        const Var var(old.name() + "_i", old.type());
        iterators.push_back({var, {make_int(0, old.type()), part.count}, part.iterator.kind, part.within});
        value = is_zero(value) ? Expr(var) : value + var;
      }
      values[old] = inside_.simplify(value);
    }
    return values;
  }

  Block inner_block() const {
    Block open = *block_;
    open.iterators.clear();
    open.predicate = {};
    open.init = {};
    keep_or_forget_regions(open);
    std::vector<BlockIterator> iterators;
    const Substitution values = values_of(iterators, false);
    Block inner = *substitute(Stmt(open), values).as<Block>();
    inner.iterators = std::move(iterators);
    return inner;
  }

  /// What the body touches is read from the body, but for memory whose address it gives to a call (a tensor
  /// instruction): of that only the declaration knows the part.
  void keep_or_forget_regions(Block& open) const {
    const std::vector<arith::Access> touched = arith::each_access(*block_, facts_);
    if (std::none_of(touched.begin(), touched.end(), [](const arith::Access& a) { return a.opaque; })) {
      open.reads.reset();
      open.writes.reset();
    } else if (block_->init.defined() && open.reads && open.writes) {
      // Beside an init, the elements that a block updates are not listed as read.
      open.reads->insert(open.reads->end(), open.writes->begin(), open.writes->end());
    }
  }

  /// The init of all elements that the nest works on, before the first of their updates.
  std::optional<Refusal> move_init() {
    for (const Buffer& read : loaded(block_->init))
      for (const Buffer& other : buffers_in(block_->body))
        if (writes(block_->body, other) && other->data == read->data)
          return Refusal{
              "init_input_changes",
              fmt::format("the init of block {} reads {}, which the block writes", block_->name, read->name)};
    std::vector<Expr> bindings;
    for (const Part& part : parts_) bindings.push_back(part.within);
    const auto map = arith::iter_map(bindings, ranges_, {}, facts_);
    if (!map || !map->injective)
      return Refusal{
          "instances_repeat",
          fmt::format("it is not proved that the nest runs each instance of block {} once", block_->name)};
    Block init{.name = free_block_name(f_, block_->name + "_init")};
    const Substitution values = values_of(init.iterators, true);
    init.body = fresh_copy(substitute(block_->init, values));
    std::vector<For> copies;
    Substitution loops;
    for (const For& loop : loops_) {
      bool spatial = false, reduces = false;
      for (const Part& part : parts_)
        if (uses(part.within, loop.var))
          (part.iterator.kind == IteratorKind::reduce ? reduces : spatial) = true;
      if (spatial && reduces)
        return Refusal{"loop_feeds_both",
                       fmt::format("loop {} feeds spatial and reduce iterators of block {}", loop.var.name(),
                                   block_->name)};
      if (!spatial) {
        loops[loop.var] = loop.min;
        continue;
      }
      // Serial: nothing in an init can be named, and so nothing there be judged or changed later.
      copies.push_back({Var(loop.var.name() + "_init", loop.var.type()), substitute(loop.min, loops),
                        substitute(loop.extent, loops)});
      loops[loop.var] = copies.back().var;
    }
    for (BlockIterator& iterator : init.iterators) iterator.binding = substitute(iterator.binding, loops);
    outer_.init = in_loops(copies, init);
    return std::nullopt;
  }

  static std::vector<Buffer> loaded(const Stmt& s) {
    std::vector<Buffer> found;
    visit_exprs(s, [&](const Expr& e) {
      if (const auto* load = e.as<Load>()) found.push_back(load->buffer);
    });
    return found;
  }

  static bool writes(const Stmt& s, const Buffer& buffer) {
    bool found = false;
    visit_stmts(s, [&](const Stmt& x) {
      const auto* store = x.as<Store>();
      found = found || (store != nullptr && store->buffer == buffer);
    });
    return found;
  }

  const Function& f_;
  const Path& path_;
  const bool keep_units_;
  Context& context_;
  std::vector<For> loops_;
  const Block* block_ = nullptr;
  Analyzer facts_, inside_;
  std::vector<arith::LoopRange> ranges_;
  Substitution starts_;
  Block outer_;
  /// An iterator: its value is `outside` and, where it has one, an iterator of the nest that is `within`.
  struct Part {
    BlockIterator iterator;
    Expr outside, within, count;
    bool has_inner;
  };
  std::vector<Part> parts_;
};

}  // namespace

Result<IsolatedNest> isolate(const Function& f, const Path& path, bool keep_units, Context& context) {
  return Isolating(f, path, keep_units, context).run();
}

}  // namespace ardea::schedule
