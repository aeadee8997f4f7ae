#include "ardea/schedule/primitives/tensor/match_instruction.h"

#include <fmt/core.h>

#include "ardea/ir/print.h"
#include "ardea/schedule/primitives/tensor/instruction_arguments.h"
#include "ardea/schedule/primitives/tensor/match_loops.h"

namespace ardea::schedule {

Result<std::vector<Expr>> match_instruction(const intrin::Instruction& instruction, const StoreNest& nest,
                                            const Function& program, const arith::Analyzer& facts,
                                            Context& context) {
  Stmt body = instruction.meaning.body;
  if (const Block* root = root_block(instruction.meaning)) body = root->body;
  auto formal = store_nest(body, {}, context);
  if (std::holds_alternative<Refusal>(formal))
    return Refusal{"not_one_store",
                   fmt::format("the program of {} is not one store in loops", instruction.name)};
  const StoreNest& meaning = std::get<StoreNest>(formal);
  Difference difference;
  const std::vector<AccessPairs> ways = unify(meaning.store, nest.store, difference);
  if (ways.empty() && difference.actual.defined()) difference.actual = facts.simplify(difference.actual);
  if (ways.empty())
    return Refusal{"computes_something_else",
                   fmt::format("{} computes {} ({}) where the nest computes {} ({})", instruction.name,
                               print(difference.formal), to_string(difference.formal.type()),
                               print(difference.actual), to_string(difference.actual.type()))};
  std::optional<Refusal> best;
  std::size_t furthest = 0;
  for (const AccessPairs& pairs : ways) {
    std::size_t progress = 0;
    const auto arguments = [&]() -> Result<std::vector<Expr>> {
      const MatchedLoops loops = ARDEA_TRY(match_loops(instruction, meaning, nest, pairs, facts, progress));
      return instruction_arguments(instruction, nest, pairs, loops, program, facts, context);
    };
    auto found = arguments();
    if (auto* all = std::get_if<std::vector<Expr>>(&found)) return std::move(*all);
    if (best && progress <= furthest) continue;
    best = std::get<Refusal>(found);
    furthest = progress;
  }
  return *std::move(best);
}

}  // namespace ardea::schedule
