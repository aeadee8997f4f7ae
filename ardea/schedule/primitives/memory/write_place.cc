#include "ardea/schedule/primitives/memory/write_place.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/coverage.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/arith/verify_laws.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/program/scope.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;

Path upto(const Path& path, std::size_t depth) { return path.upto(depth); }

class WritePlacing {
 public:
  WritePlacing(const Function& f, const Writer& writer, Context& context)
      : f_(f), writer_(writer), block_(writer.block.block()), context_(context) {}

  Result<WritePlace> run() const {
    std::optional<Refusal> first;
    for (std::size_t depth = writer_.scope.size(); depth < writer_.block.size(); ++depth) {
      if (writer_.block[depth].is<Seq>() || others_in(depth)) continue;
      auto place = at(depth);
      if (std::holds_alternative<WritePlace>(place)) return place;
      if (!first) first = std::get<Refusal>(std::move(place));
    }
    return *std::move(first);
  }

 private:
  bool is_own(const Touch& touch) const { return writer_.block.holds(writer_.block.size() - 1, touch.path); }

  bool others_in(std::size_t depth) const {
    return std::any_of(writer_.touches.begin(), writer_.touches.end(), [&](const Touch& touch) {
      return !is_own(touch) && writer_.block.holds(depth, touch.path);
    });
  }

  Result<WritePlace> at(std::size_t depth) const {
    const Path path = upto(writer_.block, depth);
    const Analyzer facts = path.facts(f_);
    std::unordered_set<Var> around;
    for (const LoopRef& loop : path.loops()) around.insert(loop.var);
    if (!arith::reads_only_own_writes(path.back(), writer_.buffer, around, facts))
      return Refusal{"reads_old_content",
                     fmt::format("block {} goes on from what {} held before, which the new memory does not "
                                 "hold",
                                 block_.name, writer_.name)};
    const std::optional<arith::Touched> first = ARDEA_TRY(initialised_box(depth, facts));
    for (const arith::Touched& write : arith::accesses_of(writer_.buffer, path.back(), facts).writes) {
      if (!(write.region.buffer == writer_.buffer)) continue;
      const arith::Touched box = without_loaded_bounds(write);
      if (box.exact) return WritePlace{path, box.region};
      if (first && first->exact && contains(first->region, box.region, facts) == arith::Proof::proved)
        return WritePlace{path, first->region};
    }
    return Refusal{"writes_only_part",
                   fmt::format("it is not proved that block {} writes a whole box of {}, and the rest of it "
                               "must keep its content",
                               block_.name, writer_.name)};
  }

  /// What the init of the block writes in one run of the statement, where loops are around it. Refused where
  /// it is not the first to touch its elements: the first updates would go on from old content.
  Result<std::optional<arith::Touched>> initialised_box(std::size_t depth, const Analyzer& facts) const {
    if (!block_.init.defined()) return std::nullopt;
    const auto late = [&](const std::string& why) {
      return Refusal{"init_is_not_first",
                     fmt::format("it is not proved that the init of block {} comes before all that it goes "
                                 "on from: {}",
                                 block_.name, why)};
    };
    const bool loops = std::any_of(writer_.block.begin() + static_cast<std::ptrdiff_t>(depth),
                                   writer_.block.end(), [](const Stmt& s) { return s.is<For>(); });
    if (loops) {
      const auto nest = reduction_nest(f_, writer_.block, depth, context_, Share::whole, Conditions::mixed);
      if (const auto* refusal = std::get_if<Refusal>(&nest)) return late(refusal->fact);
      return box_of_init(std::get<ReductionNest>(nest));
    }
    for (const BlockIterator& iterator : block_.iterators)
      if (iterator.kind == IteratorKind::reduce &&
          !facts.proves(equals(arith::as_index(iterator.binding), arith::as_index(iterator.domain.min))))
        return late(fmt::format("{} is {}", iterator.var.name(), print(iterator.binding)));
    return std::nullopt;
  }

  /// The reduction starts in the first iteration of its loops, whatever guards cut off the later ones.
  std::optional<arith::Touched> box_of_init(const ReductionNest& nest) const {
    Substitution start, bindings;
    std::vector<arith::LoopRange> loops;
    std::vector<Expr> conditions;
    for (const For* loop : nest.loops) {
      if (nest.feeds(*loop, IteratorKind::reduce))
        start[loop->var] = loop->min;
      else
        loops.emplace_back(loop->var, Range{loop->min, loop->extent});
    }
    for (const Expr& condition : nest.conditions)
      if (!nest.is_about_reduction(condition)) conditions.push_back(condition);
    for (const BlockIterator& iterator : block_.iterators)
      bindings[iterator.var] = make_cast(iterator.var.type(), substitute(iterator.binding, start));
    for (const arith::Access& access : arith::each_access(block_, nest.facts)) {
      if (!access.in_init || !access.write || !(access.each.buffer == writer_.buffer)) continue;
      BufferRegion region = access.touched().region;
      for (Range& range : region.region)
        range = {substitute(range.min, bindings), substitute(range.extent, bindings)};
      arith::Touched box = arith::relax(region, loops, conditions, nest.facts);
      box.exact = box.exact && access.touched().exact && !access.conditional;
      return without_loaded_bounds(std::move(box));
    }
    return std::nullopt;
  }

