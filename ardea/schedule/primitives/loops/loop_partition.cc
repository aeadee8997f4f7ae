#include "ardea/schedule/primitives/loops/loop_partition.h"

#include "ardea/arith/cut_loop.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/program/plain_loop.h"
#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

Outcome apply(const Function& f, const LoopPartition& step, Context& context) {
  const FoundLoop found = ARDEA_TRY(refer_to_loop(f, step.loop));
  const For& loop = *found.loop;
  ARDEA_TRY(refuse_unless_plain(loop));
  if (step.points.empty()) return Refusal{"no_points", "there are no points; give at least one"};

  std::vector<Expr> points;
  std::vector<std::string> names = {loop.var.name() + "_0"};
  for (std::size_t i = 0; i < step.points.size(); ++i) {
    points.push_back(value_of(step.points[i], loop.var.type()));
    names.push_back(fmt::format("{}_{}", loop.var.name(), i + 1));
    const auto outside = [&] {
      return Refusal{"point_outside",
                     fmt::format("point {} is {}, must be above 0 and below the extent {} of {}", i + 1,
                                 print(points[i]), print(loop.extent), loop.var.name())};
    };
    ARDEA_TRY(context.require(found.facts, points[i] > make_int(0, loop.var.type()), outside));
    ARDEA_TRY(context.require(found.facts, points[i] < loop.extent, outside));
    if (i == 0) continue;
    ARDEA_TRY(context.require(found.facts, points[i - 1] < points[i], [&] {
      return Refusal{"points_do_not_rise", fmt::format("point {} is {}, and point {} is {}; they must rise",
                                                       i, print(points[i - 1]), i + 1, print(points[i]))};
    }));
  }

  Applied applied{f};
  std::vector<Stmt> parts;
  for (For& part : arith::cut_loop(loop, points, names, found.facts)) {
    applied.results.emplace_back(LoopRef{part.var});
    parts.push_back(simplify_bindings(std::move(part), found.path.facts(f, false), true));
  }
  applied.program = with(f, found.path, make_seq(parts));
  applied.forwarding.push_back({step.loop, applied.results});
  return applied;
}

}  // namespace ardea::schedule
