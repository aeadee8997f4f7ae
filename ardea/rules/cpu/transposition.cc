#include "ardea/rules/cpu/transposition.h"

#include <algorithm>

#include "ardea/ir/substitute.h"
#include "ardea/rules/analysis/stage.h"
#include "ardea/rules/model/candidates.h"
#include "ardea/rules/model/threads.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Elements of a line, for targets that do not say.
constexpr std::int64_t usual_line_bytes = 64;
/// Longer tiles leave the nearest cache before their lines are done with.
constexpr std::int64_t longest_tile = 128;

bool varies_with(const Expr& index, const Var& v) {
  const std::vector<Var> all = free_variables(index);
  return std::find(all.begin(), all.end(), v) != all.end();
}

/// The axis along which something is read one element after the other, that is not the last.
std::optional<std::size_t> crossing_axis(const Stage& stage) {
  const Var last = stage.iterators.back();
  for (const Load& load : stage.loads) {
    if (load.indices.size() < 2 || !load.indices.back().is<VarNode>()) continue;
    const auto along = std::find(stage.iterators.begin(), stage.iterators.end(), Var(load.indices.back()));
    const bool crosses = std::any_of(load.indices.begin(), load.indices.end() - 1,
                                     [&](const Expr& index) { return varies_with(index, last); });
    if (along != stage.iterators.end() && *along != last && crosses)
      return static_cast<std::size_t>(along - stage.iterators.begin());
  }
  return std::nullopt;
}

class TransposeSteps {
 public:
  TransposeSteps(Derivation& d, const Stage& stage, std::size_t axis)
      : d_(d),
        s_(d.steps()),
        stage_(stage),
        axis_(axis),
        name_(path_to(s_.program(), stage.block)->block().name) {}

  void run() {
    const std::vector<LoopRef> loops = s_.get_loops(stage_.block);
    const bool uses_threads = worth_threads(bytes_around(s_.program(), {stage_.block}), d_.target());
    const auto rows = tiles_of(loops[axis_], stage_.extents[axis_], name_ + "_rows");
    const auto columns = tiles_of(loops.back(), stage_.extents.back(), name_ + "_columns");
    std::vector<LoopRef> order;
    for (std::size_t i = 0; i + 1 < loops.size(); ++i)
      if (i != axis_) order.push_back(loops[i]);
    order.insert(order.end(), {rows[0], columns[0], rows[1], columns[1]});
    s_.apply(Reorder{order});
    s_.apply(Vectorize{columns[1]});
    if (uses_threads) s_.apply(Parallel{order.front()});
    d_.finish(stage_.block);
  }

 private:
  std::vector<LoopRef> tiles_of(const LoopRef& loop, std::int64_t extent, const std::string& name) {
    const target::Cache* first = d_.target().cache(1);
    const std::int64_t line = first != nullptr ? first->line_bytes : usual_line_bytes;
    const std::int64_t model = std::min(
        extent, std::max<std::int64_t>(1, line / std::max<std::int64_t>(1, stage_.out->type.bytes())));
    const Number tile = d_.number(name, tile_sizes(extent, longest_tile, model), model);
    return s_.loops(Split{loop, {std::nullopt, tile}});
  }

  Derivation& d_;
  Schedule& s_;
  const Stage& stage_;
  std::size_t axis_;
  std::string name_;
};

std::optional<Stage> crossing_stage(const Derivation& d, const BlockRef& block) {
  const target::Target& target = d.target();
  if (target.kind != target::Kind::cpu || target.vector_bits < 128) return std::nullopt;
  auto stage = plain_stage(d.steps().program(), block);
  const bool makes_rows = stage && !stage->reduces() && are_plain(stage->indices, stage->iterators);
  return makes_rows && crossing_axis(*stage) ? stage : std::nullopt;
}

}  // namespace

Rule transposition() {
  return {.name = "transposition",
          .doc = "read along one axis and written along another: in tiles of both",
          .applies = [](const Derivation& d,
                        const BlockRef& block) { return crossing_stage(d, block).has_value(); },
          .apply =
              [](Derivation& d, const BlockRef& block) {
                const Stage stage = *crossing_stage(d, block);
                TransposeSteps(d, stage, *crossing_axis(stage)).run();
              }};
}

}  // namespace ardea::rules
