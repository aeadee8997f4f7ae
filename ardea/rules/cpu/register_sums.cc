#include "ardea/rules/cpu/register_sums.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/exact_cut.h"
#include "ardea/rules/model/unrolling.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// More iterations of one loop than that are never worth their code.
constexpr std::int64_t most_of_one_loop = 32;

/// The same numbers of loops written out, where those of one iteration, which are always, are left aside.
std::size_t with_unit_loops(std::size_t whole, const std::vector<std::int64_t>& extents) {
  while (whole < extents.size() && extents[extents.size() - 1 - whole] == 1) ++whole;
  return whole;
}

/// What else is worth trying: one loop less, or, where there is none, one more.
std::optional<std::size_t> another_unrolling(std::size_t whole, const std::vector<std::int64_t>& extents) {
  for (std::size_t less = whole; less-- > 0;)
    if (extents[extents.size() - 1 - less] > 1) return less;
  if (whole == extents.size()) return std::nullopt;
  return with_unit_loops(whole + 1, extents);
}

}  // namespace

void keep_in_registers(Derivation& d, const SumBlocks& blocks, const LoopRef& around, const LoopRef& reduced,
                       std::size_t result_rows, std::size_t result_columns) {
  Schedule& s = d.steps();
  s.apply(ReverseComputeAt{blocks.out, around, true});
  const BlockRef first = s.blocks(DecomposeReduction{blocks.sum, reduced})[0];
  for (const BlockRef& block : {blocks.sum, first, blocks.out}) {
    const bool is_result = block == blocks.out;
    const auto loops = s.get_loops(block);
    const LoopRef &rows = loops[loops.size() - (is_result ? result_rows : 2)],
                  &columns = loops[loops.size() - (is_result ? result_columns : 1)];
    if (is_result && result_columns > 1) s.apply(Reorder{{loops.back(), columns}});
    s.apply(Unroll{rows});
    s.apply(Vectorize{columns});
  }
}

void unroll_sum(Derivation& d, const std::string& name, const std::vector<std::vector<LoopRef>>& nests,
                const std::vector<std::int64_t>& extents, std::int64_t products, bool asks) {
  const Unrolling model = choose_unrolling(extents, products);
  std::size_t whole = with_unit_loops(model.whole, extents);
  const std::size_t by_model = whole;
  const auto other = another_unrolling(whole, extents);
  if (other && asks) {
    const auto answer = [](std::size_t loops) { return fmt::format("{} of its loops", loops); };
    const std::size_t few = std::min(whole, *other), many = std::max(whole, *other);
    const std::size_t taken = d.way(name + " written out", {answer(few), answer(many)}, whole == few ? 0 : 1);
    whole = taken == 0 ? few : many;
  }
  for (const std::vector<LoopRef>& reduced : nests)
    for (std::size_t i = 0; i < whole; ++i) d.steps().apply(Unroll{reduced[reduced.size() - 1 - i]});
  if (whole == extents.size()) return;
  const std::size_t next = extents.size() - 1 - whole;
  // All of it would be another way.
  std::vector<std::int64_t> parts = divisors_of(extents[next]);
  std::erase_if(parts, [&](std::int64_t part) { return part >= extents[next] || part > most_of_one_loop; });
  const ExactCut cut =
      exact_cut(d, name + "_unrolled", extents[next], parts, whole == by_model ? model.part : 1);
  for (const std::vector<LoopRef>& reduced : nests) d.steps().apply(Unroll{split(d, reduced[next], cut)[1]});
}

}  // namespace ardea::rules
