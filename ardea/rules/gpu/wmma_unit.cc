#include "ardea/rules/gpu/wmma_unit.h"

#include <fmt/core.h>

#include "ardea/intrin/instruction.h"

namespace ardea::rules {

std::vector<WmmaUnit> wmma_units(const MatrixProduct& product, const target::Target& target) {
  const DataType factors = product.left->type, sums = product.out->type;
  const std::string type = spelled_in_records(factors), of_sums = spelled_in_records(sums);
  if (!has_unit_of_family(target, "wmma") || product.right->type != factors || factors == float32) return {};
  const std::string b = product.transposed ? "col" : "row";
  std::vector<WmmaUnit> all;
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{16, 16}, {32, 8}, {8, 32}}) {
    // Rows in shared memory begin on multiples of 16 bytes, and so do those of one instruction's B.
    if (!product.transposed && columns * factors.bytes() < MmaUnit::row_bytes) continue;
    WmmaUnit unit;
    unit.rows = rows, unit.columns = columns;
    unit.shape = fmt::format("m{}n{}k{}", rows, columns, unit.depth);
    unit.product = record_if_there(fmt::format("wmma.mma_row_{}_{}_{}_{}", b, unit.shape, type, of_sums));
    if (unit.product.empty()) continue;
    const intrin::Instruction& record = intrin::find_instruction(unit.product);
    if (!target.has(record.required_feature)) continue;
    unit.zero = fmt::format("wmma.zero_{}_{}", unit.shape, of_sums);
    unit.load_a = fmt::format("wmma.load_a_row_{}_{}", unit.shape, type);
    unit.load_b = fmt::format("wmma.load_b_{}_{}_{}", b, unit.shape, type);
    unit.store = fmt::format("wmma.store_row_{}_{}", unit.shape, of_sums);
    unit.scope_sums = record.operands[0].scope;
    unit.scope_a = record.operands[1].scope, unit.scope_b = record.operands[2].scope;
    all.push_back(unit);
  }
  return all;
}

bool has_tensor_unit(const MatrixProduct& product, const target::Target& target) {
  return mma_unit(product, target).has_value() || !wmma_units(product, target).empty();
}

}  // namespace ardea::rules