  const Function& f_;
  const Writer& writer_;
  const Block& block_;
  Context& context_;
};

/// Of one block that shall read the new memory.
class Following {
 public:
  Following(const Function& f, const Writer& writer, const WritePlace& place)
      : writer_(writer), place_(place), facts_(place.path.facts(f)) {}

  std::optional<Refusal> refuse(const Path& reader) const {
    const Block& block = reader.block();
    bool reads = false;
    for (const Touch& touch : writer_.touches) {
      if (!reader.holds(reader.size() - 1, touch.path)) continue;
      if (!touch.plain) return used_through_a_view(writer_.buffer, block);
      reads = reads || (touch.reads && touch.path.size() > reader.size());
    }
    if (!reads)
      return Refusal{"not_a_consumer", fmt::format("block {} does not read {}", block.name, writer_.name)};
    const std::size_t depth = place_.path.size() - 1;
    const auto* sequence = place_.path[depth - 1].as<Seq>();
    if (sequence == nullptr || !place_.path.holds(depth - 1, reader) || !stands_before(place_.path, reader))
      return Refusal{"consumer_elsewhere",
                     fmt::format("block {} does not come after block {} in one sequence of statements",
                                 block.name, writer_.block.block().name)};
    return refuse_between(*sequence, depth, reader);
  }

 private:
  std::optional<Refusal> refuse_between(const Seq& sequence, std::size_t depth, const Path& reader) const {
    const std::vector<Stmt>& all = sequence.statements;
    const auto place = std::find(all.begin(), all.end(), place_.path.back());
    const auto last = std::find(all.begin(), all.end(), reader[depth]);
    for (const Touch& touch : writer_.touches) {
      if (!touch.writes || !place_.path.holds(depth - 1, touch.path)) continue;
      const auto at = std::find(all.begin(), all.end(), touch.path[depth]);
      if (at > place && at <= last)
        return Refusal{"written_between", fmt::format("{} is written between block {} and block {}: {}",
                                                      writer_.name, writer_.block.block().name,
                                                      reader.block().name, arith::brief(touch.path.back()))};
    }
    for (const arith::Access& access : arith::each_access(*last, facts_)) {
      const bool counts = !access.write && access.each.buffer == writer_.buffer &&
                          std::find(reader.begin(), reader.end(), access.statement) != reader.end();
      if (counts && arith::contains(place_.box, access.touched().region, facts_) != arith::Proof::proved)
        return Refusal{
            "reads_more_than_written",
            fmt::format("block {} reads {}, and it is not proved that this lies in {}, which block "
                        "{} writes",
                        reader.block().name, print(access.touched().region), print(place_.box),
                        writer_.block.block().name)};
    }
    return std::nullopt;
  }

  const Writer& writer_;
  const WritePlace& place_;
  const Analyzer facts_;
};

}  // namespace

Result<Writer> writer_of(const Path& block, const Buffer& buffer) {
  Writer writer{block, block.block_around(), buffer, {}, buffer->name};
  writer.touches = touches(writer.scope, buffer);
  if (is_declared_between(writer.scope, block, buffer)) return used_through_a_view(buffer, block.block());
  for (const Touch& touch : writer.touches) {
    if (!block.holds(block.size() - 1, touch.path)) continue;
    if (!touch.plain) return used_through_a_view(buffer, block.block());
    if (touch.path.size() == block.size())
      return Refusal{"read_in_binding",
                     fmt::format("the bindings or the predicate of block {} read {}, which it writes",
                                 block.block().name, buffer->name)};
  }
  return writer;
}

Result<WritePlace> write_place(const Function& f, const Writer& writer, Context& context) {
  return WritePlacing(f, writer, context).run();
}

Result<std::vector<BlockId>> readers_after(const Function& f, const Writer& writer, const WritePlace& place,
                                           const std::vector<BlockRef>& consumers) {
  std::vector<Path> found = ARDEA_TRY(blocks_inside(f, writer.scope, consumers));
  const Following following(f, writer, place);
  std::vector<BlockId> readers;
  for (const Path& reader : found) {
    ARDEA_TRY(following.refuse(reader));
    readers.push_back(reader.block().id);
  }
  return readers;
}

}  // namespace ardea::schedule
