#include "ardea/schedule/primitives/tensor/software_pipeline.h"

#include "ardea/schedule/analysis/pipelines.h"
#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

Outcome apply(const Function& f, const SoftwarePipeline& step, Context&) {
  const FoundLoop found = ARDEA_TRY(refer_to_loop(f, step.loop));
  ARDEA_TRY(refuse_pipelined_twice(f, found.path));
  if (auto problem = arith::refuse_stages(f, found.path.statements(), {step.stage, step.order}))
    return as_refusal(*std::move(problem));
  For loop = *found.loop;
  loop.annotations[arith::pipeline_stage_key] = arith::attribute_of(step.stage);
  loop.annotations[arith::pipeline_order_key] = arith::attribute_of(step.order);
  return Applied{with(f, found.path, std::move(loop))};
}

}  // namespace ardea::schedule
