#include "ardea/schedule/primitives/reduce/pad_einsum.h"

#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/in_loops.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/reducer.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/primitives/memory/added_blocks.h"
#include "ardea/schedule/primitives/memory/copy_block.h"
#include "ardea/schedule/program/both_hold.h"
#include "ardea/schedule/program/plain_loop.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/scope.h"

namespace ardea::schedule {

namespace {

/// A buffer of the block, and which iterator each of its dimensions is indexed by.
struct EinsumOperand {
  Buffer buffer;
  std::vector<std::size_t> iterators;
  Buffer padded = {};  ///< empty where it stays
};

class Padding {
 public:
  Padding(const Function& f, const Path& path, const PadEinsum& step, Context& context)
      : f_(f), path_(path), block_(path.block()), step_(step), context_(context) {}

  Outcome run() {
    for (const auto check : {&Padding::find_loops, &Padding::find_extents, &Padding::find_operands,
                             &Padding::refuse_padding_that_counts})
      ARDEA_TRY((this->*check)());
    std::vector<Stmt> statements;
    std::vector<Reference> results;
    const auto add = [&](const Block& block) {
      statements.push_back(whole_nest(block, facts_, context_));
      results.emplace_back(BlockRef{block.id});
    };
    for (const EinsumOperand& input : inputs_)
      if (input.padded.defined()) add(copy_in(input));
    statements.push_back(padded_nest());
    if (output_.padded.defined()) add(copy_out());
    Function program = with_in_sequence(f_, outside(), std::move(statements));
    const BlockRef around{path_.block_around().block().id};
    for (const EinsumOperand& operand : operands())
      if (operand.padded.defined()) program = with_allocation(program, around, operand.padded);
    return Applied{arith::complete_regions(program), std::move(results)};
  }

 private:
  bool is_padded(std::size_t iterator) const {
    // A 1 that is written is no number of the template: that nothing is padded is known for all of them.
    if (const auto* written = std::get_if<std::int64_t>(&step_.padding[iterator]); written && *written == 1)
      return false;
    return !context_.leaves_out(facts_, equals(value_of(step_.padding[iterator], int64), make_int(1)));
  }
  Path outside() const { return path_.upto(path_.size() - loops_.size() - 1); }

  std::vector<EinsumOperand> operands() const {
    std::vector<EinsumOperand> all = inputs_;
    all.push_back(output_);
    return all;
  }

  /// The loops of the block, outermost first: one an iterator, in any order.
  std::optional<Refusal> find_loops() {
    const auto unfit = [&](const std::string& fact) { return Refusal{"loops_do_not_fit", fact}; };
    std::vector<bool> bound(block_.iterators.size(), false);
    for (std::size_t i = path_.size() - 1; i-- > 0 && loops_.size() < block_.iterators.size();) {
      const auto* loop = path_[i].as<For>();
      if (loop == nullptr) break;
      loops_.insert(loops_.begin(), loop);
    }
    facts_ = outside().facts(f_);
    for (const For* loop : loops_) ARDEA_TRY(refuse_unless_plain(*loop));
    if (block_.predicate.defined())
      return unfit(fmt::format("block {} runs only where {}", block_.name, print(block_.predicate)));
    for (const For* loop : loops_) {
      const auto found = std::find_if(block_.iterators.begin(), block_.iterators.end(),
                                      [&](const BlockIterator& i) { return i.binding == loop->var; });
      if (found == block_.iterators.end() || !is_zero(loop->min) || !is_zero(found->domain.min) ||
          !facts_.proves(equals(arith::as_index(loop->extent), arith::as_index(found->domain.extent))))
        return unfit(fmt::format("loop {} does not run the values of one iterator of block {}",
                                 loop->var.name(), block_.name));
      bound[static_cast<std::size_t>(found - block_.iterators.begin())] = true;
    }
    for (std::size_t i = 0; i < bound.size(); ++i)
      if (!bound[i])
        return unfit(fmt::format("the iterator {} of block {} has no loop of its own around the block alone",
                                 block_.iterators[i].var.name(), block_.name));
    return std::nullopt;
  }

