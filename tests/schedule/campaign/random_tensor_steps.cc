#include <set>

#include "ardea/intrin/instruction.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/tensor/blockize.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"
#include "tests/schedule/campaign/random_steps.h"

namespace ardea::schedule {

namespace {

void propose_blockize(RandomSteps& steps) {
  Random& random = steps.random();
  const auto block = steps.any_block();
  if (!block) return;
  const std::vector<LoopRef> loops = steps.loops_of(*block);
  const bool keep_units = random.chance(0.5);
  if (loops.empty() || random.chance(0.1))
    steps.attempt(Blockize{*block, keep_units});
  else
    steps.attempt(Blockize{random.pick(loops), keep_units});
}

/// An instruction, by which factors the loops i, j and k of a product are split for it, and how many
/// dimensions its widest operand has.
struct Recipe {
  const char* instruction;
  std::array<std::int64_t, 3> factors;
  std::size_t rank;
};

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = {
      {"ardea.tile_4x4x4_f32", {4, 4, 4}, 2},
      {"avx512.fma_f32x16", {1, 16, 1}, 2},
      {"neon.fmla_f32x4_lane", {1, 4, 1}, 2},
      {"avx512.fma_f64x8", {1, 8, 1}, 2},
      {"ardea.dot4_i8", {1, 1, 4}, 2},
      {"avx512.vpdpbusd_broadcast_u8", {1, 16, 4}, 3},
      {"avx512.vpdpbusd_broadcast_i8", {1, 16, 4}, 3},
      {"neon.smmla", {2, 2, 8}, 4},
      {"neon.ummla", {2, 2, 8}, 4},
      {"neon.bfmmla", {2, 2, 4}, 4},
  };
  return all;
}

/// Whether block and instruction load the same types, from as many dimensions: what is worth trying.
bool may_match(const Recipe& recipe, const Block& block) {
  std::size_t rank = 0;
  std::set<std::string> have, want;
  for (const Buffer& buffer : buffers_in(block.body)) {
    rank = std::max(rank, buffer->shape.size());
    have.insert(to_string(buffer->type));
  }
  for (const ardea::Parameter& parameter : intrin::find_instruction(recipe.instruction).meaning.parameters)
    if (parameter.buffer.defined()) want.insert(to_string(parameter.buffer->type));
  return rank == recipe.rank && have == want;
}

/// The loops of the block split by the recipe's factors, outer ones outside; the first of the inner ones.
std::optional<LoopRef> tile(RandomSteps& steps, const Recipe& recipe, const std::vector<LoopRef>& loops) {
  std::vector<LoopRef> outer, inner;
  for (std::size_t d = 0; d < 3; ++d) {
    if (recipe.factors[d] == 1) {
      outer.push_back(loops[d]);
      continue;
    }
    std::vector<LoopRef> parts;
    for (const Reference& part : steps.attempt(Split{loops[d], {std::nullopt, Number(recipe.factors[d])}}))
      parts.push_back(std::get<LoopRef>(part));
    if (parts.size() != 2) return std::nullopt;
    outer.push_back(parts[0]);
    inner.push_back(parts[1]);
  }
  if (steps.random().chance(0.2)) std::swap(inner.front(), inner.back());
  const LoopRef first = inner.front();
  outer.insert(outer.end(), inner.begin(), inner.end());
  steps.attempt(Reorder{outer});
  return first;
}

void propose_tensorize(RandomSteps& steps) {
  Random& random = steps.random();
  // Elsewhere there is nothing that an instruction does: now and then a refusal.
  const bool is_product = steps.program().name == "product";
  if (!is_product && !random.chance(0.1)) return propose_blockize(steps);
  const auto block = is_product && random.chance(0.9) ? steps.block_called("P") : steps.any_block();
  if (!block) return;
  const Block body = path_to(steps.program(), *block)->block();
  const std::vector<LoopRef> loops = steps.loops_of(*block);
  if (loops.empty()) return;
  std::vector<Recipe> likely;
  for (const Recipe& recipe : recipes())
    if (may_match(recipe, body)) likely.push_back(recipe);
  const Recipe recipe = random.pick(likely.empty() || random.chance(0.1) ? recipes() : likely);
  std::optional<LoopRef> at = random.pick(loops);
  if (loops.size() == 3 && !random.chance(0.1)) at = tile(steps, recipe, loops);
  if (!at) return;
  const bool keep_units = random.chance(0.5);
  if (random.chance(0.3)) {
    const auto outer = steps.attempt(Blockize{*at, keep_units});
    if (steps.last_was_applied())
      steps.attempt(Tensorize{std::get<BlockRef>(outer[0]), recipe.instruction, keep_units});
  } else {
    steps.attempt(Tensorize{*at, recipe.instruction, keep_units});
  }
}

}  // namespace

std::vector<Proposer> tensor_proposers() { return {{1, propose_tensorize}, {0.5, propose_blockize}}; }

}  // namespace ardea::schedule
