#include "ardea/schedule/primitives/reduce/rfactor.h"

#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/ir/in_loops.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/reducer.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/program/both_hold.h"
#include "ardea/schedule/program/plain_loop.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/scope.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;
using Elements = std::vector<ReducedElement>;

class Factoring {
 public:
  Factoring(const Function& f, const For& loop, const ReductionNest& nest, const Reducer& reducer,
            std::size_t axis)
      : f_(f), loop_(loop), nest_(nest), reducer_(reducer), axis_(axis) {}

  Outcome run() {
    split_conditions();
    ARDEA_TRY(refuse_outer_variables());
    make_buffers();
    const Block partial = partial_block();
    const Stmt old = nest_.path.back();
    Rewriter rewriter;
    rewriter.stmt = [&](const Stmt& s) { return s == old ? std::optional<Stmt>(partial) : std::nullopt; };
    const Stmt nest = rewrite(nest_.path[nest_.first], rewriter);
    const Path scope = nest_.path.block_around();
    Function program = with(f_, nest_.outside(), make_seq({nest, final_nest()}));
    Block around = path_to(program, BlockRef{scope.block().id})->block();
    around.allocations.insert(around.allocations.end(), buffers_.begin(), buffers_.end());
    program = with(program, *path_to(program, BlockRef{around.id}), around);
    return Applied{arith::complete_regions(program), {BlockRef{partial.id}}};
  }

 private:
  const Block& block() const { return nest_.block(); }

  /// A condition that the first instance of each value of the loop fulfils may stay the block's: its partial
  /// result is still initialised. Any other goes into the terms, and so does one that ends some partial
  /// results an iteration of an outer loop before the others: it would hide from later steps that all of them
  /// are complete.
  void split_conditions() {
    Analyzer facts = nest_.facts_of_spatial_loops();
    facts.bind(loop_.var, {loop_.min, loop_.extent});
    Substitution start;
    for (const For* loop : nest_.loops)
      if (nest_.feeds(*loop, IteratorKind::reduce) && !(loop->var == loop_.var)) start[loop->var] = loop->min;
    for (const Expr& condition : nest_.conditions) {
      const bool stays = !nest_.is_about_reduction(condition) ||
                         (!ends_early(condition, start) && facts.proves(substitute(condition, start)));
      (stays ? predicate_ : guard_) = both_hold(stays ? predicate_ : guard_, condition);
    }
  }

  bool ends_early(const Expr& condition, const Substitution& other_reduce_loops) const {
    if (!uses(condition, loop_.var)) return false;
    bool found = false, outside = true;
    for (const For* loop : nest_.loops) {
      outside = outside && !(loop->var == loop_.var);
      if (!other_reduce_loops.count(loop->var) || !uses(condition, loop->var)) continue;
      if (!outside) return false;
      found = true;
    }
    const auto around = nest_.outside().loops();
    return found && std::none_of(around.begin(), around.end(),
                                 [&](const LoopRef& loop) { return uses(condition, loop.var); });
  }

  /// What goes into the new block, or becomes an extent of the new buffer, must be said without the loops and
  /// lets around: only bindings know these.
  std::optional<Refusal> refuse_outer_variables() const {
    for (const LoopRef& loop : nest_.outside().loops()) {
      if (uses(loop_.min, loop.var) || uses(loop_.extent, loop.var))
        return Refusal{"bounds_depend", fmt::format("the bounds of loop {} depend on loop {}",
                                                    loop_.var.name(), loop.var.name())};
      if (guard_.defined() && uses(guard_, loop.var))
        return Refusal{"condition_mixes", fmt::format("block {} runs where {}, which is about the reduction "
                                                      "and about loop {} outside of it",
                                                      block().name, print(guard_), loop.var.name())};
    }
    for (const Stmt& s : nest_.outside()) {
      const auto* let = s.as<LetStmt>();
      if (let == nullptr) continue;
      bool used = (guard_.defined() && uses(guard_, let->var)) || uses(loop_.min, let->var) ||
                  uses(loop_.extent, let->var);
      for (const BlockIterator& iterator : block().iterators)
        used = used || (uses(iterator.binding, loop_.var) && uses(iterator.binding, let->var));
      if (used)
        return Refusal{"let_around",
                       fmt::format("the reduction of block {} depends on {}, which a let around "
                                   "it defines",
                                   block().name, let->var.name())};
    }
    return std::nullopt;
  }

