#include "ardea/stages/schedule.h"

#include <algorithm>

#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/te/create_prim_func.h"

namespace ardea::stages {

namespace {

using Kind = StageRecord::Kind;

StageRecord stage_of(const std::shared_ptr<const te::Operation>& operation) {
  StageRecord stage{.name = operation->name, .operation = operation};
  stage.kind = operation->as<te::Placeholder>() ? Kind::input
               : operation->as<te::Scan>()      ? Kind::scan
               : operation->as<te::Extern>()    ? Kind::external
                                                : Kind::compute;
  const OperationAxes axes = op(te::Tensor(operation, 0));
  stage.axis = axes.axis;
  stage.reduce_axis = axes.reduce_axis;
  return stage;
}

/// A stage of a scan's cell: the loop of its first axis is the scan's.
StageRecord cell_stage(const std::shared_ptr<const te::Operation>& operation, const te::Operation& scan) {
  StageRecord stage = stage_of(operation);
  stage.kind = Kind::cell;
  stage.hint = fmt::format(", whose steps {} are those of s[{}]", stage.axis[0].name(), scan.name);
  stage.axis.erase(stage.axis.begin());
  return stage;
}

bool concerns(const Directive& directive, const std::vector<Axis>& axes) {
  const auto* step = std::get_if<Step>(&directive.action);
  if (step == nullptr) return false;
  const auto named = [&](const schedule::Argument& argument, const auto& self) -> bool {
    if (const auto* items = std::get_if<std::vector<schedule::Argument>>(&argument.value))
      return std::any_of(items->begin(), items->end(), [&](const auto& item) { return self(item, self); });
    const auto* loop = std::get_if<schedule::LoopRef>(&argument.value);
    return loop && std::any_of(axes.begin(), axes.end(), [&](const Axis& a) { return a.var == loop->var; });
  };
  return std::any_of(step->arguments.begin(), step->arguments.end(),
                     [&](const auto& argument) { return named(argument, named); });
}

}  // namespace

Schedule::Schedule(const std::vector<te::Tensor>& outputs) : record_(std::make_shared<Record>()) {
  require(!outputs.empty(), "create_schedule: name the tensors that are wanted");
  for (const te::Tensor& output : outputs)
    require(output.defined(), "create_schedule: an output is an empty tensor");
  record_->outputs = outputs;
  for (const auto& operation : te::operations_of(outputs)) {
    if (const auto* scan = operation->as<te::Scan>())
      for (const auto& part : scan->cell) record_->add(cell_stage(part, *operation));
    StageRecord stage = stage_of(operation);
    stage.is_output = std::any_of(outputs.begin(), outputs.end(),
                                  [&](const te::Tensor& t) { return t.operation() == operation; });
    record_->add(std::move(stage));
  }
}

Stage Schedule::operator[](const te::Tensor& tensor) const {
  require(tensor.defined(), "s[…]: the tensor is empty");
  const auto at = record_->by_operation.find(tensor.operation());
  require(at != record_->by_operation.end(),
          "s[{}]: no output of the schedule needs {}; name it in create_schedule", tensor.name(),
          tensor.name());
  return {record_, at->second};
}

te::Tensor Schedule::add_stage(StageRecord added, const te::Tensor& like,
                               std::optional<BlockId> before) const {
  // What stands for the stage in s[…] and in later directives; no expression reads it.
  const te::Tensor handle = te::placeholder(added.name, like.shape(), like.type());
  added.operation = handle.operation();
  record_->add(std::move(added), before);
  return handle;
}

te::Tensor Schedule::cache_read(const te::Tensor& tensor, const std::string& scope,
                                const std::vector<te::Tensor>& readers) const {
  const Stage from = (*this)[tensor];
  CachedRead action{.tensor = tensor, .scope = scope, .readers = {}, .made = {}};
  std::vector<std::string> names;
  for (const te::Tensor& reader : readers) {
    action.readers.push_back((*this)[reader].id_);
    names.push_back((*this)[reader].name());
  }
  const std::string written =
      fmt::format("s.cache_read({}, {}, [{}])", tensor.name(), in_quotes(scope), join(names, ", "));
  require(!readers.empty(), "{}: name the stages that read the copy", written);
  for (const BlockId reader : action.readers) {
    require(record_->stage(reader).kind != Kind::input, "{}: {} is an input, and reads nothing", written,
            record_->stage(reader).name);
    require(record_->comes_before(from.id_, reader), "{}: {} is made before {}, and cannot read it", written,
            record_->stage(reader).name, tensor.name());
  }
  StageRecord copy{.name = fmt::format("{}.{}", tensor.name(), scope), .kind = Kind::made};
  for (std::size_t d = 0; d < tensor.rank(); ++d)
    copy.axis.emplace_back(fmt::format("ax{}", d), IteratorKind::spatial);
  action.made = copy.id;
  record_->directives.push_back({written, copy.id, Phase::graph, std::move(action)});
  const auto after = &from.me() - record_->stages.data() + 1;  // readers come later
  return add_stage(std::move(copy), tensor,
                   after < std::ssize(record_->stages)
                       ? std::optional(record_->stages[static_cast<std::size_t>(after)].id)
                       : std::nullopt);
}

te::Tensor Schedule::cache_write(const te::Tensor& tensor, const std::string& scope) const {
  const Stage stage = (*this)[tensor];
  const std::string written = fmt::format("s.cache_write({}, {})", stage.name(), in_quotes(scope));
  StageRecord& me = stage.me();
  require(me.kind == Kind::compute || me.kind == Kind::cell || me.kind == Kind::made,
          "{}: {} is not computed element by element", written, me.name);
  require(me.operation->outputs.size() == 1, "{}: {} has {} results, which one copy cannot write", written,
          me.name, me.operation->outputs.size());
  for (std::size_t i = 0; i < record_->directives.size(); ++i) {
    const Directive& earlier = record_->directives[i];
    require(
        !(earlier.stage == me.id) || earlier.phase == Phase::graph || earlier.phase == Phase::place,
        "{}: {}, is about the loops of {}, which compute now and copy after this; take cache_write before "
        "it",
        written, record_->directive(i), me.name);
  }
  StageRecord cache{.name = fmt::format("{}.{}", me.name, scope), .kind = Kind::made};
  for (const Axis& axis : me.axis) cache.axis.emplace_back(axis.name() + ".c", axis.kind);
  cache.reduce_axis = me.reduce_axis;
  me.hint = fmt::format(", which copies what {} computes", cache.name);
  me.reduce_axis.clear();
  me.leaves = me.axis;
  record_->directives.push_back({written, me.id, Phase::graph, CachedWrite{scope, cache.id, me.axis}});
  return add_stage(std::move(cache), tensor, stage.id_);
}

te::Tensor Schedule::rfactor(const te::Tensor& tensor, const Axis& axis, std::int64_t factor_axis) const {
  const Stage stage = (*this)[tensor];
  const std::string written =
      fmt::format("s.rfactor({}, {}{})", stage.name(), axis.name(),
                  factor_axis == 0 ? "" : fmt::format(", factor_axis={}", factor_axis));
  record_->require_free(stage.me(), axis, written);
  const std::vector<Axis> spatial = stage.me().axis;
  require(axis.kind == IteratorKind::reduce, "{}: {} is no axis that {} reduces over; those are {}", written,
          axis.name(), stage.name(), names_of(stage.me().reduce_axis));
  const auto rank = std::ssize(spatial);
  const std::int64_t position = factor_axis < 0 ? factor_axis + rank + 1 : factor_axis;
  require(position >= 0 && position <= rank, "{}: factor_axis must be from {} to {}", written, -rank - 1,
          rank);
  // What was done to the reduce axes belongs to the partial results, and is needed now.
  for (std::size_t i = 0; i < record_->directives.size(); ++i) {
    Directive& earlier = record_->directives[i];
    if (!(earlier.stage == stage.id_) || earlier.phase == Phase::place) continue;
    const bool shapes_loops = earlier.phase == Phase::loops;
    require(shapes_loops && !concerns(earlier, spatial),
            "{}: {}, is about more than the reduction, which moves to another stage; take rfactor before it",
            written, record_->directive(i));
    earlier.phase = Phase::graph;
  }
  StageRecord partial{.name = stage.name() + ".rf", .kind = Kind::made};
  partial.axis = spatial;
  for (Axis& a : partial.axis) a = Axis(a.name(), a.kind);
  Axis factor = axis;
  factor.kind = IteratorKind::spatial;
  partial.axis.insert(partial.axis.begin() + position, factor);
  for (const Axis& leaf : stage.me().leaves)
    if (leaf.kind == IteratorKind::reduce && !(leaf == axis)) partial.reduce_axis.push_back(leaf);
  const BlockId made = partial.id;
  StageRecord& me = stage.me();
  const Axis rest(axis.name() + ".v", IteratorKind::reduce);
  me.hint = fmt::format(", which combines the partial results of {}", partial.name);
  me.reduce_axis = {rest};
  me.leaves = spatial;
  me.leaves.push_back(rest);
  record_->axes[rest.var] = AxisRecord{me.id};
  record_->directives.push_back(
      {written, stage.id_, Phase::graph, Factored{axis, factor_axis, made, me.leaves}});
  return add_stage(std::move(partial), tensor, stage.id_);
}

void Schedule::auto_inline() const {
  std::vector<BlockId> maps;
  for (const StageRecord& stage : record_->stages) {
    const bool is_map = stage.kind == Kind::compute && stage.reduce_axis.empty() && !stage.is_output;
    const bool is_free = std::none_of(record_->directives.begin(), record_->directives.end(),
                                      [&](const Directive& d) { return d.stage == stage.id; });
    if (is_map && is_free) maps.push_back(stage.id);
  }
  for (const BlockId id : maps) {
    const Stage stage(record_, id);
    stage.me().place = record_->directives.size();
    stage.record(fmt::format("s.auto_inline() of {}", stage.name()), Phase::graph,
                 schedule::ComputeInline{{id}});
    record_->directives.back().where_possible = true;
  }
}

Schedule create_schedule(const std::vector<te::Tensor>& outputs) { return Schedule(outputs); }

void auto_inline_injective(const Schedule& s) { s.auto_inline(); }

std::string print(const Schedule& s) {
  std::string text;
  for (std::size_t i = 0; i < s.record().directives.size(); ++i)
    text += fmt::format("{}: {}\n", i + 1, s.record().directives[i].call);
  return text;
}

}  // namespace ardea::stages
