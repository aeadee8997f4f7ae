#include "tests/schedule/campaign/random_steps.h"

#include "ardea/schedule/primitives/find/find.h"

namespace ardea::schedule {

std::optional<BlockRef> RandomSteps::any_block() {
  const std::vector<Path> blocks = all_blocks(program());
  return blocks.empty() ? std::nullopt : block_at_end(random_.pick(blocks));
}

std::optional<BlockRef> RandomSteps::block_at_end(const Path& path) {
  return block_called(block_at(path).name);
}

std::optional<BlockRef> RandomSteps::block_called(const std::string& name) {
  const auto found = attempt(GetBlock{name, program().name});
  if (found.empty()) return std::nullopt;
  return std::get<BlockRef>(found[0]);
}

std::vector<LoopRef> RandomSteps::loops_of(const BlockRef& block) {
  std::vector<LoopRef> loops;
  for (const Reference& loop : attempt(GetLoops{block})) loops.push_back(std::get<LoopRef>(loop));
  return loops;
}

std::vector<LoopRef> RandomSteps::any_loops() {
  const auto block = any_block();
  return block ? loops_of(*block) : std::vector<LoopRef>{};
}

std::vector<Reference> RandomSteps::attempt(const Primitive& primitive, std::vector<Argument> arguments) {
  applied_ = false;
  try {
    std::vector<Reference> results = schedule_.take(primitive, std::move(arguments));
    applied_ = true;
    ++counts_[primitive.name].applied;
    return results;
  } catch (const Error& refusal) {
    ++counts_[primitive.name].refused;
    if (!std::string(refusal.what()).starts_with(primitive.name))
      throw InternalError(std::string("a refusal does not begin with its call: ") + refusal.what());
    return {};
  }
}

void take_random_steps(Schedule& schedule, Random& random, int steps, StepCounts& counts) {
  static const std::vector<Proposer> all = [] {
    std::vector<Proposer> list;
    for (const auto& some : {find_proposers(), loop_proposers(), mark_proposers(), inline_proposers(),
                             reduction_proposers(), sampling_proposers(), place_proposers(),
                             layout_proposers(), cache_proposers(), pipeline_proposers(), tensor_proposers()})
      list.insert(list.end(), some.begin(), some.end());
    return list;
  }();
  double total = 0;
  for (const Proposer& proposer : all) total += proposer.weight;
  RandomSteps proposals(schedule, random, counts);
  // After other steps a product is rarely as an instruction needs it.
  if (schedule.program().name == "product") tensor_proposers()[0].propose(proposals);
  for (int i = 0; i < steps; ++i) {
    double left = random.real() * total;
    std::size_t chosen = 0;
    while (chosen + 1 < all.size() && left >= all[chosen].weight) left -= all[chosen++].weight;
    all[chosen].propose(proposals);
  }
}

}  // namespace ardea::schedule