  void make_buffers() {
    for (const ReducedElement& element : reducer_.elements()) {
      std::vector<Expr> shape = element.buffer->shape;
      shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis_), loop_.extent);
      buffers_.push_back(
          make_buffer(element.buffer->name + "_rf", shape, element.buffer->type, element.buffer->scope));
    }
  }

  /// The elements of the partial results, without terms.
  Elements partial_elements(const Expr& part, const Substitution& iterators) const {
    Elements elements = reducer_.elements();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i].buffer = buffers_[i];
      for (Expr& index : elements[i].indices) index = substitute(index, iterators);
      elements[i].indices.insert(elements[i].indices.begin() + static_cast<std::ptrdiff_t>(axis_), part);
    }
    return elements;
  }

  /// Whether the loop's iterations must be told apart inside the block: it feeds an iterator that the loop
  /// feeds, too, or a guard on the terms asks for it.
  bool is_needed(const For& loop) const {
    if (!nest_.feeds(loop, IteratorKind::reduce) || loop.var == loop_.var) return false;
    return (guard_.defined() && uses(guard_, loop.var)) ||
           std::any_of(block().iterators.begin(), block().iterators.end(), [&](const BlockIterator& i) {
             return uses(i.binding, loop.var) && uses(i.binding, loop_.var);
           });
  }

  Block partial_block() const {
    Block out{.name = free_block_name(f_, block().name + "_rf"), .annotations = block().annotations};
    const DataType type = loop_.var.type();
    const Var part("v" + loop_.var.name(), type);
    const bool from_zero = is_zero(loop_.min);
    out.iterators.push_back({part,
                             {make_int(0, type), loop_.extent},
                             IteratorKind::spatial,
                             from_zero ? Expr(loop_.var) : loop_.var - loop_.min});
    Substitution loops, iterators;
    loops[loop_.var] = from_zero ? Expr(part) : part + loop_.min;
    std::vector<BlockIterator> apart;
    for (const For* loop : nest_.loops) {
      if (!is_needed(*loop)) continue;
      const Var var("v" + loop->var.name(), loop->var.type());
      apart.push_back({var, {loop->min, loop->extent}, IteratorKind::reduce, loop->var});
      loops[loop->var] = var;
    }
    for (const BlockIterator& iterator : block().iterators) {
      if (uses(iterator.binding, loop_.var)) {
        iterators[iterator.var] = make_cast(iterator.var.type(), substitute(iterator.binding, loops));
        continue;
      }
      out.iterators.push_back(iterator);
      out.iterators.back().var = Var(iterator.var.name(), iterator.var.type());
      iterators[iterator.var] = out.iterators.back().var;
    }
    out.iterators.insert(out.iterators.end(), apart.begin(), apart.end());
    out.predicate = predicate_;
    Elements elements = partial_elements(part, iterators);
    std::vector<Stmt> init;
    for (ReducedElement& element : elements) {
      init.push_back(make_store(element.buffer, element.indices, element.neutral));
      element.term = substitute(element.term, iterators);
      if (guard_.defined())
        element.term = make_call("if_then_else", {substitute(guard_, loops), element.term, element.neutral});
    }
    out.init = make_seq(std::move(init));
    out.body = reducer_.update(elements);
    return out;
  }

  /// The old block over its spatial iterators and the partial results.
  Stmt final_nest() const {
    Block out = block();
    out.reads.reset();
    out.writes.reset();
    Substitution loops;
    std::vector<For> around;
    for (const For* loop : nest_.loops) {
      if (!nest_.feeds(*loop, IteratorKind::spatial)) {
        loops[loop->var] = loop->min;  // one iteration, or of the reduction
        continue;
      }
      around.push_back({Var(fmt::format("ax{}", around.size()), loop->var.type()), loop->min, loop->extent});
      loops[loop->var] = around.back().var;
    }
    const DataType type = loop_.var.type();
    const Var factor(loop_.var.name(), type), part("v" + loop_.var.name(), type);
    around.push_back({factor, make_int(0, type), loop_.extent});
    std::erase_if(out.iterators, [](const BlockIterator& i) { return i.kind == IteratorKind::reduce; });
    for (BlockIterator& iterator : out.iterators) iterator.binding = substitute(iterator.binding, loops);
    out.iterators.push_back({part, {make_int(0, type), loop_.extent}, IteratorKind::reduce, factor});
    out.predicate = {};
    for (const Expr& condition : nest_.conditions)
      if (!nest_.is_about_reduction(condition))
        out.predicate = both_hold(out.predicate, substitute(condition, loops));
    Substitution starts;
    for (const BlockIterator& iterator : block().iterators)
      if (iterator.kind == IteratorKind::reduce)
        starts[iterator.var] = make_cast(iterator.var.type(), iterator.domain.min);
    out.init = substitute(block().init, starts);
    Elements elements = reducer_.elements();
    const Elements partial = partial_elements(part, {});
    for (std::size_t i = 0; i < elements.size(); ++i)
      elements[i].term = make_load(partial[i].buffer, partial[i].indices);
    out.body = reducer_.update(elements);
    return in_loops(std::move(around), std::move(out));
  }

  const Function& f_;
  const For& loop_;
  const ReductionNest& nest_;
  const Reducer& reducer_;
  const std::size_t axis_;
  Expr predicate_, guard_;
  std::vector<Buffer> buffers_;
};

