#include "ardea/schedule/primitives/tensor/tensorize.h"

#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/storage_alignment.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/primitives/tensor/isolated_nest.h"
#include "ardea/schedule/primitives/tensor/match_instruction.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

/// Loops and blocks that s holds are gone.
std::vector<Forwarded> gone_with(const Stmt& s) {
  std::vector<Forwarded> gone;
  visit_stmts(s, [&](const Stmt& x) {
    if (const auto* loop = x.as<For>()) gone.push_back({LoopRef{loop->var}, {}});
    if (const auto* block = x.as<Block>()) gone.push_back({BlockRef{block->id}, {}});
  });
  return gone;
}

/// What blocks inside ask for about the strides of what they write, as the block around them asks for it.
void take_over_alignments(Block& block) {
  std::vector<StorageAlignment> all = storage_alignments(block.annotations);
  const std::size_t own = all.size();
  visit_stmts(block.body, [&](const Stmt& s) {
    const auto* inner = s.as<Block>();
    if (inner == nullptr || !inner->writes) return;
    for (StorageAlignment asked : storage_alignments(inner->annotations)) {
      const Buffer& buffer = inner->writes->at(static_cast<std::size_t>(asked.buffer)).buffer;
      const auto place = std::find_if(block.writes->begin(), block.writes->end(),
                                      [&](const BufferRegion& region) { return region.buffer == buffer; });
      if (place == block.writes->end()) continue;
      asked.buffer = place - block.writes->begin();
      all.push_back(asked);
    }
  });
  if (all.size() > own) block.annotations[storage_alignment_key] = attribute_of(all);
}

/// The instruction in the place of the block's body.
Outcome tensorized(const Function& f, const Path& path, const intrin::Instruction& instruction,
                   Context& context) {
  Block block = path.block();
  const arith::Analyzer facts = arith::facts_inside(block, path.facts(f));
  // From now on nobody sees more of the writes than what the block declares.
  for (const arith::Touched& write : arith::accesses(block, path.facts(f)).writes)
    if (!write.exact)
      return Refusal{
          "writes_have_gaps",
          fmt::format("the nest does not write all of {}, and an instruction is taken to write whole boxes",
                      print(write.region))};
  StoreNest nest = ARDEA_TRY(store_nest(block.body, facts, context));
  std::vector<Expr> matched = ARDEA_TRY(match_instruction(instruction, nest, f, facts, context));
  std::vector<Expr> arguments = {make_string(instruction.name)};
  for (const Expr& argument : matched) arguments.push_back(argument);
  std::vector<Forwarded> gone = gone_with(block.body);
  take_over_alignments(block);
  block.body = Evaluate{make_call("tensor_instruction", arguments)};
  return Applied{with(f, path, block), {BlockRef{block.id}}, std::move(gone)};
}

}  // namespace

Outcome apply(const Function& f, const Tensorize& step, Context& context) {
  Path found = ARDEA_TRY(refer(f, step.block_or_loop));
  const std::vector<std::string> names = intrin::instruction_names();
  if (std::find(names.begin(), names.end(), step.tensor_intrin) == names.end()) {
    const std::string near = did_you_mean(step.tensor_intrin, names);
    return Refusal{"no_such_instruction",
                   fmt::format("there is no tensor instruction {}{}", in_quotes(step.tensor_intrin),
                               near.empty() ? "; `ardea instructions` lists them" : near)};
  }
  const intrin::Instruction& instruction = intrin::find_instruction(step.tensor_intrin);
  const Path& path = found;
  for (std::size_t i = 0; i + 1 < path.size(); ++i)
    if (const auto* loop = path[i].as<For>(); loop != nullptr && loop->kind == ForKind::vectorized)
      return Refusal{"inside_vectorized",
                     fmt::format("loop {} around it is vectorized, and an instruction has no lanes "
                                 "to spare for it",
                                 loop->var.name())};
  if (path.size() == 1 && path[0].is<Block>())
    return Refusal{"root_block", "the root block holds the whole program, which is no instruction"};
  if (path.back().is<Block>()) return tensorized(f, path, instruction, context);
  IsolatedNest nest = ARDEA_TRY(isolate(f, path, step.preserve_unit_iters, context));
  const Block& outer = nest.outer;
  // The regions of the new block are those of the nest that it held.
  const Function blockized = arith::complete_regions(with(f, path, outer));
  return tensorized(blockized, *path_to(blockized, BlockRef{outer.id}), instruction, context);
}

}  // namespace ardea::schedule
