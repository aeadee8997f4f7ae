#include "ardea/stages/record.h"

#include <algorithm>

#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"

namespace ardea::stages {

std::string name_of(const Directive& directive) {
  return std::visit(
      overloaded{
          [&](const Step& step) { return directive.where_possible ? "auto_inline" : step.primitive->name; },
          [](const AtRoot&) -> std::string { return "compute_root"; },
          [](const Factored&) -> std::string { return "rfactor"; },
          [](const CachedRead&) -> std::string { return "cache_read"; },
          [](const CachedWrite&) -> std::string { return "cache_write"; },
      },
      directive.action);
}

StageRecord& Record::stage(BlockId id) {
  const auto at =
      std::find_if(stages.begin(), stages.end(), [&](const StageRecord& s) { return s.id == id; });
  ensure(at != stages.end(), "a stage that the schedule does not have");
  return *at;
}

const StageRecord& Record::stage(BlockId id) const { return const_cast<Record*>(this)->stage(id); }

bool Record::comes_before(BlockId a, BlockId b) const { return &stage(a) < &stage(b); }

std::string Record::directive(std::size_t index) const {
  return fmt::format("directive {}, {}", index + 1, directives.at(index).call);
}

void Record::add(StageRecord added, std::optional<BlockId> before) {
  added.leaves = added.axis;
  added.leaves.insert(added.leaves.end(), added.reduce_axis.begin(), added.reduce_axis.end());
  added.first_axes = added.leaves;
  for (const Axis& axis : added.leaves) axes.insert_or_assign(axis.var, AxisRecord{added.id});
  by_operation.insert_or_assign(added.operation, added.id);
  const auto at = std::find_if(stages.begin(), stages.end(),
                               [&](const StageRecord& s) { return before && s.id == *before; });
  stages.insert(at, std::move(added));
}

void Record::require_leaf(const StageRecord& stage, const Axis& axis, const std::string& call) const {
  if (std::find(stage.leaves.begin(), stage.leaves.end(), axis) != stage.leaves.end()) return;
  const std::string leaves = stage.leaves.empty()
                                 ? fmt::format("{} has no loops", stage.name)
                                 : fmt::format("the leaves of {} are {}", stage.name, names_of(stage.leaves));
  require(axis.var.defined(), "{}: an axis is empty; {}", call, leaves);
  const auto known = axes.find(axis.var);
  if (known != axes.end() && known->second.stage == stage.id && known->second.consumed)
    fail("{}: {} has already been {}: {}, made {} of it; {}", call, axis.name(),
         name_of(directives[*known->second.consumed]) == "fuse" ? "fused" : "split",
         directive(*known->second.consumed), names_of(known->second.into), leaves);
  if (known != axes.end() && known->second.stage != stage.id)
    fail("{}: {} is an axis of {}, not of {}{}; {}", call, axis.name(), this->stage(known->second.stage).name,
         stage.name, stage.hint, leaves);
  fail("{}: {} is no axis of {}{}; {}", call, axis.name(), stage.name, stage.hint, leaves);
}

void Record::require_free(const StageRecord& stage, const Axis& axis, const std::string& call) const {
  require_leaf(stage, axis, call);
  const AxisRecord& known = axes.at(axis.var);
  if (known.marked)
    fail("{}: {}, marks {}; reshape the loop first, then mark what it becomes", call,
         directive(*known.marked), axis.name());
  for (const StageRecord& other : stages) {
    if (!other.place) continue;
    const auto* step = std::get_if<Step>(&directives[*other.place].action);
    if (step == nullptr || directives[*other.place].phase != Phase::place) continue;
    for (const schedule::Argument& argument : step->arguments)
      if (const auto* loop = std::get_if<schedule::LoopRef>(&argument.value);
          loop != nullptr && loop->var == axis.var)
        fail("{}: {}, puts {} at {}; reshape the loop first, then place {} at what it becomes", call,
             directive(*other.place), other.name, axis.name(), other.name);
  }
}

void Record::replace_leaves(StageRecord& stage, const std::vector<Axis>& from,
                            const std::vector<Axis>& into) {
  const auto first = std::find(stage.leaves.begin(), stage.leaves.end(), from[0]);
  const auto at = stage.leaves.erase(first, first + std::ssize(from));
  stage.leaves.insert(at, into.begin(), into.end());
  for (const Axis& axis : from) {
    axes[axis.var].consumed = directives.size();
    axes[axis.var].into = into;
  }
  for (const Axis& axis : into) axes[axis.var] = AxisRecord{stage.id};
}

void Record::reorder_leaves(StageRecord& stage, const std::vector<Axis>& order) {
  std::size_t next = 0;
  for (Axis& leaf : stage.leaves)
    if (std::find(order.begin(), order.end(), leaf) != order.end()) leaf = order[next++];
}

}  // namespace ardea::stages
