#include "ardea/schedule/primitives/loops/reorder.h"

#include <algorithm>

#include "ardea/arith/dependence.h"
#include "ardea/ir/in_loops.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/program/chain.h"
#include "ardea/schedule/program/plain_loop.h"
#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

namespace {

std::vector<arith::LoopRange> ranges_of(const Chain& chain) {
  std::vector<arith::LoopRange> ranges;
  for (const For* loop : chain.loops) ranges.emplace_back(loop->var, Range{loop->min, loop->extent});
  return ranges;
}

/// Positions in the chain, in their new order.
std::vector<std::size_t> new_order(const Chain& chain, const std::vector<LoopRef>& named) {
  std::vector<std::size_t> order;
  std::size_t next = 0;
  for (std::size_t i = 0; i < chain.loops.size(); ++i) {
    const bool moves = std::count(named.begin(), named.end(), LoopRef{chain.loops[i]->var}) > 0;
    if (!moves) {
      order.push_back(i);
      continue;
    }
    const Var& wanted = named[next++].var;
    const auto at =
        std::find_if(chain.loops.begin(), chain.loops.end(), [&](const For* l) { return l->var == wanted; });
    order.push_back(static_cast<std::size_t>(at - chain.loops.begin()));
  }
  return order;
}

std::string loop_names(const Chain& chain, const std::vector<std::size_t>& order) {
  std::string text;
  for (const std::size_t i : order) text += (text.empty() ? "" : ", ") + chain.loops[i]->var.name();
  return text;
}

}  // namespace

Outcome apply(const Function& f, const Reorder& step, Context& context) {
  const Chain chain = ARDEA_TRY(chain_of(f, step.loops));
  ARDEA_TRY(refuse_dependent_bounds(chain));
  const std::vector<std::size_t> order = new_order(chain, step.loops);
  if (std::is_sorted(order.begin(), order.end())) return Applied{f};
  ARDEA_TRY(refuse_undefined_bounds(chain, order, context));
  for (const For* loop : chain.loops) {
    ARDEA_TRY(refuse_bounds_in_memory(*loop));
    if (loop->kind != ForKind::serial && loop->kind != ForKind::unrolled &&
        loop->kind != ForKind::thread_binding)
      return Refusal{"loop_is_not_serial", fmt::format("loop {} is {}; reorder first and say so afterwards",
                                                       loop->var.name(), kind_name(loop->kind))};
  }
  for (const arith::Conflict& conflict : conflicts(chain.body(), ranges_of(chain), chain.facts, false))
    if (order_breaks(conflict, order))
      ARDEA_TRY(context.judge(
          Refusal{"reorder_breaks_dependence",
                  fmt::format("in the order {}, iterations that touch {} and {} may change places",
                              loop_names(chain, order), print(conflict.first), print(conflict.second))}));
  std::vector<For> loops;
  for (const std::size_t i : order) loops.push_back(*chain.loops[i]);
  Function now = with(f, chain.path, in_loops(std::move(loops), chain.body()));
  // A loop that has moved out of another meets more of itself.
  for (const For* loop : chain.loops)
    if (is_concurrent(loop->kind)) {
      const FoundLoop found = ARDEA_TRY(refer_to_loop(now, LoopRef{loop->var}));
      ARDEA_TRY(refuse_carried(now, found, loop->kind));
    }
  return Applied{std::move(now)};
}

}  // namespace ardea::schedule
