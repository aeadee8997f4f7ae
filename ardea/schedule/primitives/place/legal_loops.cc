#include "ardea/schedule/primitives/place/legal_loops.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/verify.h"
#include "ardea/schedule/analysis/promises.h"
#include "ardea/schedule/analysis/provable.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

/// The loops of the scope that are around all consumers: no other loop can hold the block.
std::vector<LoopRef> around_all(const std::vector<Path>& consumers) {
  if (consumers.empty()) return {};
  std::vector<LoopRef> shared = consumers[0].loops();
  for (const Path& consumer : consumers) {
    const std::vector<LoopRef> loops = consumer.loops();
    std::erase_if(shared, [&](const LoopRef& loop) {
      return std::find(loops.begin(), loops.end(), loop) == loops.end();
    });
  }
  return shared;
}

bool accepts(OwnMemory& before, const BlockRef& block, const LoopRef& loop, const Context& around) {
  const std::unique_ptr<Context> context = around.clone();  // nothing is decided by asking
  const Outcome outcome = apply(before.program(), ComputeAt{block, loop}, *context);
  const auto* applied = std::get_if<Applied>(&outcome);
  if (applied == nullptr) return false;
  OwnMemory after(applied->program);
  // As Schedule does: where that is not certain, the result must be proved, too.
  return !context->judge(refuse_broken_promises(before, after)) &&
         (context->structure() == Structure::of_template || !is_hard_to_prove(applied->program) ||
          arith::verify(applied->program).empty());
}

}  // namespace

std::vector<LoopRef> legal_loops(const Function& f, const BlockRef& block, const Context& context) {
  const auto path = path_to(f, block);
  if (!path) return {};
  std::vector<LoopRef> legal;
  OwnMemory before(f);
  for (const LoopRef& loop : around_all(consumers_of(f, *path)))
    if (accepts(before, block, loop, context)) legal.push_back(loop);
  return legal;
}

std::string legal_loops_text(const Function& f, const BlockRef& block, const Context& context) {
  const auto path = path_to(f, block);
  if (!path) return "";
  std::vector<std::string> names;
  for (const LoopRef& loop : legal_loops(f, block, context)) names.push_back(loop.var.name());
  if (names.empty()) return fmt::format("no loop is legal for {}", path->block().name);
  return fmt::format("legal loops for {}: {}", path->block().name, join(names, ", "));
}

}  // namespace ardea::schedule
