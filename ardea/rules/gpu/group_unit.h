#pragma once

#include <optional>
#include <string>

#include "ardea/rules/gpu/mma_unit.h"

namespace ardea::rules {

/// The tensor instructions by which four warps of a GPU multiply a panel out of shared memory together. Sums
/// are held, begun and stored as those of MmaUnit.
struct GroupUnit {
  static constexpr std::int64_t warps = 4;
  static constexpr std::int64_t rows = warps * MmaUnit::rows;
  static constexpr std::int64_t depth = 64;      ///< of a panel, whose rows take 128 bytes
  static constexpr std::int64_t row_block = 64;  ///< columns that rows of k have in shared memory

  std::string factors;  ///< as names of records spell their type

  /// How many columns an instruction may have.
  static std::vector<std::int64_t> columns() { return {64, 128, 256}; }
  std::string product(std::int64_t columns, bool has_rows_of_n) const;
};

/// Nothing where the target has none for these types, or the product is smaller than one of them.
std::optional<GroupUnit> group_unit(const MatrixProduct& product, const target::Target& target);

}  // namespace ardea::rules
