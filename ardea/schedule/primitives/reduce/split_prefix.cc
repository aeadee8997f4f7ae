#include "ardea/schedule/primitives/reduce/split_prefix.h"

#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/in_loops.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/analysis/prefix_cut.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/primitives/memory/copy_block.h"
#include "ardea/schedule/program/both_hold.h"
#include "ardea/schedule/program/plain_loop.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/removal.h"
#include "ardea/schedule/program/scope.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;
using Elements = std::vector<ReducedElement>;

/// The steps of the prefix that ends by j are r < j + shift, of all that there are. They are the chunks
/// before that of the last one, and what this one has of them. Chunks are counted on beyond the last step,
/// where prefixes are: an element's chunk is then known by its place alone.
class PrefixSplit {
 public:
  PrefixSplit(const Function& f, const SplitPrefix& step, const ReductionNest& nest, const Reducer& reducer,
              Context& context)
      : f_(f), step_(step), nest_(nest), reducer_(reducer), context_(context) {}

  Outcome run() {
    ARDEA_TRY(find_cut());
    ARDEA_TRY(find_loops());
    ARDEA_TRY(find_start_values());
    measure();
    ARDEA_TRY(context_.require(nest_.facts, factor_ >= number(1), [&] {
      return Refusal{"factor_not_positive",
                     fmt::format("the factor is {}, it must be positive", print(factor_))};
    }));
    totals_ = make_buffers("_totals", chunks_);
    before_ = make_buffers("_before", last_chunk_ + number(1));
    const Block totals = block_of_totals(), before = block_of_before();
    Function program =
        with(f_, nest_.outside(), make_seq({nest_of_totals(totals), nest_of_before(before), nest_of_rest()}));
    Block around = path_to(program, BlockRef{nest_.path.block_around().block().id})->block();
    for (const auto* buffers : {&totals_, &before_})
      around.allocations.insert(around.allocations.end(), buffers->begin(), buffers->end());
    program = with(program, *path_to(program, BlockRef{around.id}), around);
    return Applied{arith::complete_regions(program), {BlockRef{totals.id}, BlockRef{before.id}}};
  }

 private:
  const Block& block() const { return nest_.block(); }
  const BlockIterator& end() const { return block().iterators[cut_.end]; }
  const BlockIterator& step() const { return block().iterators[cut_.step]; }
  DataType type() const { return step().var.type(); }
  Expr number(std::int64_t value) const { return make_int(value, type()); }

  // --- what is there ---

  /// Conditions on the cut's loops are the cut; what is left is about other loops that make elements.
  std::optional<Refusal> find_cut() {
    Substitution iterators;
    for (const BlockIterator& iterator : block().iterators)
      if (iterator.binding.is<VarNode>()) iterators[Var(iterator.binding)] = iterator.var;
    std::vector<Expr> cuts;
    for (const Expr& condition : nest_.conditions) {
      if (nest_.is_about_reduction(condition))
        cuts.push_back(substitute(condition, iterators));
      else
        conditions_.push_back(condition);
    }
    const auto found = prefix_cut(block(), reducer_, cuts);
    if (found) {
      cut_ = *found;
      return std::nullopt;
    }
    if (!cuts.empty())
      return Refusal{
          "condition_mixes",
          fmt::format("block {} runs where {}, which is not the one condition r < j + a number on a "
                      "reduce and a spatial iterator, or what it combines is not the same for all j",
                      block().name, print(nest_.conditions[0]))};
    return Refusal{"not_a_prefix",
                   fmt::format("what block {} combines is not chosen by one condition r < j + a number on a "
                               "reduce and a spatial iterator, and the same for all j but for that",
                               block().name)};
  }

  /// The loop whose variable is the iterator, over all of its domain from 0, and nothing else's.
  const For* own_loop(const BlockIterator& iterator) const {
    if (!iterator.binding.is<VarNode>() || constant_int(iterator.domain.min) != 0) return nullptr;
    for (const For* loop : nest_.loops) {
      if (!(loop->var == Var(iterator.binding))) continue;
      const bool is_shared =
          std::any_of(block().iterators.begin(), block().iterators.end(), [&](const BlockIterator& other) {
            return !(other.var == iterator.var) && uses(other.binding, loop->var);
          });
      const bool is_whole =
          constant_int(loop->min) == 0 && structurally_equal(loop->extent, iterator.domain.extent);
      return is_whole && !is_shared ? loop : nullptr;
    }
    return nullptr;
  }

