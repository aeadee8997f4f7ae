#include "tests/random/random_program.h"

#include "ardea/arith/regions.h"
#include "tests/random/stages.h"

namespace ardea::random_programs {

namespace {

const std::vector<StageKind> block_stages = {
    {4, map_stage},
    {1, reshape_stage},
    {2, in_place_stage},
    {4, reduction_stage},
    {1.5, argument_of_best_stage},
    {1.5, scan_stage},
    {2, padded_window_stage},
    {2, stencil_stage},
    {2, border_stage},
    {1.5, gather_stage},
    {1.5, scatter_stage},
    {2, tiled_stage},
    {1.5, matched_stage},
    {2, fused_stage},
};

const StageKind& draw_stage(Random& random, const std::vector<StageKind>& kinds) {
  double total = 0;
  for (const StageKind& kind : kinds) total += kind.weight;
  double draw = random.real() * total;
  for (const StageKind& kind : kinds) {
    draw -= kind.weight;
    if (draw < 0) return kind;
  }
  return kinds.back();
}

}  // namespace

Function random_program(Random& random, const RandomProgramOptions& options) {
  ProgramState state(random, options, "random_program");
  std::vector<StageKind> kinds = block_stages;
  if (options.vector_code) kinds.push_back({2, vector_stage});
  const auto stages = random.integer(1, options.most_stages);
  for (std::int64_t i = 0; i < stages; ++i) {
    state.last_stage = i + 1 == stages;
    draw_stage(random, kinds).write(state);
  }
  if (random.chance(0.3)) state.builder().attribute("tir.noalias", make_bool(true));
  return arith::complete_regions(state.builder().build());
}

}  // namespace ardea::random_programs
