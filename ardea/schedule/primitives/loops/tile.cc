#include "ardea/schedule/primitives/loops/tile.h"

#include "ardea/ir/print.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

namespace {

std::optional<Refusal> refuse_factor(const char* name, const Number& factor, const arith::Analyzer& facts,
                                     Context& context) {
  const Expr value = value_of(factor, int64);
  return context.require(facts, value > make_int(0), [&] {
    return Refusal{"factor_not_positive", fmt::format("{} is {}, must be positive", name, print(value))};
  });
}

}  // namespace

Outcome apply(const Function& f, const Tile& step, Context& context) {
  if (step.x == step.y)
    return Refusal{"loop_named_twice", fmt::format("loop {} is both x and y", step.x.var.name())};
  const arith::Analyzer facts = arith::facts_of(f);
  ARDEA_TRY(refuse_factor("x_factor", step.x_factor, facts, context));
  ARDEA_TRY(refuse_factor("y_factor", step.y_factor, facts, context));
  const Applied of_x = ARDEA_TRY(apply(f, Split{step.x, {std::nullopt, step.x_factor}}, context));
  const Applied of_y = ARDEA_TRY(apply(of_x.program, Split{step.y, {std::nullopt, step.y_factor}}, context));
  std::vector<LoopRef> order;
  for (const std::size_t part : {0, 1})
    for (const Applied* split : {&of_x, &of_y}) order.push_back(std::get<LoopRef>(split->results[part]));
  Applied reordered = ARDEA_TRY(apply(of_y.program, Reorder{order}, context));
  for (const LoopRef& loop : order) reordered.results.emplace_back(loop);
  for (const Applied* split : {&of_x, &of_y})
    reordered.forwarding.insert(reordered.forwarding.end(), split->forwarding.begin(),
                                split->forwarding.end());
  return reordered;
}

}  // namespace ardea::schedule
