#include "ardea/schedule/primitives/memory/add_guard.h"

#include <algorithm>

#include "ardea/arith/dependence.h"
#include "ardea/arith/verify_laws.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/analysis/moved_block.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/program/both_hold.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/schedule/program/touches.h"

namespace ardea::schedule {

namespace {

class Guarding {
 public:
  Guarding(const Function& f, Path path, std::size_t loop)
      : f_(f), path_(std::move(path)), at_(loop), loop_(*path_[loop].as<For>()), block_(path_.block()) {}

  Outcome run() {
    if (is_concurrent(loop_.kind))
      return Refusal{
          "loop_is_concurrent",
          fmt::format("the iterations of loop {} run at the same time, and none of them comes first",
                      name())};
    for (const auto check :
         {&Guarding::walk_inwards, &Guarding::refuse_unless_function, &Guarding::refuse_overwriting,
          &Guarding::refuse_changes, &Guarding::refuse_other_writers})
      ARDEA_TRY((this->*check)());
    Block guarded = block_;
    guarded.predicate = both_hold(guarded.predicate, equals(counter_, make_cast(counter_.type(), loop_.min)));
    return Applied{with(f_, path_, guarded)};
  }

 private:
  const std::string& name() const { return loop_.var.name(); }

  bool varies(const Expr& e) const {
    return e.defined() &&
           std::any_of(varying_.begin(), varying_.end(), [&](const Var& var) { return uses(e, var); });
  }

  bool varies(const Buffer& view) const {
    return varies(view->element_offset) ||
           std::any_of(view->strides.begin(), view->strides.end(), [&](const Expr& e) { return varies(e); });
  }

  Refusal depends(const std::string& what) const {
    return {"depends_on_loop", fmt::format("{} is not the same in each iteration of loop {}", what, name())};
  }

  /// From the loop to the block: what varies with the loop, and the variable that says which iteration it is.
  std::optional<Refusal> walk_inwards() {
    varying_ = {loop_.var};
    counter_ = loop_.var;
    for (std::size_t i = at_ + 1; i < path_.size(); ++i) {
      const Stmt& s = path_[i];
      if (const auto* loop = s.as<For>(); loop != nullptr && (varies(loop->min) || varies(loop->extent)))
        return depends("the range of loop " + loop->var.name());
      if (const auto* branch = s.as<If>(); branch != nullptr && varies(branch->condition))
        return depends(print(branch->condition));
      if (const auto* let = s.as<LetStmt>(); let != nullptr && varies(let->value))
        varying_.push_back(let->var);
      if (const auto* declared = s.as<DeclareBuffer>(); declared != nullptr && varies(declared->buffer))
        return depends("the view " + declared->buffer->name);
      const auto* block = s.as<Block>();
      if (block == nullptr) continue;
      if (block != &block_) ARDEA_TRY(enter(*block));
    }
    if (varies(block_.predicate)) return depends(print(block_.predicate));
    for (const BlockIterator& iterator : block_.iterators)
      if (varies(iterator.binding)) return depends("the iterator " + iterator.var.name());
    for (const Var& var : varying_)
      if (uses(Stmt(block_), var)) return depends("the body of block " + block_.name);
    return std::nullopt;
  }

  std::optional<Refusal> enter(const Block& block) {
    if (varies(block.predicate)) return depends(print(block.predicate));
    for (const Buffer& buffer : block.allocations)
      if (std::any_of(block_.writes->begin(), block_.writes->end(), [&](const BufferRegion& region) {
            return source_of(region.buffer)->data == buffer->data;
          }))
        return Refusal{"allocated_inside",
                       fmt::format("{} is allocated by block {} in each iteration of loop {} anew",
                                   buffer->name, block.name, name()),
                       {},
                       [] { return std::string("lift_alloc moves it outwards"); }};
    Var counter;
    for (const BlockIterator& iterator : block.iterators) {
      if (iterator.binding == counter_) counter = iterator.var;
      if (varies(iterator.binding)) varying_.push_back(iterator.var);
    }
    for (const MatchBuffer& match : block.matches)
      for (const Range& range : match.source.region)
        if (varies(range.min) || varies(range.extent))
          return depends(fmt::format("the part of {} that {} stands for", match.source.buffer->name,
                                     match.buffer->name));
    if (!counter.defined())
      return Refusal{"no_iterator", fmt::format("no iterator of block {} is bound to {} alone", block.name,
                                                print(counter_))};
    counter_ = counter;
    return std::nullopt;
  }

  std::optional<Refusal> refuse_unless_function() {
    const auto not_once = [&](const std::string& why) {
      return Refusal{
          "not_recomputable",
          fmt::format("running block {} twice is not the same as running it once: {}", block_.name, why)};
    };
    if (arith::has_effects(block_)) return not_once("its body has effects");
    if (reads_own_writes(block_)) return not_once("its body changes what was there");
    std::vector<Var> inner;
    for (std::size_t i = at_ + 1; i < path_.size(); ++i)
      if (const auto* loop = path_[i].as<For>()) inner.push_back(loop->var);
    for (const BlockIterator& iterator : block_.iterators) {
      if (iterator.kind == IteratorKind::spatial) continue;
      if (iterator.kind != IteratorKind::reduce)
        return not_once("the values of iterator " + iterator.var.name() + " come in an order");
      for (const Var& var : free_variables(iterator.binding))
        if (std::find(inner.begin(), inner.end(), var) == inner.end())
          return not_once(fmt::format("it combines over {}, which is around loop {}", var.name(), name()));
    }
    return std::nullopt;
  }

