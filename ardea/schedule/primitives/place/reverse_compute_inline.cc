#include "ardea/schedule/primitives/place/reverse_compute_inline.h"

#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/arith/verify_laws.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/analysis/element_function.h"
#include "ardea/schedule/analysis/inverse_index.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/removal.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/schedule/program/touches.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;
using arith::as_index;

/// How often the load stands in e, written out; 2 means at least twice.
int occurrences(const Expr& e, const Buffer& buffer) {
  const auto* load = e.as<Load>();
  int count = load != nullptr && load->buffer == buffer ? 1 : 0;
  for_each_child(e, [&](const Expr& part) {
    if (count < 2) count += occurrences(part, buffer);
  });
  return std::min(count, 2);
}

class ReverseInlining {
 public:
  ReverseInlining(const Function& f, const ElementFunction& consumer, Context& context)
      : f_(f),
        consumer_(consumer),
        context_(context),
        facts_(arith::facts_inside(scope(), consumer.scope.facts(f))) {}

  Outcome run() {
    ARDEA_TRY(find_producer());
    for (const auto check : {&ReverseInlining::check_order, &ReverseInlining::find_element,
                             &ReverseInlining::solve, &ReverseInlining::check_whole_domain,
                             &ReverseInlining::check_rounds, &ReverseInlining::check_between})
      ARDEA_TRY((this->*check)());
    Removed rest = without(f_, consumer_.path);
    const Path path = *path_to(rest.program, BlockRef{scope().id});
    Block around = path.block();
    std::erase(around.allocations, buffer_);
    const Stmt old = producer_->path.back();
    Rewriter rewriter;
    rewriter.stmt = [&](const Stmt& s) { return s == old ? std::optional<Stmt>(merged()) : std::nullopt; };
    around.body = rewrite(around.body, rewriter);
    rest.gone.push_back({BlockRef{to().id}, {}});
    return Applied{arith::complete_regions(with(rest.program, path, around)), {}, std::move(rest.gone)};
  }

 private:
  const Block& scope() const { return consumer_.scope.block(); }
  const Block& from() const { return producer_->block(); }
  const Block& to() const { return consumer_.block(); }
  Analyzer inside_producer() const { return arith::facts_inside(from(), facts_); }

  static bool is_part_of(const Touch& touch, const Path& path) {
    return std::find(touch.path.begin(), touch.path.end(), path.back()) != touch.path.end();
  }

  /// The last statement that writes the buffer.
  std::optional<Path> last_writing(const Buffer& buffer) const {
    std::optional<Path> last;
    for (const Touch& touch : touches(consumer_.scope, buffer))
      if (touch.writes) last = touch.path;
    return last;
  }

  /// Of several buffers the one that is made last: what is in the others is there by then, as check_between
  /// asks of all that Q reads.
  std::optional<Refusal> find_producer() {
    std::optional<Path> last;
    for (const Buffer& read : loaded_buffers(consumer_.value)) {
      if (std::find(scope().allocations.begin(), scope().allocations.end(), read) ==
          scope().allocations.end())
        continue;
      const std::optional<Path> writing = last_writing(read);
      if (buffer_.defined() && (!writing || (last && stands_before(*writing, *last)))) continue;
      buffer_ = read;
      last = writing;
    }
    if (!buffer_.defined())
      return Refusal{"no_producer",
                     fmt::format("block {} reads no buffer that the block around it allocates", to().name)};
    return check_uses();
  }

  std::optional<Refusal> check_uses() {
    const std::vector<Touch> all = touches(consumer_.scope, buffer_);
    std::optional<Path> writer;
    for (const Touch& touch : all) {
      if (!touch.plain)
        return Refusal{
            "buffer_is_viewed",
            fmt::format("{} is also used through a view, a matched part or an address", buffer_->name)};
      if (!touch.writes) continue;
      const Path block = touch.path.block_around();
      if (writer && *writer != block)
        return Refusal{"other_writer", fmt::format("{} is written by more than block {}: {}", buffer_->name,
                                                   writer->block().name, arith::brief(touch.path.back()))};
      writer = block;
    }
    if (!writer || writer->block_around() != consumer_.scope)
      return Refusal{"no_producer",
                     fmt::format("no block beside {} writes {}, which it reads", to().name, buffer_->name)};
    ElementFunction producer = ARDEA_TRY(element_function(*writer));
    producer_ = std::move(producer);
    for (const Touch& touch : all)
      if (touch.reads && !is_part_of(touch, consumer_.path))
        return Refusal{"other_reader", fmt::format("{} is read by more than block {}: {}", buffer_->name,
                                                   to().name, arith::brief(touch.path.back()))};
    return std::nullopt;
  }

