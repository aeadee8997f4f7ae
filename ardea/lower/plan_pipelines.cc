#include "ardea/arith/pipelined_loops.h"
#include "ardea/arith/regions.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"

namespace ardea::lower {

Function plan_pipelines(const Function& f, const target::Target&) {
  Function out = arith::complete_regions(f);
  std::unordered_map<Var, arith::PipelineStages> planned;
  for (const arith::PipelinedLoop& loop : arith::pipelined_loops(out)) {
    if (const auto* problem = std::get_if<arith::NotPipelined>(&loop.stages))
      fail("{}: what is annotated as a software pipeline cannot be one: {}{}{}", f.name, problem->fact,
           problem->way_out.empty() ? "" : "; ", problem->way_out);
    planned[loop.way.back().as<For>()->var] = std::get<arith::PipelineStages>(loop.stages);
  }
  if (planned.empty()) return f;
  out.body = rewrite(out.body, Rewriter{.stmt_after = [&](const Stmt& s) -> Stmt {
                       if (const auto* loop = s.as<For>(); loop != nullptr && planned.contains(loop->var)) {
                         For marked = *loop;
                         const arith::PipelineStages& stages = planned.at(loop->var);
                         marked.annotations[arith::pipeline_stage_key] = arith::attribute_of(stages.stage);
                         marked.annotations[arith::pipeline_order_key] = arith::attribute_of(stages.order);
                         return marked;
                       }
                       const auto* block = s.as<Block>();
                       if (block == nullptr || !block->annotations.contains(arith::double_buffer_key))
                         return s;
                       Block plain = *block;
                       plain.annotations.erase(arith::double_buffer_key);
                       return plain;
                     }});
  return out;
}

}  // namespace ardea::lower
