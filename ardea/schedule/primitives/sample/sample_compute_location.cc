#include "ardea/schedule/primitives/sample/sample_compute_location.h"

#include <algorithm>

#include "ardea/schedule/analysis/promises.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/place/legal_loops.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

struct Location {
  std::int64_t decision;
  LoopRef place;
};

std::vector<Location> locations(const Function& f, const BlockRef& block, const Context& around) {
  const Var sample("location", int64);
  std::vector<Location> all = {{-1, {{}, LoopRef::Place::root, sample}}};
  const std::unique_ptr<Context> context = around.clone();
  const Outcome inlined = apply(f, ComputeInline{block}, *context);
  if (const auto* applied = std::get_if<Applied>(&inlined)) {
    OwnMemory before(f), after(applied->program);
    if (!context->judge(refuse_broken_promises(before, after)))
      all.push_back({-2, {{}, LoopRef::Place::inlined, sample}});
  }
  std::int64_t next = 0;
  for (const LoopRef& loop : legal_loops(f, block, around))
    all.push_back({next++, {loop.var, LoopRef::Place::loop, sample}});
  return all;
}

}  // namespace

Outcome apply(const Function& f, const SampleComputeLocation& step, Context& context) {
  Path found = ARDEA_TRY(refer(f, step.block));
  if (found.size() == 1)
    return Refusal{"root_block", "the root block is where all others stand; it cannot move"};
  const std::vector<Location> all = locations(f, step.block, context);
  auto chosen = all.begin() + static_cast<std::ptrdiff_t>(step.decision ? 0 : context.draw(all.size()));
  if (step.decision)
    chosen =
        std::find_if(all.begin(), all.end(), [&](const Location& l) { return l.decision == *step.decision; });
  if (chosen == all.end()) {
    std::vector<std::string> decisions;
    for (const Location& location : all) decisions.push_back(std::to_string(location.decision));
    return Refusal{"decision_does_not_fit",
                   fmt::format("the decision {} is none of {}, {}", *step.decision, join(decisions, ", "),
                               legal_loops_text(f, step.block, context))};
  }
  return Applied{f, {chosen->place}, {}, Argument{chosen->decision}};
}

}  // namespace ardea::schedule
