#include "ardea/rules/cpu/always_inline.h"

#include <algorithm>

#include "ardea/rules/analysis/producers.h"
#include "ardea/rules/analysis/stage.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Whether what the stage stores is an element of something else, of whatever type.
bool is_copy(const Function& program, const Stage& stage) {
  Expr value = path_to(program, stage.block)->block().body.as<Store>()->value;
  while (const auto* cast = value.as<Cast>()) value = cast->value;
  return value.is<Load>();
}

/// The first producer that goes into the stage; nothing where there is none.
std::optional<BlockRef> producer_to_inline(const Derivation& d, const BlockRef& block) {
  const Function& program = d.steps().program();
  const auto stage = plain_stage(program, block, Lengths::any);
  if (!stage || stage->reduces()) return std::nullopt;
  for (const Load& load : stage->loads) {
    const auto maker = elementwise_producer(program, block, load.buffer);
    const auto made =
        maker && !d.is_finished(*maker) ? plain_stage(program, *maker, Lengths::any) : std::nullopt;
    if (!made || !are_plain(made->indices, made->iterators)) continue;
    const auto reads = std::count_if(stage->loads.begin(), stage->loads.end(),
                                     [&](const Load& other) { return other.buffer == load.buffer; });
    if (reads * stage->elements() <= made->elements() || is_copy(program, *made)) return maker;
  }
  return std::nullopt;
}

}  // namespace

Rule always_inline() {
  return {.name = "always inline",
          .doc = "what makes operands element by element is computed where it is read",
          .applies = [](const Derivation& d,
                        const BlockRef& stage) { return producer_to_inline(d, stage).has_value(); },
          .apply =
              [](Derivation& d, const BlockRef& stage) {
                while (const auto maker = producer_to_inline(d, stage))
                  d.steps().apply(ComputeInline{*maker});
              }};
}

}  // namespace ardea::rules