  std::optional<Refusal> find_extents() {
    const std::string counts = fmt::format("there are {} numbers for the {} iterators of block {}",
                                           step_.padding.size(), block_.iterators.size(), block_.name);
    if (step_.padding.size() != block_.iterators.size()) return Refusal{"padding_does_not_fit", counts};
    for (std::size_t i = 0; i < step_.padding.size(); ++i) {
      const Expr multiple = value_of(step_.padding[i], int64);
      ARDEA_TRY(context_.require(facts_, multiple > make_int(0), [&] {
        return Refusal{"padding_does_not_fit",
                       fmt::format("number {} is {}, must be positive", i + 1, print(multiple))};
      }));
      const Expr extent = arith::as_index(block_.iterators[i].domain.extent);
      extents_.push_back(
          is_padded(i) ? facts_.simplify(floor_div(extent + (multiple - 1), multiple) * multiple) : extent);
    }
    return std::nullopt;
  }

  std::optional<Refusal> find_operands() {
    const auto reducer = Reducer::of(block_);
    bool init_is_constant = block_.init.defined();
    if (block_.init.defined())
      visit_exprs(block_.init, [&](const Expr& e) {
        init_is_constant = init_is_constant && !e.is<Load>() && !e.is<Call>();
      });
    if (!reducer || reducer->elements().size() != 1 || !init_is_constant || !block_.matches.empty() ||
        !block_.allocations.empty())
      return Refusal{
          "not_a_reduction",
          fmt::format("block {} is not one update of a reduction that starts from a constant", block_.name)};
    const ReducedElement& element = reducer->elements()[0];
    term_ = element.term;
    neutral_ = element.neutral;
    ARDEA_TRY(take(output_, element.buffer, element.indices));
    std::optional<Refusal> refusal;
    visit_exprs(term_, [&](const Expr& e) {
      const auto* load = e.as<Load>();
      if (load == nullptr || refusal) return;
      EinsumOperand input;
      refusal = load->predicate.defined()
                    ? Refusal{"index_not_iterator", fmt::format("{} is a masked load", print(e))}
                    : take(input, load->buffer, load->indices);
      if (!refusal) refusal = keep(std::move(input));
    });
    return refusal;
  }

  std::optional<Refusal> take(EinsumOperand& operand, const Buffer& buffer,
                              const std::vector<Expr>& indices) {
    operand.buffer = buffer;
    std::vector<Expr> shape;
    for (const Expr& index : indices) {
      const auto found = std::find_if(block_.iterators.begin(), block_.iterators.end(),
                                      [&](const BlockIterator& i) { return index == i.var; });
      const auto at = static_cast<std::size_t>(found - block_.iterators.begin());
      const auto& known = operand.iterators;
      if (found == block_.iterators.end() || std::find(known.begin(), known.end(), at) != known.end())
        return Refusal{"index_not_iterator",
                       fmt::format("an index of {} is not an iterator of block {} alone",
                                   print(make_load(buffer, indices)), block_.name)};
      // A copy reads all that the iterators reach, also what the block itself reads under a condition only.
      const Expr extent = arith::as_index(found->domain.extent);
      const Expr size = arith::as_index(buffer->shape[operand.iterators.size()]);
      ARDEA_TRY(context_.require(facts_, extent <= size, [&] {
        return Refusal{
            "operand_too_small",
            fmt::format("{} reaches {}, and {} has {} elements there, which block {} asks before it reads",
                        found->var.name(), print(facts_.simplify(extent)), buffer->name, print(size),
                        block_.name)};
      }));
      operand.iterators.push_back(at);
      shape.push_back(extents_[at]);
    }
    if (std::any_of(operand.iterators.begin(), operand.iterators.end(),
                    [&](std::size_t i) { return is_padded(i); }))
      operand.padded = make_buffer(buffer->name + "_pad", shape, buffer->type, buffer->scope);
    return std::nullopt;
  }

  std::optional<Refusal> keep(EinsumOperand input) {
    const auto same = std::find_if(inputs_.begin(), inputs_.end(),
                                   [&](const EinsumOperand& known) { return known.buffer == input.buffer; });
    if (same == inputs_.end()) {
      inputs_.push_back(std::move(input));
      return std::nullopt;
    }
    if (same->iterators == input.iterators) return std::nullopt;
    return Refusal{"several_patterns",
                   fmt::format("block {} reads {} in two ways", block_.name, input.buffer->name)};
  }

