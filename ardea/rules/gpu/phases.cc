#include "ardea/rules/gpu/phases.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/analysis/phases.h"
#include "ardea/rules/gpu/block_tile.h"
#include "ardea/rules/gpu/implicit_product.h"
#include "ardea/schedule/primitives/loops/iterate_by_loops.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/reindex.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/reduce/pad_einsum.h"
#include "ardea/support/text.h"

namespace ardea::rules {

using namespace schedule;

namespace {

struct PhasedContraction {
  ConvertedContraction sums;
  std::vector<std::int64_t> periods;
};

std::optional<PhasedContraction> phased_contraction(const Derivation& d, const BlockRef& stage) {
  if (!d.target().gpu || d.left<SumsInPhases>(stage) != nullptr) return std::nullopt;
  auto found = contraction_of_stage(d.steps().program(), stage);
  if (!found || d.is_finished(found->sums)) return std::nullopt;
  const Contraction& c = found->contraction;
  Phases phases = phases_of(c);
  if (phases.are_one() || !is_worth_tiles({phases.rows, phases.columns, c.extent(c.depth)}))
    return std::nullopt;
  return PhasedContraction{*std::move(found), std::move(phases.periods)};
}

class PhaseSteps {
 public:
  PhaseSteps(Derivation& d, const PhasedContraction& given)
      : s_(d.steps()), given_(given), stage_(given.sums.contraction.stage) {}

  SumsInPhases run() {
    const BlockRef& sums = given_.sums.sums;
    const BlockRef converter = make_room();
    s_.apply(TransformLayout{sums, {"write", 0}, layout()});
    std::vector<std::size_t> all(stage_.iterators.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    cut(sums, all);
    cut(converter, order_of_result());
    return {sums, converter};
  }

 private:
  /// For sums in whole periods, more than there are results; what takes them from there to the result.
  BlockRef make_room() {
    const BlockRef& sums = given_.sums.sums;
    const bool is_whole =
        std::equal(given_.periods.begin(), given_.periods.end(), stage_.extents.begin(),
                   [](std::int64_t period, std::int64_t extent) { return extent % period == 0; });
    if (is_whole && given_.sums.converter) return *given_.sums.converter;
    if (is_whole) return s_.blocks(Reindex{sums, {"write", 0}})[0];
    const BlockRef taken =
        s_.blocks(PadEinsum{sums, std::vector<Number>(given_.periods.begin(), given_.periods.end())}).back();
    if (!given_.sums.converter) return taken;
    s_.apply(ComputeInline{taken});
    return *given_.sums.converter;
  }

  /// The iterators as the result's indices have them.
  std::vector<std::size_t> order_of_result() const {
    std::vector<std::size_t> order;
    for (const Expr& index : stage_.indices)
      order.push_back(
          static_cast<std::size_t>(std::find(stage_.iterators.begin(), stage_.iterators.end(), Var(index)) -
                                   stage_.iterators.begin()));
    return order;
  }

  std::string layout() const {
    std::vector<std::string> names, places;
    for (const std::size_t i : order_of_result()) {
      names.push_back(fmt::format("i{}", i));
      if (given_.periods[i] == 1) {
        places.push_back(names.back());
        continue;
      }
      places.push_back(fmt::format("i{} // {}", i, given_.periods[i]));
      places.push_back(fmt::format("i{} % {}", i, given_.periods[i]));
    }
    return fmt::format("lambda {}: ({})", join(names, ", "), join(places, ", "));
  }

  /// The block's loops, each over one of `iterators`.
  void cut(const BlockRef& block, const std::vector<std::size_t>& iterators) {
    const auto loops = s_.get_loops(block);
    for (std::size_t i = 0; i < loops.size(); ++i)
      if (const std::int64_t period = given_.periods[iterators[i]]; period > 1)
        s_.apply(Split{loops[i], {std::nullopt, period}});
    s_.apply(IterateByLoops{block});
  }

  Schedule& s_;
  const PhasedContraction& given_;
  const Stage& stage_;
};

}  // namespace

Rule sums_in_phases() {
  return {.name = "phases",
          .doc =
              "results that are sums of products with the same elements, a stride apart as in transposed "
              "convolutions or side by side as in groups of channels, are products of their own",
          .applies = [](const Derivation& d,
                        const BlockRef& stage) { return phased_contraction(d, stage).has_value(); },
          .apply =
              [](Derivation& d, const BlockRef& stage) {
                const PhasedContraction found = *phased_contraction(d, stage);
                d.leave(stage, PhaseSteps(d, found).run());
              }};
}

}  // namespace ardea::rules
