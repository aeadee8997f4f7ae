#pragma once

#include <optional>

#include "ardea/ir/stmt.h"

/// The annotation "row_swizzle": elements of each row lie in an order of their own, so that a column's are in
/// different banks.

namespace ardea {

inline constexpr auto row_swizzle_key = "row_swizzle";

/// What the indices (…, i, j) name lies where (…, i, j ^ (i % rows * unit)) would: units of so many elements
/// change places. Both are powers of two. Written as [rows, unit], on a block for what it writes.
struct RowSwizzle {
  std::int64_t rows = 1, unit = 1;
};

/// That of a block or an allocation, if it has one. Error where the annotation is no such list.
std::optional<RowSwizzle> row_swizzle(const Attributes& annotations);

/// On an allocation whose rows lie so; the same list.
inline constexpr auto swizzled_rows_key = "swizzled_rows";

/// Rows as tensor units of GPUs read them: eight of 128 bytes, whose units of 16 bytes change places.
RowSwizzle swizzle_of_tensor_units(DataType type);
inline constexpr std::int64_t tensor_row_bytes = 128, swizzled_rows_alignment_bytes = 8 * tensor_row_bytes;

/// On which an allocation with such annotations begins: swizzled rows on what tensor units count on, all
/// others on allocation_alignment_bytes.
std::int64_t allocated_on(const Attributes& annotations);

/// The annotation's value.
Attribute attribute_of(const RowSwizzle& swizzle);

}  // namespace ardea
