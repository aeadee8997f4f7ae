#include "ardea/schedule/analysis/pipelines.h"

#include <fmt/core.h>

namespace ardea::schedule {

Refusal as_refusal(arith::NotPipelined problem) {
  Refusal refusal{std::move(problem.code), std::move(problem.fact)};
  if (!problem.way_out.empty()) refusal.way_out = [way = std::move(problem.way_out)] { return way; };
  return refusal;
}

std::optional<Refusal> refuse_pipelined_twice(const Function& f, const Path& path) {
  for (const arith::PipelinedLoop& pipelined : arith::pipelined_loops(f))
    if (pipelined.way.back() == path.back())
      return Refusal{
          "pipelined_already", fmt::format("loop {} is a pipeline already", path.loop().var.name()), {}, [] {
            return std::string("unannotate what makes it one first");
          }};
  return std::nullopt;
}

std::optional<Refusal> refuse_broken_pipelines(const Function& before, const Function& after) {
  if (before.body == after.body) return std::nullopt;
  for (const arith::PipelinedLoop& pipelined : arith::pipelined_loops(after)) {
    const auto* problem = std::get_if<arith::NotPipelined>(&pipelined.stages);
    if (problem == nullptr) continue;
    return Refusal{
        "breaks_pipeline",
        fmt::format("what is annotated as a pipeline could not be lowered as one: {}", problem->fact),
        {},
        [] { return std::string("take this step before that is said"); }};
  }
  return std::nullopt;
}

}  // namespace ardea::schedule
