#include "ardea/measure/reference_order.h"

#include <algorithm>

#include "ardea/ir/traverse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/error.h"

namespace ardea::measure {

namespace {

using schedule::LoopRef;

/// The loops that bind a reduce iterator of the block.
bool reduces_along(const Block& block, const LoopRef& loop) {
  return std::any_of(block.iterators.begin(), block.iterators.end(), [&](const BlockIterator& it) {
    bool found = false;
    visit_exprs(it.binding, [&](const Expr& e) { found = found || e == loop.var; });
    return found && it.kind == IteratorKind::reduce;
  });
}

/// Takes the step where it is legal.
template <class Step>
void try_step(schedule::Schedule& s, const Step& step) {
  try {
    s.apply(step);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
    // Only the speed of the reference is lost.
  }
}

void quicken(schedule::Schedule& s, const schedule::Path& path) {
  const Block& block = path.block();
  std::vector<LoopRef> spatial, order;
  for (const LoopRef& loop : path.loops()) (reduces_along(block, loop) ? order : spatial).push_back(loop);
  if (order.empty() || spatial.empty()) return;
  if (spatial.size() > 1) {
    order.push_back(spatial.back());
    order.insert(order.begin(), spatial.begin(), spatial.end() - 1);
    try_step(s, schedule::Reorder{order});
  }
  try_step(s, schedule::Parallel{spatial.front()});
}

}  // namespace

Function in_quick_order(const Function& f) {
  schedule::Schedule s(f);
  for (const schedule::Path& path : schedule::all_blocks(f)) quicken(s, path);
  return s.program();
}

}  // namespace ardea::measure
