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
#include "ardea/schedule/primitives/memory/held_values.h"
#include "ardea/schedule/program/both_hold.h"
#include "ardea/schedule/program/plain_loop.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/scope.h"

namespace ardea::schedule {

namespace {

/// What the block does with one dimension of a buffer.
struct EinsumDimension {
  std::optional<std::size_t> iterator;  ///< that alone is the index
  Expr index;
  Expr read;    ///< elements of it that a copy has to hold
  Expr extent;  ///< of the copy
  bool is_padded = false;
};

/// A buffer of the block.
struct EinsumOperand {
  Buffer buffer;
  std::vector<EinsumDimension> dimensions;
  Buffer padded = {};         ///< empty where it stays
  bool is_asked_for = false;  ///< it stays, though padded iterators may take an index beyond it

  bool has_index(std::size_t iterator) const {
    return std::any_of(dimensions.begin(), dimensions.end(),
                       [&](const EinsumDimension& d) { return d.iterator == iterator; });
  }
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
    // A result may lie in one row of its buffer, as that of a batch of one does.
    for (const EinsumDimension& dimension : output_.dimensions)
      if (!dimension.iterator && !free_variables(dimension.index).empty())
        return not_fitting(element.buffer, element.indices);
    // Of one that moves no index there would be several instances that write the same.
    for (std::size_t i = 0; i < block_.iterators.size(); ++i)
      if (block_.iterators[i].kind != IteratorKind::reduce && is_padded(i) && !output_.has_index(i))
        return Refusal{
            "index_not_iterator",
            fmt::format("iterator {} of block {} is no index of {}, so that padding it would write "
                        "elements again",
                        block_.iterators[i].var.name(), block_.name, element.buffer->name)};
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
    ARDEA_TRY(refusal);
    for (const EinsumOperand& input : inputs_) ARDEA_TRY(refuse_copy_of_no_value(input));
    return std::nullopt;
  }

  /// A copy holds more than the block reads where an index leaves gaps, one iterator is in two of them or the
  /// read has a condition: such elements may never have been written.
  std::optional<Refusal> refuse_copy_of_no_value(const EinsumOperand& input) {
    const bool stays = !input.padded.defined() && !input.is_asked_for;
    if (stays || is_never_written(f_, input.buffer)) return std::nullopt;
    BufferRegion copied{input.buffer, {}};
    for (const EinsumDimension& dimension : input.dimensions)
      copied.region.push_back({make_int(0), dimension.read});
    const Stmt& nest = path_[path_.size() - loops_.size() - 1];
    if (reads_all(nest, copied, facts_) || was_written_before(f_, path_, copied, facts_)) return std::nullopt;
    return context_.judge(Refusal{
        "operand_has_no_value",
        fmt::format(
            "it is not proved that all of {}, which is copied before block {}, has a value there: the "
            "block reads only a part, and no statement before it writes the whole",
            print(copied), block_.name)});
  }

  Refusal not_fitting(const Buffer& buffer, const std::vector<Expr>& indices) const {
    return Refusal{"index_not_iterator", fmt::format("an index of {} is not an iterator of block {} alone",
                                                     print(make_load(buffer, indices)), block_.name)};
  }

  std::optional<Refusal> take(EinsumOperand& operand, const Buffer& buffer,
                              const std::vector<Expr>& indices) {
    operand.buffer = buffer;
    if (&operand != &output_ && moves_otherwise(indices)) {
      for (std::size_t d = 0; d < indices.size(); ++d) {
        const Expr size = arith::as_index(buffer->shape[d]);
        operand.dimensions.push_back({std::nullopt, indices[d], size, size});
      }
      operand.is_asked_for = true;
      return std::nullopt;
    }
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const auto found = std::find_if(block_.iterators.begin(), block_.iterators.end(),
                                      [&](const BlockIterator& i) { return indices[d] == i.var; });
      const auto at = static_cast<std::size_t>(found - block_.iterators.begin());
      if (found == block_.iterators.end() || operand.has_index(at)) {
        EinsumDimension dimension = ARDEA_TRY(compound_dimension(buffer, indices, d));
        operand.dimensions.push_back(std::move(dimension));
        continue;
      }
      // A copy reads all that the iterators reach, also what the block itself reads under a condition only.
      const Expr extent = arith::as_index(found->domain.extent);
      ARDEA_TRY(require_elements(buffer, d, extent, found->var.name()));
      operand.dimensions.push_back({at, indices[d], extent, extents_[at], is_padded(at)});
    }
    std::vector<Expr> shape;
    bool has_padding = false;
    for (const EinsumDimension& dimension : operand.dimensions) {
      shape.push_back(dimension.extent);
      has_padding = has_padding || dimension.is_padded;
    }
    if (has_padding) operand.padded = make_buffer(buffer->name + "_pad", shape, buffer->type, buffer->scope);
    return std::nullopt;
  }

