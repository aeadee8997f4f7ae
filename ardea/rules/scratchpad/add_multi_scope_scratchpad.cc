#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/scratchpad/plan.h"
#include "ardea/rules/scratchpad/rules.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/reduce/pad_einsum.h"
#include "ardea/support/text.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// The units that can do the product, and of which a tile of each operand fits.
std::vector<MatrixUnit> units_for(const Derivation& d, const BlockRef& stage) {
  std::vector<MatrixUnit> all = matrix_units(d.target());
  std::erase_if(all, [&](const MatrixUnit& unit) {
    const auto product = unit_product(d.steps().program(), stage, unit);
    if (!product) return true;
    TileCounts least(product->stage.iterators.size(), 1);
    for (const std::size_t tap : product->taps()) least[tap] = product->stage.extents[tap];
    return !fits(*product, unit, least, d.target());
  });
  return all;
}

/// "lambda d0, d1: (d1 // 16, d0 // 16, d1 % 16, d0 % 16)": tiles after what is no axis of theirs. Nothing
/// where the elements of a tile lie side by side as it is.
std::optional<std::string> packing_of(const UnitProduct& product, const MatrixUnit& unit,
                                      const UnitOperand& operand, const std::vector<Expr>& indices) {
  std::vector<std::size_t> tile;
  for (const UnitAxis axis : operand.axes)
    tile.push_back(*plain_dimension(indices, product.stage.iterators[product.iterator(axis)]));
  if (tile.size() == 1 && tile[0] + 1 == indices.size()) return std::nullopt;
  std::vector<std::string> names, places;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    names.push_back(fmt::format("d{}", i));
    if (std::find(tile.begin(), tile.end(), i) == tile.end()) places.push_back(names.back());
  }
  for (const char* part : {"//", "%"})
    for (std::size_t i = 0; i < tile.size(); ++i)
      places.push_back(fmt::format("d{} {} {}", tile[i], part, unit.extent(operand.axes[i])));
  return fmt::format("lambda {}: ({})", join(names, ", "), join(places, ", "));
}

class ScopeSteps {
 public:
  ScopeSteps(Derivation& d, const MatrixUnit& unit, const UnitProduct& product)
      : s_(d.steps()), unit_(unit), product_(product) {}

  ScratchpadPlan run() {
    pad();
    pack(unit_.sums, product_.stage.indices, {"write", 0});
    ScratchpadPlan plan{unit_, product_, {}, {}};
    const bool packs_left = pack(unit_.left, product_.left.indices, {"read", product_.left_read});
    const bool packs_right = pack(unit_.right, product_.right.indices, {"read", product_.right_read});
    plan.left = {copied(product_.left_read, unit_.left, unit_.to_left.back(), packs_left)};
    plan.right = {copied(product_.right_read, unit_.right, unit_.to_right.back(), packs_right)};
    return plan;
  }

 private:
  void pad() {
    std::vector<Number> multiples;
    bool pads = false;
    for (std::size_t i = 0; i < product_.stage.iterators.size(); ++i) {
      const bool is_whole = product_.padded(unit_, i) == product_.stage.extents[i];
      multiples.emplace_back(is_whole ? 1 : product_.taken(unit_, i));
      pads = pads || !is_whole;
    }
    if (pads) s_.apply(PadEinsum{product_.sums, multiples});
  }

  bool pack(const UnitOperand& operand, const std::vector<Expr>& indices, const BufferArgument& buffer) {
    const auto packing = packing_of(product_, unit_, operand, indices);
    if (packing) s_.apply(TransformLayout{product_.sums, buffer, *packing});
    return packing.has_value();
  }

  TileCopy copied(std::int64_t read, const UnitOperand& operand, const Hop& hop, bool is_packed) {
    return {s_.blocks(CacheRead{product_.sums, read, operand.scope})[0], hop.scope, hop.instruction,
            unit_.tile(operand), is_packed};
  }

  Schedule& s_;
  const MatrixUnit& unit_;
  const UnitProduct& product_;
};

}  // namespace

Rule add_multi_scope_scratchpad() {
  return {
      .name = "add multi-scope scratchpad",
      .doc =
          "the operands of a product go to the memories that a matrix unit takes them from, each to its own",
      .applies = [](const Derivation& d, const BlockRef& stage) { return !units_for(d, stage).empty(); },
      .apply =
          [](Derivation& d, const BlockRef& stage) {
            const std::vector<MatrixUnit> units = units_for(d, stage);
            std::vector<std::string> names;
            for (const MatrixUnit& unit : units) names.push_back(unit.product);
            const MatrixUnit& unit = units[names.size() == 1 ? 0 : d.way("instruction", names, 0)];
            const UnitProduct product = *unit_product(d.steps().program(), stage, unit);
            d.leave(stage, ScopeSteps(d, unit, product).run());
          }};
}

}  // namespace ardea::rules
