#include "ardea/rules/gpu/group_unit.h"

#include <fmt/core.h>

#include "ardea/intrin/instruction.h"

namespace ardea::rules {

std::string GroupUnit::product(std::int64_t columns, bool has_rows_of_n) const {
  return fmt::format("wgmma.m{}n{}k{}_{}{}", rows, columns, depth, factors,
                     has_rows_of_n ? "_by_columns" : "");
}

std::optional<GroupUnit> group_unit(const MatrixProduct& product, const target::Target& target) {
  const DataType factors = product.left->type;
  const ProductSizes& sizes = product.sizes;
  if (!has_unit_of_family(target, "wgmma") || product.right->type != factors ||
      product.out->type != float32 || sizes.m < GroupUnit::rows || sizes.n < GroupUnit::row_block ||
      sizes.k < GroupUnit::depth)
    return std::nullopt;
  GroupUnit unit{.factors = spelled_in_records(factors)};
  const std::string name = record_if_there(unit.product(GroupUnit::row_block, false));
  if (name.empty() || !target.has(intrin::find_instruction(name).required_feature)) return std::nullopt;
  return unit;
}

}  // namespace ardea::rules