  /// Whether padded iterators, all of which make elements, move an index in quotients or remainders. No copy
  /// that is padded would be read so; and what is read for elements that nobody asked for may be anything.
  bool moves_otherwise(const std::vector<Expr>& indices) const {
    bool divides = false;
    for (const Expr& index : indices)
      for (std::size_t i = 0; i < block_.iterators.size(); ++i) {
        if (!is_padded(i) || !uses(index, block_.iterators[i].var)) continue;
        if (block_.iterators[i].kind == IteratorKind::reduce) return false;
        visit_exprs(index, [&](const Expr& e) {
          const auto* binary = e.as<Binary>();
          divides = divides || (binary != nullptr && uses(e, block_.iterators[i].var) &&
                                (binary->op == BinaryOp::floor_div || binary->op == BinaryOp::floor_mod));
        });
      }
    return divides;
  }

  /// Of an index that moves with padded iterators a step each, as windows do: the copy reaches as far as it
  /// does. Of one that does not the copy has all elements.
  Result<EinsumDimension> compound_dimension(const Buffer& buffer, const std::vector<Expr>& indices,
                                             std::size_t d) {
    std::vector<arith::LoopRange> ranges;
    bool moves = false;
    for (std::size_t i = 0; i < block_.iterators.size(); ++i) {
      ranges.emplace_back(block_.iterators[i].var, block_.iterators[i].domain);
      moves = moves || (is_padded(i) && uses(indices[d], block_.iterators[i].var));
    }
    const Expr size = arith::as_index(buffer->shape[d]);
    const auto not_moving = [&] {
      return Refusal{"index_not_iterator",
                     fmt::format("{} has an index that does not move with the padded iterators of block {} "
                                 "forwards, by a fixed step each",
                                 print(make_load(buffer, indices)), block_.name)};
    };
    if (!moves) return EinsumDimension{std::nullopt, indices[d], size, size};
    const auto steps = arith::linear_coefficients(indices[d], ranges, facts_);
    if (!steps) return not_moving();
    Expr first = arith::as_index(indices[d]), lowest = make_int(0), before = make_int(0), after = make_int(0);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const auto step = constant_int((*steps)[i]);
      if (!step || (is_padded(i) && *step < 0)) return not_moving();
      const Expr extent = arith::as_index(ranges[i].second.extent);
      first = substitute(first, ranges[i].first, make_const(0, ranges[i].first.type()));
      (*step < 0 ? lowest : before) = (*step < 0 ? lowest : before) + make_int(*step) * (extent - 1);
      if (*step > 0) after = after + make_int(*step) * (extents_[i] - 1);
    }
    const Expr reach = facts_.simplify(first + before + 1);
    ARDEA_TRY(context_.require(facts_, first + lowest >= make_int(0), not_moving));
    ARDEA_TRY(require_elements(buffer, d, reach, print(indices[d])));
    return EinsumDimension{std::nullopt, indices[d], reach, facts_.simplify(first + after + 1), true};
  }

  std::optional<Refusal> require_elements(const Buffer& buffer, std::size_t d, const Expr& reach,
                                          const std::string& what) {
    const Expr size = arith::as_index(buffer->shape[d]);
    return context_.require(facts_, reach <= size, [&] {
      return Refusal{
          "operand_too_small",
          fmt::format("{} reaches {}, and {} has {} elements there, which block {} asks before it reads",
                      what, print(facts_.simplify(reach)), buffer->name, print(size), block_.name)};
    });
  }

  std::optional<Refusal> keep(EinsumOperand input) {
    const auto same = std::find_if(inputs_.begin(), inputs_.end(),
                                   [&](const EinsumOperand& known) { return known.buffer == input.buffer; });
    if (same == inputs_.end()) {
      inputs_.push_back(std::move(input));
      return std::nullopt;
    }
    const bool is_same =
        std::equal(same->dimensions.begin(), same->dimensions.end(), input.dimensions.begin(),
                   [](const EinsumDimension& a, const EinsumDimension& b) {
                     return structurally_equal(a.index, b.index);
                   });
    if (is_same) return std::nullopt;
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
        // An index that other iterators move, too, meets elements beyond the extent.
        return input.has_index(i) ? make_const(0, e.type()) : e;
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
            if (const EinsumDimension& dimension = input.dimensions[d]; dimension.is_padded)
              inside = both_hold(inside, at[d] < dimension.read);
          return make_store(
              input.padded, at,
              chosen_value(inside, make_load(input.buffer, at), make_const(0, input.buffer->type)));
        });
  }

  Block copy_out() const {
    std::vector<Expr> shape;
    for (const EinsumDimension& dimension : output_.dimensions)
      shape.push_back(dimension.iterator ? block_.iterators[*dimension.iterator].domain.extent : make_int(1));
    return block_over(free_block_name(f_, output_.buffer->name + "_unpad"), shape, [&](std::vector<Expr> at) {
      for (std::size_t d = 0; d < at.size(); ++d)
        if (!output_.dimensions[d].iterator) at[d] = output_.dimensions[d].index;
      return make_store(output_.buffer, at, make_load(output_.padded, at));
    });
  }

  /// With 0 for what padded iterators would read beyond an operand that stays.
  Stmt asked_for(const Stmt& body) const {
    arith::Analyzer facts = facts_;
    for (std::size_t i = 0; i < block_.iterators.size(); ++i)
      facts.bind(block_.iterators[i].var, {make_int(0), extents_[i]});
    return map_children(body, Mapper{.expr = [&](const Expr& e) { return asked_for(e, facts); }});
  }

  Expr asked_for(const Expr& e, const arith::Analyzer& facts) const {
    if (const auto* choice = e.as<Call>();
        choice != nullptr && choice->op == find_intrinsic("if_then_else")) {
      arith::Analyzer inside = facts;
      inside.assume(choice->arguments[0]);
      return map_children(e, Mapper{.expr = [&](const Expr& part) {
                            return asked_for(part, part == choice->arguments[1] ? inside : facts);
                          }});
    }
    const Expr out =
        map_children(e, Mapper{.expr = [&](const Expr& part) { return asked_for(part, facts); }});
    const auto* load = e.as<Load>();
    const auto is_it = [&](const EinsumOperand& input) {
      return load != nullptr && input.is_asked_for && input.buffer == load->buffer;
    };
    if (std::none_of(inputs_.begin(), inputs_.end(), is_it)) return out;
    Expr inside;
    for (std::size_t d = 0; d < load->indices.size(); ++d) {
      const Expr index = arith::as_index(load->indices[d]), size = arith::as_index(load->buffer->shape[d]);
      for (const Expr& condition : {make_int(0) <= index, index < size})
        if (!context_.decides(facts, condition)) inside = both_hold(inside, condition);
    }
    return inside.defined() ? chosen_value(inside, out, make_const(0, load->buffer->type)) : out;
  }

  Stmt padded_nest() const {
    std::unordered_map<Buffer, Buffer> padded;
    for (const EinsumOperand& operand : operands())
      if (operand.padded.defined()) padded[operand.buffer] = operand.padded;
    Block block = *substitute_buffers(path_.back(), padded).as<Block>();
    block.body = asked_for(block.body);
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
