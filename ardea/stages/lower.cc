#include "ardea/stages/lower.h"

#include <algorithm>

#include "ardea/ir/substitute.h"
#include "ardea/stages/realise.h"
#include "ardea/support/error.h"

namespace ardea::stages {

namespace {

bool is_read(const Schedule& s, const te::Tensor& output) {
  const std::vector<StageRecord>& stages = s.record().stages;
  return std::any_of(stages.begin(), stages.end(), [&](const StageRecord& stage) {
    const std::vector<te::Tensor>& inputs = stage.operation->inputs;
    return std::find(inputs.begin(), inputs.end(), output) != inputs.end();
  });
}

/// The program of the arguments and of all outputs; outputs that others read may be memory of its own.
Function program_of(const Schedule& s, std::vector<te::Argument> arguments, const std::string& name) {
  std::vector<Buffer> inside;
  for (const te::Argument& argument : arguments)
    if (const auto* tensor = std::get_if<te::Tensor>(&argument);
        tensor != nullptr && tensor->defined() && !tensor->operation()->as<te::Placeholder>())
      s[*tensor];  // Error where it is not of the graph
  for (const te::Tensor& output : s.record().outputs) {
    if (std::find(arguments.begin(), arguments.end(), te::Argument(output)) != arguments.end()) continue;
    require(is_read(s, output),
            "lower({}): {} is an output of the schedule, and is neither among the arguments nor read by a "
            "stage: it would be "
            "computed for nobody; add it to the arguments, or leave it out of create_schedule",
            name, output.name());
    arguments.emplace_back(output);
    inside.push_back(output.buffer());
  }
  Function f = te::create_prim_func(arguments, name);
  std::erase_if(f.parameters, [&](const Parameter& parameter) {
    return std::find(inside.begin(), inside.end(), parameter.buffer) != inside.end();
  });
  Block root = *f.body.as<Block>();
  root.allocations.insert(root.allocations.end(), inside.begin(), inside.end());
  f.body = std::move(root);
  return f;
}

/// The loops under the names of their axes.
Function named_by_axes(const Function& f, const std::vector<std::pair<Axis, Var>>& loops) {
  Substitution names;
  for (const auto& [axis, loop] : loops) {
    std::string name = axis.name();
    std::replace(name.begin(), name.end(), '.', '_');
    names.try_emplace(loop, Var(name, loop.type()));
  }
  return rewrite(f, Rewriter{.expr = [&](const Expr& e) -> std::optional<Expr> {
                               if (!e.is<VarNode>()) return std::nullopt;
                               const auto at = names.find(Var(e));
                               return at == names.end() ? std::nullopt : std::optional(at->second);
                             },
                             .definition =
                                 [&](const Var& v) {
                                   const auto at = names.find(v);
                                   return at == names.end() ? v : Var(at->second);
                                 }});
}

}  // namespace

Lowered lower(const Schedule& s, const std::vector<te::Argument>& arguments, const std::string& name) {
  Lowered lowered;
  lowered.unscheduled = program_of(s, arguments, name);
  Realised realised = realise(s.record(), lowered.unscheduled);
  lowered.function = named_by_axes(realised.schedule.program(), realised.loops);
  lowered.trace = realised.schedule.trace();
  return lowered;
}

}  // namespace ardea::stages