  std::optional<Refusal> check_order() {
    if (stands_before(producer_->path, consumer_.path)) return std::nullopt;
    return Refusal{"read_before", fmt::format("block {} does not come before block {}, which reads {}",
                                              from().name, to().name, buffer_->name)};
  }

  /// The one element of the buffer that an instance of Q reads.
  std::optional<Refusal> find_element() {
    bool one = true;
    visit_exprs(consumer_.value, [&](const Expr& e) {
      const auto* load = e.as<Load>();
      if (load == nullptr || !(load->buffer == buffer_)) return;
      one = one && !load->predicate.defined() && e.type().lanes == 1;
      if (element_.empty()) element_ = load->indices;
      for (std::size_t d = 0; d < element_.size(); ++d)
        one = one && structurally_equal(element_[d], load->indices[d]);
    });
    for (const Expr& index : element_) one = one && loaded_buffers(index).empty();
    if (one) return std::nullopt;
    return Refusal{"reads_several_elements",
                   fmt::format("block {} reads several elements of {}, or a vector, or one that memory picks",
                               to().name, buffer_->name)};
  }

  /// The iterators of Q by those of P, and the part of P's domain that Q takes.
  std::optional<Refusal> solve() {
    const Refusal refusal{"index_not_invertible",
                          fmt::format("the indices of {} do not determine the iterators of block {}",
                                      print(make_load(buffer_, element_)), to().name)};
    const Analyzer facts = inside_producer();
    const auto values = solve_for_iterators(element_, to().iterators, producer_->indices, facts);
    if (!values) return refusal;
    values_ = *values;
    follow_single_values();
    for (const std::vector<Expr>* indices : {&consumer_.indices, &std::as_const(*producer_).indices})
      for (const Expr& index : *indices)
        if (!loaded_buffers(index).empty()) return refusal;
    for (std::size_t d = 0; d < element_.size(); ++d)
      if (auto other = context_.require(
              facts, equals(as_index(substitute(element_[d], values_)), as_index(producer_->indices[d])),
              [&] {
                return Refusal{"index_not_invertible",
                               fmt::format("block {} reads only {}, not all that block {} writes", to().name,
                                           print(make_load(buffer_, element_)), from().name)};
              }))
        return other;
    for (const BlockIterator& iterator : to().iterators) {
      const Expr value = as_index(values_.at(iterator.var)), low = as_index(iterator.domain.min);
      for (const Expr& condition : {value >= low, value < low + as_index(iterator.domain.extent)})
        if (!facts.proves(condition)) conditions_.push_back(facts.simplify(condition));
    }
    return std::nullopt;
  }

  /// An iterator of Q that has one value and is an index: it is P's index, where that is this value. (By the
  /// value itself all of P's rows would be written to one.)
  void follow_single_values() {
    for (std::size_t d = 0; d < element_.size(); ++d)
      for (const BlockIterator& iterator : to().iterators)
        if (element_[d] == iterator.var &&
            context_.decides(facts_, as_index(iterator.domain.extent) <= make_int(1)))
          values_[iterator.var] = make_cast(iterator.var.type(), producer_->indices[d]);
  }

  /// What Q reads must be known exactly: all that P writes, or all that the domain of Q stands for, which the
  /// conditions say. An instance that reads nothing, as where padding is written, has no instance of P to
  /// move into.
  std::optional<Refusal> check_whole_domain() {
    std::optional<arith::Touched> read, written;
    for (const arith::Access& access : arith::each_access(scope().body, facts_))
      if (access.each.buffer == buffer_) (access.write ? written : read) = access.touched();
    const auto reads = [&](const BufferRegion& part) {
      return contains(read->region, part, facts_) == arith::Proof::proved;
    };
    if (read && read->exact && written && reads(written->region)) {
      conditions_.clear();
      return std::nullopt;
    }
    BufferRegion element{buffer_, {}};
    for (const Expr& index : element_) element.region.push_back({index, make_int(1, index.type())});
    std::vector<arith::LoopRange> domain;
    for (const BlockIterator& iterator : to().iterators) domain.emplace_back(iterator.var, iterator.domain);
    if (read && read->exact && reads(arith::relax(element, domain, facts_).region)) return std::nullopt;
    return Refusal{
        "not_always_read",
        fmt::format("block {} is not proved to run, and to read {}, for all values of its iterators",
                    to().name, buffer_->name)};
  }