  std::optional<Refusal> find_loops() {
    end_loop_ = own_loop(end());
    step_loop_ = own_loop(step());
    for (const auto& [loop, iterator] : {std::pair(end_loop_, &end()), std::pair(step_loop_, &step())})
      if (loop == nullptr)
        return Refusal{"loops_do_not_fit",
                       fmt::format("iterator {} of block {} is not the variable of a loop over all of its "
                                   "domain from 0, around nothing else",
                                   iterator->var.name(), block().name)};
    ARDEA_TRY(refuse_unless_serial(*step_loop_));
    if (!step_loop_->annotations.empty())
      return Refusal{"loop_is_annotated",
                     fmt::format("loop {} is annotated with {}, and will be another loop",
                                 step_loop_->var.name(), step_loop_->annotations.begin()->first)};
    for (const Expr& condition : conditions_)
      if (uses(condition, end_loop_->var))
        return Refusal{"condition_mixes",
                       fmt::format("block {} runs where {}, so that not all of its prefixes are computed",
                                   block().name, print(condition))};
    return refuse_outer_variables();
  }

  /// Extents of the new buffers must be said where they are allocated.
  std::optional<Refusal> refuse_outer_variables() const {
    for (const BlockIterator& iterator : block().iterators)
      for (const LoopRef& loop : nest_.outside().loops())
        if (uses(iterator.domain.min, loop.var) || uses(iterator.domain.extent, loop.var))
          return Refusal{"bounds_depend", fmt::format("the domain of iterator {} depends on loop {}",
                                                      iterator.var.name(), loop.var.name())};
    return std::nullopt;
  }

  /// The init gives each element a value that is the same for all prefixes.
  std::optional<Refusal> find_start_values() {
    const auto does_not_fit = [&](const std::string& why) {
      return Refusal{"init_does_not_fit", fmt::format("the init of block {} {}", block().name, why)};
    };
    Substitution starts;
    for (const BlockIterator& iterator : block().iterators)
      if (iterator.kind == IteratorKind::reduce)
        starts[iterator.var] = make_cast(iterator.var.type(), iterator.domain.min);
    const std::vector<Stmt> stores = statements_of(block().init);
    if (stores.size() != reducer_.elements().size())
      return does_not_fit("does not store one value for each element");
    for (const ReducedElement& element : reducer_.elements()) {
      const auto at = std::find_if(stores.begin(), stores.end(), [&](const Stmt& s) {
        const auto* store = s.as<Store>();
        return store != nullptr && store->buffer == element.buffer && !store->predicate.defined();
      });
      if (at == stores.end()) return does_not_fit("does not store one value for each element");
      const Expr value = substitute(at->as<Store>()->value, starts);
      if (uses(value, end().var))
        return does_not_fit(
            fmt::format("stores {}, another value for each {}", print(value), end().var.name()));
      if (reads_an_element(value)) return does_not_fit("reads what the block writes");
      start_values_.push_back(value);
    }
    return std::nullopt;
  }

  bool reads_an_element(const Expr& value) const {
    bool found = false;
    visit_exprs(value, [&](const Expr& e) {
      const auto* load = e.as<Load>();
      for (const ReducedElement& element : reducer_.elements())
        found = found || (load != nullptr && load->buffer->data == element.buffer->data);
    });
    return found;
  }

  // --- chunks ---

  void measure() {
    factor_ = value_of(step_.factor, type());
    steps_ = step().domain.extent;
    prefixes_ = make_cast(type(), end().domain.extent);
    last_chunk_ = nest_.facts.simplify(chunk_of(prefixes_ - number(1), nest_.facts));
    const Expr all = nest_.facts.simplify(floor_div(steps_ - number(1), factor_) + number(1));
    const Expr whole = context_.decides(nest_.facts, last_chunk_ <= all)
                           ? last_chunk_
                           : nest_.facts.simplify(min(last_chunk_, all));
    chunks_ = at_least(whole, 1, nest_.facts);
  }

  Expr at_least(const Expr& value, std::int64_t least, const Analyzer& facts) const {
    return context_.decides(facts, value >= number(least)) ? value
                                                           : facts.simplify(max(value, number(least)));
  }

  static Expr moved(const Expr& j, std::int64_t by) { return by == 0 ? j : j + make_int(by, j.type()); }

  /// Of the last step of the prefix that ends by j, or the first of all where it has none.
  Expr chunk_of(const Expr& j, const Analyzer& facts) const {
    const Expr last = moved(j, cut_.shift > 0 ? cut_.shift - 1 : cut_.shift);
    return at_least(floor_div(last, factor_), 0, facts);
  }

  /// The step is one of the prefix, and is there.
  Expr is_in_prefix(const Expr& r, const Expr& j, const Analyzer& facts) const {
    Expr condition;
    Analyzer known = facts;
    for (const Expr& part : {r < moved(j, cut_.shift), r < steps_})
      if (!context_.decides(known, part)) {
        condition = both_hold(condition, part);
        known.assume(part);
      }
    return condition;
  }

