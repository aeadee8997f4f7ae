#include "ardea/rules/cpu/epilogue.h"

#include "ardea/rules/analysis/epilogue.h"
#include "ardea/rules/analysis/matrix_product.h"
#include "ardea/rules/cpu/windows.h"
#include "ardea/schedule/primitives/place/compute_inline.h"

namespace ardea::rules {

namespace {

bool is_product(const Derivation& d, const BlockRef& sums) {
  return matrix_product(d.steps().program(), sums, Lengths::any).has_value();
}

/// Of a product with one such stage the rules for products take both as they are.
bool is_for_rule_of(const Derivation& d, const Epilogue& epilogue) {
  if (d.is_finished(epilogue.maker)) return false;
  return float32_windows(d, epilogue.maker) || (!epilogue.between.empty() && is_product(d, epilogue.maker));
}

}  // namespace

Rule fused_epilogue() {
  return {.name = "fused epilogue",
          .doc =
              "what follows a product or a sum over windows, element by element, is one stage that the rule "
              "for that places",
          .applies =
              [](const Derivation& d, const BlockRef& stage) {
                const auto found = epilogue_before(d.steps().program(), stage);
                return found && is_for_rule_of(d, *found);
              },
          .apply =
              [](Derivation& d, const BlockRef& stage) {
                const Epilogue found = *epilogue_before(d.steps().program(), stage);
                for (const BlockRef& block : found.between) d.steps().apply(schedule::ComputeInline{block});
                // The rules for products begin at what is made of the sums.
                if (!is_product(d, found.maker)) d.finish(stage);
              }};
}

}  // namespace ardea::rules
