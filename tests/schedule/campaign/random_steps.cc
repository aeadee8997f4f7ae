#include "tests/schedule/campaign/random_steps.h"

#include "ardea/schedule/primitives/find/find.h"

namespace ardea::schedule {

std::optional<BlockRef> RandomSteps::any_block() {
  const std::vector<Path> blocks = all_blocks(program());
  return blocks.empty() ? std::nullopt : block_at_end(random_.pick(blocks));
}

std::optional<BlockRef> RandomSteps::block_at_end(const Path& path) {
  return block_called(path.block().name);
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

namespace {

/// Whether a refusal is about what the oracle of conflicts knows: accesses, not forms.
bool is_about_accesses(const std::string& code) {
  return code == "loop_carries_dependence" || code == "reorder_breaks_dependence" ||
         code == "reduction_by_threads";
}

}  // namespace

std::vector<Reference> RandomSteps::attempt(const Primitive& primitive,
                                            const std::vector<Argument>& arguments,
                                            const std::optional<Question>& question) {
  applied_ = false;
  const Function before = program();
  StepCount& count = counts_[primitive.name];
  try {
    std::vector<Reference> results = schedule_.take(primitive, arguments);
    applied_ = true;
    ++count.applied;
    if (question && !(program().body == before.body)) {
      const StepJudge::Answer answer = judge_.answer(before, *question);
      count.on_dependent += answer.is_dependent ? 1 : 0;
      if (answer.conflict)
        throw InternalError(fmt::format("wrongly accepted: {}: {}", primitive.name, *answer.conflict));
    }
    return results;
  } catch (const Error& refusal) {
    ++count.refused;
    if (!std::string(refusal.what()).starts_with(primitive.name))
      throw InternalError(std::string("a refusal does not begin with its call: ") + refusal.what());
    const auto* refused = dynamic_cast<const Refused*>(&refusal);
    RefusalCount& reason = count.refusals[refused != nullptr ? refused->code() : "other"];
    ++reason.refused;
    if (question && refused != nullptr && is_about_accesses(refused->code())) {
      const StepJudge::Answer answer = judge_.answer(before, *question);
      reason.judged += answer.is_known ? 1 : 0;
      reason.legal += answer.is_known && !answer.conflict ? 1 : 0;
    }
    if (refused != nullptr && refused->code() == "not_proved") {
      const StepJudge::Unproved unproved = judge_.unproved(before, primitive, arguments);
      reason.judged += unproved.is_known ? 1 : 0;
      reason.legal += unproved.is_known && !unproved.fault ? 1 : 0;
      if (unproved.fault)
        throw InternalError(
            fmt::format("what {} made is wrong, not only not proved: {}", primitive.name, *unproved.fault));
      if (unproved.is_easy)
        throw InternalError(
            fmt::format("a law is not proved of a program that is easy to prove: {}", refusal.what()));
    }
    return {};
  }
}

namespace {

double weight_of(const std::vector<Proposer>& proposers) {
  double total = 0;
  for (const Proposer& proposer : proposers) total += proposer.weight;
  return total;
}

void propose_one(const std::vector<Proposer>& proposers, RandomSteps& steps) {
  double left = steps.random().real() * weight_of(proposers);
  std::size_t chosen = 0;
  while (chosen + 1 < proposers.size() && left >= proposers[chosen].weight)
    left -= proposers[chosen++].weight;
  proposers[chosen].propose(steps);
}

}  // namespace

void take_random_steps(Schedule& schedule, Random& random, int steps, bool mostly_order, StepJudge& judge,
                       StepCounts& counts) {
  static const std::vector<Proposer> all = [] {
    std::vector<Proposer> list;
    for (const auto& some : {find_proposers(), loop_proposers(), mark_proposers(), inline_proposers(),
                             reduction_proposers(), sampling_proposers(), place_proposers(),
                             layout_proposers(), cache_proposers(), pipeline_proposers(), tensor_proposers()})
      list.insert(list.end(), some.begin(), some.end());
    return list;
  }();
  static const std::vector<Proposer> order = [] {
    std::vector<Proposer> list = order_proposers();
    for (const Proposer& proposer : concurrency_proposers()) list.push_back(proposer);
    return list;
  }();
  RandomSteps proposals(schedule, random, judge, counts);
  // After other steps a product is rarely as an instruction needs it.
  if (schedule.program().name == "product") tensor_proposers()[0].propose(proposals);
  // And a prefix as split_prefix does: its loops are cut soon.
  if (schedule.program().name == "prefixes") propose_split_prefix(proposals);
  for (int i = 0; i < steps; ++i) propose_one(mostly_order && random.chance(0.5) ? order : all, proposals);
  if (random.chance(0.4)) propose_lanes(proposals);
}

}  // namespace ardea::schedule