/// The one block in the loops inside `loop`, or empty.
Stmt only_block(const For& loop) {
  Stmt s = loop.body;
  while (const auto* inner = s.as<For>()) s = inner->body;
  return s.is<Block>() ? s : Stmt();
}

}  // namespace

Outcome apply(const Function& f, const RFactor& step, Context& context) {
  const FoundLoop found = ARDEA_TRY(refer_to_loop(f, step.loop));
  const std::string& loop_name = found.loop->var.name();
  if (found.loop->kind != ForKind::serial)
    return Refusal{"loop_is_not_serial",
                   fmt::format("loop {} is {}", loop_name, kind_name(found.loop->kind))};
  const Stmt block = only_block(*found.loop);
  if (!block.defined())
    return Refusal{"not_one_block", fmt::format("loop {} holds more than loops around one block", loop_name)};
  const Path path = *path_to(f, BlockRef{block.as<Block>()->id});
  const ReductionNest nest = ARDEA_TRY(reduction_nest(f, path, nest_begin(found.path), context));
  if (!nest.feeds(*found.loop, IteratorKind::reduce))
    return Refusal{"loop_does_not_reduce",
                   fmt::format("loop {} feeds no reduce iterator of block {}", loop_name, nest.block().name)};
  const Reducer reducer = ARDEA_TRY(reducer_of(nest));
  std::int64_t rank = std::ssize(reducer.elements()[0].indices);
  for (const ReducedElement& element : reducer.elements()) rank = std::min(rank, std::ssize(element.indices));
  const std::int64_t axis = step.factor_axis < 0 ? step.factor_axis + rank + 1 : step.factor_axis;
  if (axis < 0 || axis > rank)
    return Refusal{"no_such_axis", fmt::format("factor_axis is {}, must be from {} to {}", step.factor_axis,
                                               -rank - 1, rank)};
  return Factoring(f, *found.loop, nest, reducer, static_cast<std::size_t>(axis)).run();
}

}  // namespace ardea::schedule
