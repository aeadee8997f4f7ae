#include "ardea/rules/gpu/reduction.h"

#include "ardea/rules/analysis/epilogue.h"

namespace ardea::rules {

namespace {

bool is_open(const Derivation& d, const std::optional<Stage>& stage) {
  return stage && !d.is_finished(stage->block);
}

}  // namespace

std::optional<Reduction> reduction_to(const Derivation& d, const BlockRef& block) {
  if (!d.target().gpu) return std::nullopt;
  const Function& program = d.steps().program();
  const auto stage = plain_stage(program, block, Lengths::any);
  if (!is_open(d, stage)) return std::nullopt;
  if (stage->reduces()) return Reduction{*stage, std::nullopt};
  const auto before = epilogue_before(program, block);
  if (!before || !before->between.empty()) return std::nullopt;
  const auto sum = plain_stage(program, before->maker, Lengths::any);
  if (!is_open(d, sum) || !sum->reduces()) return std::nullopt;
  return Reduction{*sum, stage};
}

}  // namespace ardea::rules
