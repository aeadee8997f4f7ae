#include "ardea/rules/gpu/mma_unit.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/intrin/instruction.h"
#include "ardea/intrin/product_shape.h"

namespace ardea::rules {

namespace {

/// How names of records spell a type; empty of one that has none. Products of float32 round their factors
/// there, which a program that does not say so does not allow.
std::string spelled(DataType type) {
  if (type == float16) return "f16";
  if (type == bfloat16) return "bf16";
  if (type == float32) return "f32";
  if (type == int32) return "i32";
  if (type == int8) return "i8";
  if (type == uint8) return "u8";
  return "";
}

std::string if_there(const std::string& name) {
  static const std::vector<std::string> names = intrin::instruction_names();
  return std::find(names.begin(), names.end(), name) == names.end() ? "" : name;
}

}  // namespace

std::string MmaUnit::store_as(DataType type) const {
  const std::string name = if_there("mma.store_" + spelled(type));
  if (name.empty()) return "";
  return intrin::find_instruction(name).meaning.parameters[1].buffer->type == sums ? name : "";
}

std::optional<MmaUnit> mma_unit(const MatrixProduct& product, const target::Target& target) {
  const DataType factors = product.left->type, sums = product.out->type;
  if (target.kind != target::Kind::cuda || product.right->type != factors || factors == sums)
    return std::nullopt;
  const std::string name = spelled(factors);
  if (name.empty()) return std::nullopt;
  for (const std::int64_t row_bytes : {2 * MmaUnit::row_bytes, MmaUnit::row_bytes}) {
    const std::int64_t depth = row_bytes / factors.bytes();
    const std::string suffix = fmt::format("k{}_{}", depth, name);
    MmaUnit unit{.depth = depth,
                 .product = if_there("mma.m16n8" + suffix),
                 .zero = if_there("mma.zero_" + spelled(sums)),
                 .load_a = if_there("mma.load_a_" + suffix),
                 .load_b = if_there("mma.load_b_" + suffix),
                 .load_b_by_columns = if_there("mma.load_b_by_columns_" + suffix),
                 .sums = sums};
    if (unit.product.empty() || unit.zero.empty()) continue;
    const intrin::Instruction& record = intrin::find_instruction(unit.product);
    if (target.has(record.required_feature) && record.meaning.parameters[0].buffer->type == sums) return unit;
  }
  return std::nullopt;
}

}  // namespace ardea::rules