  /// What a reduction meets beyond its old extent must be neutral, whatever lies there in operands that the
  /// iterator does not index.
  std::optional<Refusal> refuse_padding_that_counts() {
    for (std::size_t i = 0; i < block_.iterators.size(); ++i) {
      if (block_.iterators[i].kind != IteratorKind::reduce || !is_padded(i)) continue;
      Rewriter rewriter;
      rewriter.expr_after = [&](const Expr& e) -> Expr {
        const auto* load = e.as<Load>();
        if (load == nullptr) return e;
        const EinsumOperand& input = *std::find_if(
            inputs_.begin(), inputs_.end(), [&](const EinsumOperand& o) { return o.buffer == load->buffer; });
        const bool zero =
            std::find(input.iterators.begin(), input.iterators.end(), i) != input.iterators.end();
        return zero ? make_const(0, e.type()) : e;
      };
      const Expr beyond = facts_.simplify(rewrite(term_, rewriter));
      if (!structurally_equal(beyond, neutral_))
        return Refusal{"padding_counts",
                       fmt::format("beyond the extent of {} block {} would combine {} into its result, "
                                   "which is not neutral",
                                   block_.iterators[i].var.name(), block_.name, print(beyond))};
    }
    return std::nullopt;
  }

  // --- what comes of it ---

  /// The elements of the buffer, and 0 around them.
  Block copy_in(const EinsumOperand& input) const {
    return block_over(
        free_block_name(f_, input.padded->name), input.padded->shape, [&](const std::vector<Expr>& at) {
          Expr inside;
          for (std::size_t d = 0; d < at.size(); ++d)
            if (const std::size_t i = input.iterators[d]; is_padded(i))
              inside = both_hold(inside, at[d] < arith::as_index(block_.iterators[i].domain.extent));
          return make_store(
              input.padded, at,
              chosen_value(inside, make_load(input.buffer, at), make_const(0, input.buffer->type)));
        });
  }

  Block copy_out() const {
    std::vector<Expr> shape;
    for (const std::size_t i : output_.iterators) shape.push_back(block_.iterators[i].domain.extent);
    return block_over(free_block_name(f_, output_.buffer->name + "_unpad"), shape,
                      [&](const std::vector<Expr>& at) {
                        return make_store(output_.buffer, at, make_load(output_.padded, at));
                      });
  }

  Stmt padded_nest() const {
    std::unordered_map<Buffer, Buffer> padded;
    for (const EinsumOperand& operand : operands())
      if (operand.padded.defined()) padded[operand.buffer] = operand.padded;
    Block block = *substitute_buffers(path_.back(), padded).as<Block>();
    for (std::size_t i = 0; i < block.iterators.size(); ++i)
      if (is_padded(i))
        block.iterators[i].domain.extent = make_cast(block.iterators[i].domain.extent.type(), extents_[i]);
    block.reads.reset();
    block.writes.reset();
    std::vector<For> loops;
    for (const For* old : loops_) {
      For loop = *old;
      for (std::size_t j = 0; j < extents_.size(); ++j)
        if (is_padded(j) && block_.iterators[j].binding == loop.var)
          loop.extent = make_cast(loop.extent.type(), extents_[j]);
      loops.push_back(std::move(loop));
    }
    return in_loops(std::move(loops), with_own_lets(std::move(block)));
  }

  const Function& f_;
  const Path& path_;
  const Block& block_;
  const PadEinsum& step_;
  Context& context_;
  arith::Analyzer facts_;  ///< outside the loops
  std::vector<const For*> loops_;
  std::vector<Expr> extents_;  ///< padded, one an iterator
  std::vector<EinsumOperand> inputs_;
  EinsumOperand output_;
  Expr term_, neutral_;
};

}  // namespace

Outcome apply(const Function& f, const PadEinsum& step, Context& context) {
  const Path path = ARDEA_TRY(refer(f, step.block));
  if (path.size() == 1) return Refusal{"root_block", "the root block has no iterators"};
  return Padding(f, path, step, context).run();
}

}  // namespace ardea::schedule
