#include "ardea/ir/row_swizzle.h"

#include <bit>

#include "ardea/ir/memory_alignment.h"
#include "ardea/support/error.h"

namespace ardea {

std::optional<RowSwizzle> row_swizzle(const Attributes& annotations) {
  const auto at = annotations.find(row_swizzle_key);
  if (at == annotations.end()) return std::nullopt;
  const auto* numbers = std::get_if<std::vector<Attribute>>(&at->second.value);
  const auto power_at = [&](std::size_t place) -> std::int64_t {
    const auto* value =
        numbers != nullptr && numbers->size() == 2 ? std::get_if<Expr>(&(*numbers)[place].value) : nullptr;
    const auto number = value == nullptr ? std::nullopt : constant_int(*value);
    require(number && *number > 0 && std::has_single_bit(static_cast<std::uint64_t>(*number)),
            "row_swizzle: expected [rows, unit], both powers of two");
    return *number;
  };
  return RowSwizzle{.rows = power_at(0), .unit = power_at(1)};
}

std::int64_t allocated_on(const Attributes& annotations) {
  const bool is_swizzled = annotations.contains(row_swizzle_key) || annotations.contains(swizzled_rows_key);
  return is_swizzled ? swizzled_rows_alignment_bytes : allocation_alignment_bytes;
}

RowSwizzle swizzle_of_tensor_units(DataType type) { return {.rows = 8, .unit = 16 / type.bytes()}; }

Attribute attribute_of(const RowSwizzle& swizzle) {
  return Attribute{std::vector<Attribute>{{make_int(swizzle.rows)}, {make_int(swizzle.unit)}}};
}

}  // namespace ardea
