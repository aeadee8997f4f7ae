#include "ardea/stages/realise.h"

#include <algorithm>
#include <set>

#include "ardea/ir/traverse.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/primitives/reduce/rfactor.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"

namespace ardea::stages {

namespace {

using schedule::Argument;
using schedule::BlockRef;
using schedule::LoopRef;
using Kind = StageRecord::Kind;

/// The names of the blocks that stages begin as.
class BlockNames {
 public:
  BlockNames(const Record& record, const Function& program) {
    for (const StageRecord& stage : record.stages)
      if (const auto* scan = stage.operation->as<te::Scan>())
        for (std::size_t i = 0; i < scan->update.size(); ++i)
          updates_[scan->update[i].operation()] = stage.operation->outputs[i];
    for (const StageRecord& stage : record.stages) {
      if (stage.operation->as<te::Placeholder>()) continue;
      std::shared_ptr<const te::Operation> writer = stage.operation;
      if (const auto* scan = stage.operation->as<te::Scan>()) writer = scan->cell.front();
      names_[stage.id] = writer_of(program, memory_of(writer, 0));
    }
  }

  /// The memory of an update is the scan's.
  Buffer memory_of(const std::shared_ptr<const te::Operation>& operation, std::size_t output) const {
    const auto update = updates_.find(operation);
    return update == updates_.end() ? operation->outputs[output] : update->second;
  }

  const std::string& of(BlockId stage) const { return names_.at(stage); }

 private:
  /// Where several write it, it is a state, and the one with an iterator over the steps is meant: another one
  /// copies the first of them.
  static std::string writer_of(const Function& program, const Buffer& buffer) {
    std::string found;
    for (const schedule::Path& path : schedule::all_blocks(program)) {
      const Block& block = path.block();
      const bool writes =
          block.writes && std::any_of(block.writes->begin(), block.writes->end(),
                                      [&](const BufferRegion& region) { return region.buffer == buffer; });
      const bool has_steps = std::any_of(block.iterators.begin(), block.iterators.end(),
                                         [](const auto& i) { return i.kind == IteratorKind::ordered; });
      if (writes && (found.empty() || has_steps)) found = block.name;
    }
    ensure(!found.empty(), "no block writes {}", buffer->name);
    return found;
  }

  std::unordered_map<std::shared_ptr<const te::Operation>, Buffer> updates_;
  std::unordered_map<BlockId, std::string> names_;
};

class Realiser {
 public:
  Realiser(const Record& record, const Function& program)
      : record_(record), names_(record, program), schedule_(program) {}

  Realised run() {
    for (std::size_t i = 0; i < record_.directives.size(); ++i)
      if (record_.directives[i].phase == Phase::graph) in_graph(i);
    for_each_stage([&](const StageRecord& stage) {
      if (stage.place && record_.directives[*stage.place].phase == Phase::place) place(stage);
      take_all(stage, Phase::loops);
      take_all(stage, Phase::memory);
    });
    for_each_stage([&](const StageRecord& stage) { take_all(stage, Phase::marks); });
    for_each_stage([&](const StageRecord& stage) { separate_init(stage); });
    for_each_stage([&](const StageRecord& stage) { take_all(stage, Phase::pipeline); });
    for_each_stage([&](const StageRecord& stage) { take_all(stage, Phase::tensorize); });
    std::vector<std::pair<Axis, Var>> loops;
    for (const StageRecord& stage : record_.stages)
      for (const Axis& leaf : stage.leaves)
        if (const auto at = loops_.find(leaf.var); at != loops_.end())
          loops.emplace_back(leaf, at->second.var);
    loops.insert(loops.end(), init_loops_.begin(), init_loops_.end());
    return {std::move(schedule_), std::move(loops)};
  }

 private:
  /// Those that have loops of their own, outputs first.
  template <class F>
  void for_each_stage(const F& f) {
    for (std::size_t i = record_.stages.size(); i-- > 0;)
      if (record_.stages[i].kind != Kind::input) f(record_.stages[i]);
  }

  BlockRef block(BlockId stage) {
    const auto at = blocks_.find(stage);
    if (at != blocks_.end()) return at->second;
    return blocks_[stage] = schedule_.get_block(names_.of(stage));
  }

  LoopRef loop(const Var& axis) {
    if (const auto at = loops_.find(axis); at != loops_.end()) return at->second;
    find_loops(record_.stage(record_.axes.at(axis).stage));
    return loops_.at(axis);
  }

