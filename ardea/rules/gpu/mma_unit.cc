#include "ardea/rules/gpu/mma_unit.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/intrin/instruction.h"
#include "ardea/intrin/product_shape.h"

namespace ardea::rules {

std::string spelled_in_records(DataType type) {
  if (type == float16) return "f16";
  if (type == bfloat16) return "bf16";
  if (type == float32) return "f32";
  if (type == int32) return "i32";
  if (type == int8) return "i8";
  if (type == uint8) return "u8";
  return "";
}

std::string record_if_there(const std::string& name) {
  static const std::vector<std::string> names = intrin::instruction_names();
  return std::find(names.begin(), names.end(), name) == names.end() ? "" : name;
}

bool has_unit_of_family(const target::Target& target, const std::string& family) {
  return std::any_of(target.tensor_shapes.begin(), target.tensor_shapes.end(),
                     [&](const target::TensorShape& shape) { return shape.unit == family; });
}

std::string MmaUnit::store_as(DataType type) const {
  const std::string name = record_if_there("mma.store_" + spelled_in_records(type));
  if (name.empty()) return "";
  return intrin::find_instruction(name).meaning.parameters[1].buffer->type == sums ? name : "";
}

std::optional<MmaUnit> mma_unit(const MatrixProduct& product, const target::Target& target) {
  const DataType factors = product.left->type, sums = product.out->type;
  if (!has_unit_of_family(target, "mma") || product.right->type != factors || factors == sums)
    return std::nullopt;
  const std::string name = spelled_in_records(factors);
  if (name.empty()) return std::nullopt;
  for (const std::int64_t row_bytes : {2 * MmaUnit::row_bytes, MmaUnit::row_bytes}) {
    const std::int64_t depth = row_bytes / factors.bytes();
    const std::string suffix = fmt::format("k{}_{}", depth, name);
    MmaUnit unit{.depth = depth,
                 .product = record_if_there("mma.m16n8" + suffix),
                 .zero = record_if_there("mma.zero_" + spelled_in_records(sums)),
                 .load_a = record_if_there("mma.load_a_" + suffix),
                 .load_b = record_if_there("mma.load_b_" + suffix),
                 .load_b_by_columns = record_if_there("mma.load_b_by_columns_" + suffix),
                 .sums = sums};
    if (unit.product.empty() || unit.zero.empty()) continue;
    const intrin::Instruction& record = intrin::find_instruction(unit.product);
    if (target.has(record.required_feature) && record.meaning.parameters[0].buffer->type == sums) return unit;
  }
  return std::nullopt;
}

}  // namespace ardea::rules
