#pragma once

#include "ardea/rules/derivation.h"
#include "ardea/rules/scratchpad/unit_product.h"

/// What the rules for scratchpads leave each other about a product.

namespace ardea::rules {

/// A block that takes tiles from one memory to the next.
struct TileCopy {
  BlockRef block;
  std::string scope, instruction;
  std::vector<std::int64_t> tile;
  bool is_packed = false;  ///< its last loops are those of a tile; else the last one has tiles side by side
};

enum class Sharing : std::uint8_t { none, columns, rows };

/// Operands and sums are where the unit wants them; the loops are those of the program.
struct ScratchpadPlan {
  MatrixUnit unit;
  UnitProduct product;
  std::vector<TileCopy> left, right;  ///< from memory to the unit
};

/// How the sums leave.
struct StoredSums {
  TileCopy store;
};

struct ThreadPlan {
  Sharing sharing = Sharing::none;
  std::size_t iterator = 0;  ///< that they share
};

/// The loops of the product, outermost first.
struct TiledLoops {
  std::optional<LoopRef> last_row;  ///< over parts of rows, the innermost
  LoopRef columns, depth;           ///< over parts
  std::optional<LoopRef> thread;
  Sharing sharing = Sharing::none;
  std::vector<LoopRef> tile;  ///< that the unit runs itself
  std::int64_t column_tiles = 1, depth_tiles = 1;
};

/// Numbers of tiles that parts have, by iterator.
using TileCounts = std::vector<std::int64_t>;

/// Whether copies of such parts, made for each step along the depth, fit the memories that the record names.
/// A window counts with its halo.
bool fits(const UnitProduct& product, const MatrixUnit& unit, const TileCounts& counts,
          const target::Target& target);

/// How many tiles of the unit an iterator makes.
std::int64_t tiles_of(const UnitProduct& product, const MatrixUnit& unit, std::size_t iterator);

}  // namespace ardea::rules
