#include "ardea/schedule/primitives/loops/add_unit_loop.h"

#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

Outcome apply(const Function& f, const AddUnitLoop& step, Context&) {
  const Path path = ARDEA_TRY(refer(f, step.block_or_loop));
  if (path.size() == 1 && path[0].is<Block>())
    return Refusal{"root_block", "the root block holds the whole program and cannot stand in a loop"};
  const auto* loop = path.back().as<For>();
  const DataType type = loop == nullptr ? int64 : loop->var.type();
  const Var unit("u", type);
  return Applied{with(f, path, make_for(unit, make_int(0, type), make_int(1, type), path.back())),
                 {LoopRef{unit}}};
}

}  // namespace ardea::schedule
