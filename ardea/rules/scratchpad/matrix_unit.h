#pragma once

#include <array>
#include <string>
#include <vector>

#include "ardea/support/data_type.h"
#include "ardea/target/target.h"

/// Units that multiply matrices out of scratchpads, as the records of the target's instructions describe
/// them.

namespace ardea::rules {

enum class UnitAxis : std::uint8_t { row, column, depth };

/// One matrix of the unit: where it lies, and how a tile of it is laid out there.
struct UnitOperand {
  std::string scope;
  DataType type;
  std::vector<UnitAxis> axes;  ///< of the tile, outermost first
};

/// The way of a tile from one memory to the next: an instruction of the record's that does nothing else.
struct Hop {
  std::string scope;  ///< where it arrives
  std::string instruction;
};

/// sums[row, column] += left[row, depth] · right[depth, column], axes of the tiles in any order; a unit that
/// has no rows multiplies one.
struct MatrixUnit {
  std::string product, reset;
  std::array<std::int64_t, 3> extents = {1, 1, 1};  ///< by UnitAxis
  UnitOperand sums, left, right;
  std::vector<Hop> to_left, to_right;                    ///< from memory through all levels, outermost first
  std::vector<std::pair<DataType, std::string>> stores;  ///< by type of what arrives in memory

  std::int64_t extent(UnitAxis axis) const { return extents[static_cast<std::size_t>(axis)]; }
  std::vector<std::int64_t> tile(const UnitOperand& operand) const;
  /// The instruction that takes sums to memory as the type; null where there is none.
  const std::string* store(DataType type) const;
};

/// All units of the target whose memories its record has, that can be filled, reset and emptied by
/// instructions that it has.
std::vector<MatrixUnit> matrix_units(const target::Target& target);

}  // namespace ardea::rules
