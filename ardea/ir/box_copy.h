#pragma once

#include <cstdint>
#include <optional>

#include "ardea/ir/expr.h"

/// Copies of whole boxes of an array to a block's shared memory, which a unit makes while threads go on.

namespace ardea {

/// 1 on the outer one of two loops that copy rows of a GPU's memory to a block's: one thread asks a unit for
/// all of them, where the target has such a unit.
inline constexpr auto box_copy_key = "box_copy";

/// Rows, columns and what is around them have numbers of 32 bits.
constexpr std::int64_t most_counted_by_unit = (std::int64_t{1} << 31) - 1;

/// What T.async_copy_box is given beside its two addresses. The array is seen as one of three dimensions,
/// row-major.
struct BoxCopy {
  Expr outer = {}, row = {}, column = {};          ///< the box's first element
  std::int64_t outers = 1, rows = 1, columns = 1;  ///< of the array
  std::int64_t box_rows = 1, box_columns = 1;
  bool is_swizzled = false;  ///< units change places in its rows, as swizzle_of_tensor_units says
};

/// The box of such a call; nothing of others, or where a number is none.
std::optional<BoxCopy> box_copy_of(const Call& call);

/// Whether a unit makes it: T.async_copy_box, and that of window_copy.h.
bool is_copy_by_unit(const Call& call);

/// T.async_copy_box(to, from, …)
Expr make_box_copy(const Expr& to, const Expr& from, const BoxCopy& box);

}  // namespace ardea
