#include "ardea/rules/cpu/tensorized_product.h"

#include <algorithm>

namespace ardea::rules {

namespace {

struct Candidate {
  ProductUnit unit;
  std::string instruction;
  double cycles = 0;
};

/// The instructions that can compute the product, fastest first.
std::vector<Candidate> candidates_for(const MatrixProduct& product, const target::Target& target) {
  std::vector<Candidate> all;
  if (product.batches > 0) return all;
  for (const ProductUnit& unit : {amx_unit(), vnni_unit(), mmla_unit()}) {
    const std::string instruction = unit.instruction(product, target);
    if (!instruction.empty()) all.push_back({unit, instruction, unit.cycles(product, instruction, target)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cycles < b.cycles; });
  return all;
}

}  // namespace

Rule tensorized_product() {
  return {.name = "tensorize",
          .doc = "a product of matrices on tensor instructions: padded, packed into whole ones",
          .applies =
              [](const Derivation& d, const BlockRef& stage) {
                const auto found = product_of_stage(d.steps().program(), stage);
                return found && !candidates_for(found->product, d.target()).empty();
              },
          .apply =
              [](Derivation& d, const BlockRef& stage) {
                const ConvertedProduct found = *product_of_stage(d.steps().program(), stage);
                const std::vector<Candidate> all = candidates_for(found.product, d.target());
                std::vector<std::string> names;
                for (const Candidate& candidate : all) names.push_back(candidate.instruction);
                const Candidate& taken = all[d.way("instruction", names, 0)];
                taken.unit.apply(d, found, taken.instruction);
              }};
}

}  // namespace ardea::rules