  /// Under common loops a round of P is followed by the round of Q that reads it, and by no other.
  std::optional<Refusal> check_rounds() {
    const auto loop = common_loop(consumer_.scope, producer_->path, consumer_.path);
    if (!loop) return std::nullopt;
    const Path inside = consumer_.path.upto(*loop + 1);
    const Analyzer facts = inside.facts(f_);
    std::optional<arith::Touched> written, read;
    for (const arith::Access& access : arith::each_access(inside.back(), facts))
      if (access.each.buffer == buffer_) (access.write ? written : read) = access.touched();
    if (written && read && written->exact && read->exact &&
        contains(written->region, read->region, facts) == arith::Proof::proved &&
        contains(read->region, written->region, facts) == arith::Proof::proved)
      return std::nullopt;
    return Refusal{"rounds_differ",
                   fmt::format("it is not proved that block {} reads just what block {} wrote "
                               "in the same round of loop {}",
                               to().name, from().name, consumer_.path[*loop].as<For>()->var.name())};
  }

  std::optional<Refusal> check_between() {
    const Refusal touched{"output_is_touched", fmt::format("{}, which block {} writes, is touched between "
                                                           "block {} and it",
                                                           consumer_.buffer->name, to().name, from().name)};
    for (const Touch& touch : touches(consumer_.scope, consumer_.buffer))
      if (!is_part_of(touch, consumer_.path) && stands_between(touch.path)) return touched;
    for (const Buffer& input : loaded_buffers(consumer_.value)) {
      if (input == buffer_) continue;
      for (const Touch& touch : touches(consumer_.scope, input))
        if (touch.writes && stands_between(touch.path))
          return Refusal{"input_changes",
                         fmt::format("{}, which block {} reads, is overwritten between block "
                                     "{} and it",
                                     input->name, to().name, from().name)};
    }
    return std::nullopt;
  }

  /// In the sequence where P and Q part, from the statement with P to that with Q.
  bool stands_between(const Path& path) const {
    const std::size_t at = parting(producer_->path, consumer_.path);
    if (path.size() <= at + 1 || !(path[at] == consumer_.path[at])) return false;
    const std::vector<Stmt>& all = consumer_.path[at].as<Seq>()->statements;
    const auto place = [&](const Path& p) { return std::find(all.begin(), all.end(), p[at + 1]); };
    return place(producer_->path) <= place(path) && place(path) <= place(consumer_.path);
  }

  // --- the new block ---

  Stmt merged() const {
    const Analyzer facts = inside_producer();
    const bool renames_only = std::all_of(values_.begin(), values_.end(), [](const auto& value) {
      return value.second.template is<VarNode>();
    });
    const auto moved = [&](const Expr& e) {
      const Expr value = substitute(e, values_);
      return renames_only ? value : facts.simplify(value);
    };
    // A value that is used once is written where it is used; else it is computed once.
    const bool once = occurrences(consumer_.value, buffer_) == 1;
    const Var made(buffer_->name + "_value", buffer_->type);
    const Expr value = once ? producer_->value : Expr(made);
    Rewriter rewriter;
    rewriter.expr = [&](const Expr& e) -> std::optional<Expr> {
      const auto* load = e.as<Load>();
      return load != nullptr && load->buffer == buffer_ ? std::optional(value) : std::nullopt;
    };
    std::vector<Expr> indices;
    for (const Expr& index : consumer_.indices) indices.push_back(moved(index));
    Stmt body = make_store(consumer_.buffer, indices, rewrite(moved(consumer_.value), rewriter));
    if (!once) body = LetStmt{made, producer_->value, body};
    Block block = from();
    block.body = body;
    block.reads.reset();
    block.writes.reset();
    Substitution bindings;
    for (const BlockIterator& iterator : block.iterators)
      bindings[iterator.var] = make_cast(iterator.var.type(), iterator.binding);
    const Analyzer around = producer_->path.facts(f_);
    for (const Expr& condition : conditions_) {
      const Expr part = around.simplify(substitute(condition, bindings));
      if (is_true(part)) continue;
      block.predicate = is_true(block.predicate) ? part : logical_and(block.predicate, part);
    }
    return block;
  }

  const Function& f_;
  const ElementFunction& consumer_;
  Context& context_;
  const Analyzer facts_;  ///< inside the block around both
  std::optional<ElementFunction> producer_;
  Buffer buffer_;
  std::vector<Expr> element_;     ///< what Q reads of it, over Q's iterators
  Substitution values_;           ///< Q's iterators over P's
  std::vector<Expr> conditions_;  ///< over P's iterators: where Q's are in their domain
};

}  // namespace

Outcome apply(const Function& f, const ReverseComputeInline& step, Context& context) {
  Path path = ARDEA_TRY(refer(f, step.block));
  ElementFunction consumer = ARDEA_TRY(element_function(path));
  return ReverseInlining(f, consumer, context).run();
}

}  // namespace ardea::schedule
