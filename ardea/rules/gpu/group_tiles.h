#pragma once

#include "ardea/rules/gpu/group_unit.h"
#include "ardea/rules/gpu/tensor_tiles.h"

/// Numbers for products that warps of a GPU multiply in groups, from sizes and the target record.

namespace ardea::rules {

struct GroupTiles {
  std::int64_t groups = 1;   ///< of a block, one below the other
  std::int64_t frags_m = 1;  ///< that a group multiplies one after the other
  std::int64_t columns = 64;
  std::int64_t ahead = 1;  ///< panels under way
  bool by_unit = false;    ///< copies both factors

  BlockTile block() const;
};

/// Registers of a thread: the sums, what it knows of the rows that it copies, and some for all else.
template <class Count>
Count registers_in_group(const Count& frags_m, std::int64_t columns, const Count& kept) {
  constexpr std::int64_t others = 46;
  return frags_m * (columns / 2) + kept + others;
}

/// What the model chooses, and how many cycles that takes; nothing where no tile fits.
struct ChosenGroupTiles {
  GroupTiles tiles;
  double cycles = 0;
};
std::optional<ChosenGroupTiles> group_tiles_for(const TensorWork& work, const target::Target& target);
/// The same of those that have so many columns and panels under way, which come so.
std::optional<ChosenGroupTiles> group_tiles_for(const TensorWork& work, std::int64_t columns,
                                                std::int64_t ahead, bool by_unit,
                                                const target::Target& target);

/// Whether a unit may copy the factors. One alone is none of its: at the fence that the other one needs its
/// copies would be waited for.
bool may_copy_boxes(const TensorWork& work);

/// What knobs may be: no block has more rows or columns than there are, but for one group's.
std::vector<std::int64_t> group_counts(const ProductSizes& sizes);
std::vector<std::int64_t> frags_of_groups(const ProductSizes& sizes);
std::vector<std::int64_t> columns_of_groups(const ProductSizes& sizes);

}  // namespace ardea::rules