  /// The loops that the axes of a stage begin as: the innermost around its block, or for a scan the
  /// outermost.
  void find_loops(const StageRecord& stage) {
    const std::vector<LoopRef> around = schedule_.get_loops(block(stage.id));
    const auto left = left_.find(stage.id);
    const std::vector<Axis>& axes = left == left_.end() ? stage.first_axes : left->second;
    ensure(around.size() >= axes.size(), "{} has {} axes in {} loops", stage.name, axes.size(),
           around.size());
    const std::size_t first = stage.kind == Kind::scan ? 0 : around.size() - axes.size();
    for (std::size_t i = 0; i < axes.size(); ++i) loops_[axes[i].var] = around[first + i];
  }

  /// An argument with loops for its axes and blocks for its stages.
  Argument resolved(const Argument& argument) {
    return std::visit(overloaded{
                          [&](const std::vector<Argument>& items) -> Argument {
                            std::vector<Argument> list;
                            for (const Argument& item : items) list.push_back(resolved(item));
                            return {std::move(list)};
                          },
                          [&](const LoopRef& axis) -> Argument { return {loop(axis.var)}; },
                          [&](const BlockRef& stage) -> Argument { return {block(stage.id)}; },
                          [&](const auto&) { return argument; },
                      },
                      argument.value);
  }

  /// What the engine refuses is the directive's refusal.
  template <class F>
  void as_directive(std::size_t index, const F& f) {
    try {
      f();
    } catch (const schedule::Refused& refused) {
      throw schedule::Refused(refused.code(),
                              fmt::format("{}: {}", record_.directive(index), refused.what()));
    }
  }

  void take(std::size_t index) {
    as_directive(index, [&] {
      const Step& step = std::get<Step>(record_.directives[index].action);
      std::vector<Argument> arguments;
      for (const Argument& argument : step.arguments) arguments.push_back(resolved(argument));
      const std::vector<schedule::Reference> results = schedule_.take(*step.primitive, std::move(arguments));
      for (std::size_t i = 0; i < step.made.size(); ++i)
        loops_[step.made[i].var] = std::get<LoopRef>(results.at(i));
    });
  }

  void require_loops(const StageRecord& stage) const {
    if (inlined_.contains(stage.id))
      throw schedule::Refused("stage_is_inlined",
                              fmt::format("{} has no loops: {}, writes it where it is read", stage.name,
                                          record_.directive(*stage.place)));
  }

  /// As it is now. Refused where the stage is inlined.
  Block block_of(const StageRecord& stage) {
    require_loops(stage);
    const auto path = schedule::path_to(schedule_.program(), block(stage.id));
    ensure(path.has_value(), "the block of {} is gone", stage.name);
    return path->block();
  }

  void take_all(const StageRecord& stage, Phase phase) {
    for (std::size_t i = 0; i < record_.directives.size(); ++i) {
      const Directive& directive = record_.directives[i];
      if (!(directive.stage == stage.id) || directive.phase != phase) continue;
      if (inlined_.contains(stage.id))
        throw schedule::Refused(
            "stage_is_inlined",
            fmt::format("{}: {} has no loops: {}, writes it where it is read", record_.directive(i),
                        stage.name, record_.directive(*stage.place)));
      take(i);
    }
  }

  void in_graph(std::size_t index) {
    const Directive& directive = record_.directives[index];
    const StageRecord& stage = record_.stage(directive.stage);
    if (!std::holds_alternative<Step>(directive.action))
      return as_directive(index, [&] {
        require_loops(stage);
        if (const auto* factored = std::get_if<Factored>(&directive.action)) factor(stage, *factored);
        if (const auto* cached = std::get_if<CachedRead>(&directive.action)) cache_read(*cached);
        if (const auto* cached = std::get_if<CachedWrite>(&directive.action)) cache_write(stage, *cached);
      });
    if (std::get<Step>(directive.action).primitive->name != schedule::ComputeInline::name) {
      begin(stage);  // it shapes loops that rfactor needs
      return take(index);
    }
    if (stage.place != index) return;  // a later directive says otherwise
    try {
      take(index);
      inlined_.insert(stage.id);
    } catch (const schedule::Refused&) {
      if (!directive.where_possible) throw;
    }
  }

  void place(const StageRecord& stage) {
    if (std::holds_alternative<AtRoot>(record_.directives[*stage.place].action)) return;
    take(*stage.place);
    find_loops(stage);
  }

  /// Before the first of the directives that end in rfactor: some of the axes are those of another stage
  /// later.
  void begin(const StageRecord& stage) {
    if (begun_.insert(stage.id).second) find_loops(stage);
  }

