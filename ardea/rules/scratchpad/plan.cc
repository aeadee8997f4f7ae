#include "ardea/rules/scratchpad/plan.h"

#include <cstdlib>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/substitute.h"

namespace ardea::rules {

namespace {

/// Elements from the first to the last along one dimension when the iterators run that far; of an index that
/// is not linear it is a guess, which only the model's choice depends on.
std::int64_t reach(const Expr& index, const UnitProduct& product, const std::vector<std::int64_t>& lengths) {
  const auto at = [&](std::size_t moved) {
    Substitution values;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      values[product.stage.iterators[i]] = make_int(i == moved ? 1 : 0);
    return constant_int(arith::Analyzer().simplify(substitute(index, values))).value_or(0);
  };
  std::int64_t all = 1;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    all += std::abs(at(i) - at(lengths.size())) * (lengths[i] - 1);
  return all;
}

}  // namespace

std::int64_t tiles_of(const UnitProduct& product, const MatrixUnit& unit, std::size_t iterator) {
  return product.padded(unit, iterator) / product.taken(unit, iterator);
}

bool fits(const UnitProduct& product, const MatrixUnit& unit, const TileCounts& counts,
          const target::Target& target) {
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < counts.size(); ++i) lengths.push_back(counts[i] * product.taken(unit, i));
  std::map<std::string, std::int64_t> bytes;
  const auto add = [&](const std::string& scope, const std::vector<Expr>& indices, DataType type) {
    std::int64_t size = type.bytes();
    for (const Expr& index : indices) size *= reach(index, product, lengths);
    bytes[scope] += size;
  };
  for (const Hop& hop : unit.to_left) add(hop.scope, product.left.indices, unit.left.type);
  for (const Hop& hop : unit.to_right) add(hop.scope, product.right.indices, unit.right.type);
  add(unit.sums.scope, product.stage.indices, unit.sums.type);
  for (const auto& [scope, taken] : bytes) {
    const target::Scratchpad* memory = target.accelerator->scratchpad(scope);
    if (memory == nullptr || taken > memory->bytes) return false;
  }
  return true;
}

}  // namespace ardea::rules
