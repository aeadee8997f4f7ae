#include "ardea/schedule/primitives/find/find.h"

#include <algorithm>

#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

Outcome neighbours(const Function& f, const BlockRef& block, DeclaredRegions theirs, DeclaredRegions mine) {
  const Path path = ARDEA_TRY(refer(f, block));
  Applied applied{f};
  for (const Path& other : neighbours_of(f, path, theirs, mine))
    applied.results.emplace_back(BlockRef{other.block().id});
  return applied;
}

}  // namespace

Outcome apply(const Function& f, const GetBlock& step, Context&) {
  if (step.function && *step.function != f.name)
    return Refusal{"no_such_function",
                   fmt::format("the program's function is {}, not {}", f.name, *step.function)};
  std::vector<BlockRef> named;
  std::vector<std::string> names;
  for (const Path& path : all_blocks(f)) {
    names.push_back(path.block().name);
    if (path.block().name == step.block) named.push_back({path.block().id});
  }
  if (const Block* root = root_block(f); root != nullptr && step.block == root->name)
    named.push_back({root->id});
  if (named.size() == 1) return Applied{f, {named[0]}};
  if (named.size() > 1)
    return Refusal{"block_name_is_not_unique",
                   fmt::format("{} blocks are called {}", named.size(), in_quotes(step.block))};
  return Refusal{"no_such_block", fmt::format("there is no block {}", in_quotes(step.block)), {}, [=] {
                   return "the blocks are " + join(names, ", ") + did_you_mean(step.block, names);
                 }};
}

Outcome apply(const Function& f, const GetLoops& step, Context&) {
  Path found = ARDEA_TRY(refer(f, step.block));
  Applied applied{f};
  for (const LoopRef& loop : found.loops()) applied.results.emplace_back(loop);
  return applied;
}

Outcome apply(const Function& f, const GetChildBlocks& step, Context&) {
  Path found = ARDEA_TRY(refer(f, step.block));
  const Stmt& block = found.back();
  Applied applied{f};
  for (const Path& path : all_blocks(f)) {
    if (const Path around = path.block_around(); !around.empty() && around.back() == block)
      applied.results.emplace_back(BlockRef{path.block().id});
  }
  return applied;
}

Outcome apply(const Function& f, const GetProducers& step, Context&) {
  return neighbours(f, step.block, &Block::writes, &Block::reads);
}

Outcome apply(const Function& f, const GetConsumers& step, Context&) {
  return neighbours(f, step.block, &Block::reads, &Block::writes);
}

}  // namespace ardea::schedule