  void factor(const StageRecord& stage, const Factored& factored) {
    begin(stage);
    const StageRecord& partial = record_.stage(factored.made);
    for (std::size_t i = 0, spatial = 0; i < partial.axis.size(); ++i)
      if (!(partial.axis[i] == factored.axis)) loops_[partial.axis[i].var] = loop(stage.axis[spatial++].var);
    blocks_[partial.id] =
        schedule_.blocks(schedule::RFactor{loop(factored.axis.var), factored.factor_axis})[0];
    left_[stage.id] = factored.left;
    find_loops(stage);
    std::vector<LoopRef> order;
    for (const Axis& axis : partial.first_axes) order.push_back(loops_.at(axis.var));
    schedule_.apply(schedule::Reorder{order});
  }

  void cache_read(const CachedRead& cached) {
    const Buffer buffer = memory_of(cached.tensor);
    schedule::CacheRead step;
    step.storage_scope = cached.scope;
    for (const BlockId reader : cached.readers) {
      require_loops(record_.stage(reader));
      step.consumer_blocks.push_back(block(reader));
    }
    step.block = step.consumer_blocks[0];
    const std::vector<BufferRegion> reads = *block_of(record_.stage(cached.readers[0])).reads;
    const auto at = std::find_if(reads.begin(), reads.end(),
                                 [&](const BufferRegion& region) { return region.buffer == buffer; });
    if (at == reads.end())
      throw schedule::Refused(
          "not_a_consumer",
          fmt::format("{} does not read {}", record_.stage(cached.readers[0]).name, cached.tensor.name()));
    step.read_buffer_index = at - reads.begin();
    blocks_[cached.made] = schedule_.blocks(step)[0];
  }

  /// What computed goes on computing, as the new stage; the copy is the old one.
  void cache_write(const StageRecord& stage, const CachedWrite& cached) {
    const BlockRef computes = block(stage.id);
    blocks_[stage.id] = schedule_.blocks(schedule::CacheWrite{computes, 0, cached.scope})[0];
    blocks_[cached.made] = computes;
    left_[stage.id] = cached.left;
    begun_.erase(stage.id);
  }

  /// Where a tensor lies in the program. Refused where its stage is inlined.
  Buffer memory_of(const te::Tensor& tensor) {
    const StageRecord& stage = record_.stage(record_.by_operation.at(tensor.operation()));
    require_loops(stage);
    if (stage.kind != Kind::made) return names_.memory_of(tensor.operation(), tensor.output());
    return block_of(stage).writes->at(tensor.output()).buffer;
  }

  /// As TVM's lowering does it: the init stands before the outermost reduce loop. Where the engine refuses
  /// that, lowering writes it as a condition, which is the same program.
  void separate_init(const StageRecord& stage) {
    if (inlined_.contains(stage.id)) return;
    const auto reduced = std::find_if(stage.leaves.begin(), stage.leaves.end(),
                                      [](const Axis& axis) { return axis.kind == IteratorKind::reduce; });
    if (reduced == stage.leaves.end()) return;
    try {
      const BlockRef init =
          schedule_.blocks(schedule::DecomposeReduction{block(stage.id), loop(reduced->var)})[0];
      name_init(init, {reduced, stage.leaves.end()});
    } catch (const schedule::Refused&) {
      return;
    }
  }

  /// The init's loops after the axes that they copy: the spatial ones inside the outermost reduce loop.
  void name_init(const BlockRef& init, std::vector<Axis> inside) {
    std::erase_if(inside, [](const Axis& axis) { return axis.kind == IteratorKind::reduce; });
    const std::vector<LoopRef> around = schedule::path_to(schedule_.program(), init)->loops();
    for (std::size_t i = 0; i < inside.size() && inside.size() <= around.size(); ++i)
      init_loops_.emplace_back(Axis(inside[i].name() + ".init", inside[i].kind),
                               around[around.size() - inside.size() + i].var);
  }

  const Record& record_;
  const BlockNames names_;
  schedule::Schedule schedule_;
  std::unordered_map<BlockId, BlockRef> blocks_;
  std::unordered_map<Var, LoopRef> loops_;               ///< by axis
  std::unordered_map<BlockId, std::vector<Axis>> left_;  ///< the axes of a stage that gave some away
  std::vector<std::pair<Axis, Var>> init_loops_;
  std::set<BlockId> inlined_, begun_;
};

}  // namespace

Realised realise(const Record& record, const Function& program) { return Realiser(record, program).run(); }

}  // namespace ardea::stages