  std::vector<Buffer> make_buffers(const std::string& suffix, const Expr& count) const {
    std::vector<Buffer> made;
    for (const ReducedElement& element : reducer_.elements()) {
      std::vector<Expr> shape;
      for (const BlockIterator& iterator : block().iterators)
        if (iterator.kind == IteratorKind::spatial)
          shape.push_back(
              as_index(iterator.var == end().var ? nest_.facts.simplify(count) : iterator.domain.extent));
      made.push_back(
          make_buffer(element.buffer->name + suffix, shape, element.buffer->type, element.buffer->scope));
    }
    return made;
  }

  // --- blocks ---

  /// An element of each buffer, of one chunk, without terms.
  Elements elements_of(const std::vector<Buffer>& buffers, const Expr& chunk,
                       const Substitution& iterators) const {
    Elements elements = reducer_.elements();
    std::vector<Expr> indices;
    for (const BlockIterator& iterator : block().iterators) {
      if (iterator.kind != IteratorKind::spatial) continue;
      const Expr place =
          is_zero(iterator.domain.min) ? Expr(iterator.var) : iterator.var - iterator.domain.min;
      indices.push_back(iterator.var == end().var ? chunk : substitute(place, iterators));
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i].buffer = buffers[i];
      elements[i].indices = indices;
    }
    return elements;
  }

  /// Stores of the values, one an element.
  static Stmt stores(const Elements& elements, const std::vector<Expr>& values) {
    std::vector<Stmt> all;
    for (std::size_t i = 0; i < elements.size(); ++i)
      all.push_back(make_store(elements[i].buffer, elements[i].indices, values[i]));
    return make_seq(std::move(all));
  }

  /// The block's iterators anew, some of them over another extent; `iterators` then has what they were.
  Block with_own_iterators(const std::string& suffix, const Expr& ends, const Expr& steps,
                           Substitution& iterators) const {
    Block out{.name = free_block_name(f_, block().name + suffix), .annotations = block().annotations};
    for (const BlockIterator& old : block().iterators) {
      BlockIterator one = old;
      one.var = Var(old.var.name(), old.var.type());
      if (old.var == end().var) {
        one.var = Var("v" + step_loop_->var.name() + (suffix == "_totals" ? "_0" : "_end"), type());
        one.domain = {number(0), nest_.facts.simplify(ends)};
      } else if (old.var == step().var) {
        one.var = Var("v" + step_loop_->var.name() + (suffix == "_totals" ? "_1" : "_0"), type());
        one.domain = {number(0), nest_.facts.simplify(steps)};
      }
      iterators[old.var] = one.var;
      out.iterators.push_back(std::move(one));
    }
    return out;
  }

  static Analyzer inside(const Block& block, Analyzer facts) {
    for (const BlockIterator& iterator : block.iterators) facts.bind(iterator.var, iterator.domain);
    return facts;
  }

  Block block_of_totals() const {
    Substitution iterators;
    Block out = with_own_iterators("_totals", chunks_, factor_, iterators);
    const Expr chunk = iterators[end().var];
    const Expr r = chunk * factor_ + iterators[step().var];
    const Expr guard = is_in_prefix(r, prefixes_ - number(1), inside(out, nest_.facts));
    Elements elements = elements_of(totals_, chunk, iterators);
    iterators[step().var] = r;
    std::vector<Expr> neutral;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i].term = substitute(cut_.terms[i], iterators);
      if (guard.defined()) elements[i].term = chosen_value(guard, elements[i].term, elements[i].neutral);
      neutral.push_back(elements[i].neutral);
    }
    out.init = stores(elements, neutral);
    out.body = reducer_.update(elements);
    return out;
  }

  Block block_of_before() const {
    Substitution iterators;
    Block out = with_own_iterators("_before", last_chunk_ + number(1), chunks_, iterators);
    const Expr end_chunk = iterators[end().var], chunk = iterators[step().var];
    std::erase_if(out.iterators, [&](const BlockIterator& i) {
      return i.kind == IteratorKind::reduce && !(i.var == Var(chunk));
    });
    Elements elements = elements_of(before_, end_chunk, iterators);
    const Elements totals = elements_of(totals_, chunk, iterators);
    std::vector<Expr> starts;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i].term =
          make_select(chunk < end_chunk, make_load(totals[i].buffer, totals[i].indices), elements[i].neutral);
      starts.push_back(substitute(start_values_[i], iterators));
    }
    out.init = stores(elements, starts);
    out.body = reducer_.update(elements);
    return out;
  }

  /// x + 0 is not x where x is -0, x + -0 always is: where it is known that a step is beyond the prefix,
  /// which is so of half of them when both loops are unrolled, nothing is left of it.
  static Expr without_effect(const Expr& neutral) {
    const auto* number = neutral.as<FloatImm>();
    return number != nullptr && number->value == 0 ? make_float(-0.0, neutral.type()) : neutral;
  }

  /// The old block over the steps of one chunk.
  Stmt nest_of_rest() const {
    Block out = block();
    out.reads.reset();
    out.writes.reset();
    const Var now(step().var.name(), type());
    out.iterators[cut_.step] = {now, {number(0), factor_}, IteratorKind::reduce, step_loop_->var};
    const Analyzer facts = inside(out, nest_.facts);
    const Expr j = make_cast(type(), end().var), chunk = facts.simplify(chunk_of(j, facts));
    const Expr r = chunk * factor_ + now;
    const Expr guard = is_in_prefix(r, j, facts);
    const Elements before = elements_of(before_, chunk, {});
    Elements elements = reducer_.elements();
    std::vector<Expr> starts;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      starts.push_back(make_load(before[i].buffer, before[i].indices));
      elements[i].term = substitute(cut_.terms[i], step().var, r);
      if (guard.defined())
        elements[i].term = chosen_value(guard, elements[i].term, without_effect(elements[i].neutral));
    }
    out.init = stores(elements, starts);
    out.body = reducer_.update(elements);
    out.predicate = {};
    for (const Expr& condition : conditions_) out.predicate = both_hold(out.predicate, condition);
    std::vector<For> loops;
    for (const For* loop : nest_.loops) {
      loops.push_back(*loop);
      if (loop == step_loop_) loops.back().extent = factor_;
    }
    return in_loops(std::move(loops), std::move(out));
  }

  // --- loops ---

  Stmt nest_of_totals(const Block& block) const {
    return nest_of(block, "_0", chunks_, "_1", factor_, /*keeps_other_steps=*/true);
  }
  Stmt nest_of_before(const Block& block) const {
    return nest_of(block, "_end", last_chunk_ + number(1), "_0", chunks_, /*keeps_other_steps=*/false);
  }

  /// The block in copies of the loops, those of the cut over other extents.
  Stmt nest_of(Block block, const std::string& end_suffix, const Expr& ends, const std::string& step_suffix,
               const Expr& steps, bool keeps_other_steps) const {
    Substitution loops;
    std::vector<For> around;
    const auto add = [&](const For* old, For made) {
      loops[old->var] = made.var;
      around.push_back(std::move(made));
    };
    const std::string& name = step_loop_->var.name();
    for (const For* loop : nest_.loops) {
      if (loop == end_loop_)
        add(loop, {Var(name + end_suffix, type()), number(0), nest_.facts.simplify(ends)});
      else if (loop == step_loop_)
        add(loop, {Var(name + step_suffix, type()), number(0), nest_.facts.simplify(steps)});
      else if (nest_.feeds(*loop, IteratorKind::spatial))
        add(loop, {Var(fmt::format("ax{}", around.size()), loop->var.type()), loop->min, loop->extent});
      else if (keeps_other_steps && nest_.feeds(*loop, IteratorKind::reduce))
        add(loop, {Var(loop->var.name(), loop->var.type()), loop->min, loop->extent});
      else
        loops[loop->var] = loop->min;  // one iteration, or of steps that totals hold
    }
    for (BlockIterator& iterator : block.iterators) iterator.binding = substitute(iterator.binding, loops);
    for (BlockIterator& iterator : block.iterators)
      if (iterator.var.type() != iterator.binding.type())
        iterator.binding = make_cast(iterator.var.type(), iterator.binding);
    for (const Expr& condition : conditions_)
      block.predicate = both_hold(block.predicate, substitute(condition, loops));
    return in_loops(std::move(around), std::move(block));
  }

  const Function& f_;
  const SplitPrefix& step_;
  const ReductionNest& nest_;
  const Reducer& reducer_;
  Context& context_;
  PrefixCut cut_;
  const For *end_loop_ = nullptr, *step_loop_ = nullptr;
  std::vector<Expr> conditions_;    ///< about loops that the cut is not about
  std::vector<Expr> start_values_;  ///< one an element
  Expr factor_, steps_, prefixes_;
  Expr last_chunk_, chunks_;  ///< the one of the longest prefix, and how many have totals
  std::vector<Buffer> totals_, before_;
};

}  // namespace

Outcome apply(const Function& f, const SplitPrefix& step, Context& context) {
  const Path path = ARDEA_TRY(refer(f, step.block));
  if (path.size() == 1) return Refusal{"root_block", "the root block has no iterators"};
  const ReductionNest nest =
      ARDEA_TRY(reduction_nest(f, path, nest_begin(path), context, Share::whole, Conditions::mixed));
  const Reducer reducer = ARDEA_TRY(reducer_of(nest));
  return PrefixSplit(f, step, nest, reducer, context).run();
}

}  // namespace ardea::schedule
