#include <algorithm>

#include "ardea/rules/rule.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

namespace {

/// By steps of their own, so that the trace names what its other steps refer to.
std::vector<BlockRef> stages_of(schedule::Schedule& s) {
  std::vector<BlockRef> stages;
  for (const schedule::Path& path : schedule::all_blocks(s.program()))
    stages.push_back(s.get_block(path.block().name));
  return stages;
}

bool is_there(const Derivation& d, const BlockRef& stage) {
  return schedule::path_to(d.steps().program(), stage).has_value();
}

}  // namespace

void derive(Derivation& d, const RuleSet& rules) {
  std::vector<BlockRef> stages = stages_of(d.steps());
  std::reverse(stages.begin(), stages.end());
  for (const BlockRef& stage : stages)
    for (const Rule& rule : rules) {
      // A rule for another stage, or one before, may have inlined this one.
      if (!is_there(d, stage) || d.is_finished(stage)) break;
      if (!rule.applies(d, stage)) continue;
      rule.apply(d, stage);
      d.note_rule(rule.name);
    }
}

}  // namespace ardea::rules
