#include "ardea/schedule/primitives/place/compute_root.h"

#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/moved_block.h"
#include "ardea/schedule/analysis/placed_nest.h"
#include "ardea/schedule/program/changes.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/removal.h"
#include "ardea/schedule/program/scope.h"

namespace ardea::schedule {

namespace {

class Rooting {
 public:
  Rooting(const Function& f, Path path)
      : f_(f), path_(std::move(path)), block_(path_.block()), top_(path_.block_around().size()) {
    // What is defined for all of the scope stays around the new place.
    while (path_[top_].is<LetStmt>() || path_[top_].is<DeclareBuffer>() || path_[top_].is<Allocate>()) ++top_;
    if (path_[top_].is<Seq>()) ++top_;
    before_ = executed(f_, path_, top_, iteration_space(block_));
  }

  Outcome run() {
    ARDEA_TRY(check());
    const Stmt consumer = first_consumer();
    if (!consumer.defined())
      return Refusal{"no_consumer", fmt::format("nothing reads what block {} writes", block_.name)};
    ARDEA_TRY(check_way(consumer));
    return placed(consumer);
  }

 private:
  std::optional<Refusal> check() const {
    if (std::none_of(path_.begin() + static_cast<std::ptrdiff_t>(top_), path_.end(),
                     [](const Stmt& s) { return s.is<Seq>(); }))
      return Refusal{"already_there", fmt::format("block {} is in loops of its own already", block_.name)};
    ARDEA_TRY(refuse_unless_movable(path_, top_));
    ARDEA_TRY(refuse_unless_recomputable(f_, path_));
    ARDEA_TRY(check_reductions());
    if (!before_.exact)
      return Refusal{"not_computed_before",
                     fmt::format("it is not known which values of its iterators block {} runs: {} or a part "
                                 "of it",
                                 block_.name, print(before_.box))};
    return refuse_other_reduction_order(f_, path_, top_);
  }

  /// A consumer in a loop that the reduction runs over sees the parts of it.
  std::optional<Refusal> check_reductions() const {
    const Memory written = memory_of(*block_.writes);
    std::vector<Var> loops;
    for (std::size_t i = top_; i + 1 < path_.size(); ++i) {
      if (const auto* loop = path_[i].as<For>()) loops.push_back(loop->var);
      if (!path_[i].is<Seq>() || !meet(use_of({path_[i]}, block_.id).reads, written)) continue;
      for (const Var& loop : loops)
        for (const BlockIterator& iterator : block_.iterators)
          if (iterator.kind == IteratorKind::reduce && uses(iterator.binding, loop))
            return Refusal{"reduces_with_consumer",
                           fmt::format("block {} reduces over loop {}, and {} reads what it has so far in "
                                       "each iteration",
                                       block_.name, loop.name(), reader_of(written, {path_[i]}, block_.id))};
    }
    return std::nullopt;
  }

  arith::Analyzer facts() const { return path_.upto(top_).facts(f_); }

  /// The statements of the scope beside the one that holds the block, itself included.
  std::vector<Stmt> beside() const {
    const auto* sequence = path_[top_ - 1].as<Seq>();
    return sequence != nullptr ? sequence->statements : std::vector<Stmt>{path_[top_]};
  }

  Stmt first_consumer() const {
    for (const Stmt& s : beside())
      if (meet(use_of({s}, block_.id).reads, memory_of(*block_.writes))) return s;
    return {};
  }

  /// Nothing between the old place and the new one may change what the block reads.
  std::optional<Refusal> check_way(const Stmt& consumer) const {
    const std::vector<Stmt> all = beside();
    const auto from = std::find(all.begin(), all.end(), path_[top_]);
    const auto to = std::find(all.begin(), all.end(), consumer);
    if (to < from)
      return Refusal{"consumer_before",
                     fmt::format("{} reads what block {} writes and comes before it",
                                 reader_of(memory_of(*block_.writes), {consumer}, block_.id), block_.name)};
    const Memory read = memory_of(*block_.reads);
    if (to == from) {
      if (meet(use_of({*from}, block_.id).writes, read)) return input_changes(block_, {*from});
      return std::nullopt;
    }
    const std::vector<Stmt> passed(from + 1, to);
    if (meet(use_of(passed, block_.id).writes, read)) return input_changes(block_, passed);
    return refuse_changes_beside(f_, path_, top_);
  }

  Outcome placed(const Stmt& consumer) const {
    IteratorValues all;
    for (const Range& range : before_.box.region) all.push_back(bounds_of(range, facts()));
    const Stmt nest = placed_nest(block_, {all, all, {}, true}, path_.block_around().variables(), facts());
    const Removed removed = without(f_, path_);
    const Path path = path_to_top(removed.program);
    std::vector<Stmt> statements = statements_of(path.back());
    // The block leaves other code behind in its statement, so that positions stay.
    const std::vector<Stmt> before = beside();
    statements.insert(
        statements.begin() + (std::find(before.begin(), before.end(), consumer) - before.begin()), nest);
    return Applied{with(removed.program, path, make_seq(std::move(statements))), {}, removed.gone};
  }

  /// The sequence of the scope in the program without the block; its only statement where there is no
  /// sequence.
  Path path_to_top(const Function& program) const {
    Path path = *path_to(program, BlockRef{path_.block_around().block().id});
    path.push_back(path.block().body);
    for (;;) {
      const Stmt& s = path.back();
      if (const auto* let = s.as<LetStmt>())
        path.push_back(let->body);
      else if (const auto* declare = s.as<DeclareBuffer>())
        path.push_back(declare->body);
      else if (const auto* allocate = s.as<Allocate>())
        path.push_back(allocate->body);
      else
        return path;
    }
  }

  const Function& f_;
  const Path path_;
  const Block& block_;
  Executed before_;
  std::size_t top_;  ///< in the path: the statement of the scope that holds the block
};

}  // namespace

Outcome apply(const Function& f, const ComputeRoot& step, Context&) {
  Path found = ARDEA_TRY(refer(f, step.block));
  if (found.size() == 1) return Refusal{"already_there", "the block is the program's root, in no loops"};
  return Rooting(f, std::move(found)).run();
}

}  // namespace ardea::schedule