  /// What of the blocks around the block follows a loop: the variables, and the one that alone says which
  /// iteration it is, if there is one.
  struct Followers {
    std::vector<Var> variables;
    Var counter;
  };

  Followers followers(std::size_t loop) const {
    const Var& var = path_[loop].as<For>()->var;
    Followers out{{var}, var};
    const auto follows = [&](const Expr& e) {
      return std::any_of(out.variables.begin(), out.variables.end(),
                         [&](const Var& v) { return uses(e, v); });
    };
    for (std::size_t i = loop + 1; i + 1 < path_.size(); ++i) {
      if (const auto* let = path_[i].as<LetStmt>(); let != nullptr && follows(let->value))
        out.variables.push_back(let->var);
      const auto* block = path_[i].as<Block>();
      if (block == nullptr) continue;
      Var counter;
      for (const BlockIterator& iterator : block->iterators) {
        if (out.counter.defined() && iterator.binding == out.counter) counter = iterator.var;
        if (follows(iterator.binding)) out.variables.push_back(iterator.var);
      }
      out.counter = counter;
    }
    return out;
  }

  /// Later iterations find in memory what the first one left there, so that what is written at a place must
  /// be the same whenever it is written. The block's own iterators, which are spatial, have places of their
  /// own. What else follows a loop inside must be an index of what is written: then its iterations have
  /// places of their own, too.
  std::optional<Refusal> refuse_overwriting() {
    Block bare = block_;
    bare.iterators.clear();
    bare.predicate = {};
    const Stmt body = bare;
    for (std::size_t i = at_ + 1; i < path_.size(); ++i) {
      const auto* loop = path_[i].as<For>();
      if (loop == nullptr) continue;
      const Followers found = followers(i);
      if (std::none_of(found.variables.begin(), found.variables.end(),
                       [&](const Var& var) { return uses(body, var); }))
        continue;
      const auto has_own_place = [&](const BufferRegion& region) {
        return std::any_of(region.region.begin(), region.region.end(), [&](const Range& range) {
          return found.counter.defined() && range.min == found.counter && is_one(range.extent);
        });
      };
      for (const BufferRegion& region : *block_.writes)
        if (!has_own_place(region))
          return Refusal{"overwritten_inside",
                         fmt::format("{} gets other values in each iteration of loop {}, and the last ones "
                                     "would be all that later iterations of loop {} find",
                                     print(region), loop->var.name(), name())};
    }
    return std::nullopt;
  }

  /// What a buffer that a block around matches is a part of; the buffer itself elsewhere.
  Buffer source_of(Buffer buffer) const {
    for (std::size_t i = path_.size(); i-- > at_;)
      if (const auto* block = path_[i].as<Block>())
        for (const MatchBuffer& match : block->matches)
          if (match.buffer->data == buffer->data) buffer = match.source.buffer;
    return buffer;
  }

  /// The statement inside the loop, other than those of the block, that writes the memory.
  std::optional<std::string> writer_beside(const Buffer& part) const {
    const Buffer buffer = source_of(part);
    const Path scope = path_.upto(at_).block_around();
    for (const Touch& touch : touches(scope, buffer)) {
      const auto is_under = [&](const Stmt& s) {
        return std::find(touch.path.begin(), touch.path.end(), s) != touch.path.end();
      };
      if (touch.writes && is_under(path_[at_]) && !is_under(path_.back()))
        return arith::brief(touch.path.back());
    }
    return std::nullopt;
  }

  std::optional<Refusal> refuse_changes() {
    std::vector<Buffer> inputs;
    const auto add = [&](const Expr& e) {
      if (!e.defined()) return;
      for (const Buffer& buffer : loaded_buffers(e)) inputs.push_back(buffer);
    };
    for (const BufferRegion& region : *block_.reads) inputs.push_back(region.buffer);
    for (std::size_t i = at_ + 1; i < path_.size(); ++i) for_each_child(path_[i], add, [](const Stmt&) {});
    for (const Buffer& input : inputs)
      if (const auto writer = writer_beside(input))
        return Refusal{"input_changes", fmt::format("{}, which block {} reads, is written in loop {}: {}",
                                                    input->name, block_.name, name(), *writer)};
    return std::nullopt;
  }

  std::optional<Refusal> refuse_other_writers() {
    for (const BufferRegion& region : *block_.writes)
      if (const auto writer = writer_beside(region.buffer))
        return Refusal{"written_elsewhere",
                       fmt::format("{}, which block {} writes, is also written by others in loop {}: {}",
                                   region.buffer->name, block_.name, name(), *writer)};
    return std::nullopt;
  }

  const Function& f_;
  const Path path_;
  const std::size_t at_;  ///< of the loop in the path
  const For& loop_;
  const Block& block_;
  std::vector<Var> varying_;
  Var counter_;
};

}  // namespace

Outcome apply(const Function& f, const AddGuard& step, Context&) {
  Path path = ARDEA_TRY(refer(f, step.block));
  Path loop = ARDEA_TRY(refer(f, step.loop));
  const Path& to_block = path;
  const auto at = std::find(to_block.begin(), to_block.end(), loop.back());
  if (at == to_block.end())
    return Refusal{"loop_not_around_block", fmt::format("loop {} does not stand around block {}",
                                                        step.loop.var.name(), to_block.block().name)};
  return Guarding(f, to_block, static_cast<std::size_t>(at - to_block.begin())).run();
}

}  // namespace ardea::schedule
