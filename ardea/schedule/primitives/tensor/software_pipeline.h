#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct SoftwarePipeline {
  LoopRef loop;
  std::vector<std::int64_t> stage, order;
  using Results = void;
  static constexpr auto name = "software_pipeline";
  static constexpr auto fields =
      std::tuple(field("loop", &SoftwarePipeline::loop), field("stage", &SoftwarePipeline::stage),
                 field("order", &SoftwarePipeline::order));
  static constexpr auto contract =
      R"(of each statement in a loop another iteration runs at a time

for i in [0, n): A[i]; B[i]   =>   A[0]                                  stages 0 and 1, order 0 and 1
                                   for i in [0, n - 1): A[i + 1]; B[i]
                                   B[n - 1]

The body of the loop is a sequence, of which each statement gets a stage and a place in the order: together with
iteration i of a statement of stage 0 runs iteration i - s of one of stage s, those of a smaller place first. The program
keeps the loop and gets annotations, software_pipeline_stage and software_pipeline_order; lowering writes out what comes
before and after. Memory that a block allocates and that each iteration fills before it reads it gets as many versions
as there are iterations at work in it. Requires a serial loop, and that what touches the same memory otherwise, in one
iteration or in different ones, stays in order. All references stay valid. Later steps that would break the pipeline
are refused.)";
  static constexpr std::array refusals = {
      "not_a_sequence",      "lists_do_not_fit",           "no_such_stage",        "not_a_permutation",
      "loop_is_not_serial",  "bounds_read_memory",         "pipelined_already",    "stage_breaks_dependence",
      "calls_change_places", "pipeline_breaks_dependence", "versions_in_registers"};
};
Outcome apply(const Function& f, const SoftwarePipeline& step, Context& context);

}  // namespace ardea::schedule
