#pragma once

#include <optional>

#include "ardea/rules/gpu/group_tiles.h"
#include "ardea/rules/gpu/warp_product.h"

namespace ardea::rules {

/// Products of matrices that warps of a GPU multiply in groups of four: panels of both factors lie in shared
/// memory as the tensor units read them, and only sums are in registers.
class GroupSteps : WarpProduct {
 public:
  GroupSteps(Derivation& d, const OpenProduct& given, const MmaUnit& sums, const GroupUnit& unit);

  /// Whether there are tiles that fit.
  bool is_possible() const { return chosen_.has_value(); }
  /// What the model takes it to need.
  double cycles() const { return chosen_->cycles; }
  void run();

 private:
  void choose();
  void tile();
  void copy_panels();
  /// A panel of a factor comes to shared memory; gives how many accesses of each thread that are.
  Number copy(const std::string& name, const BlockRef& copy, const PanelCopy& how);
  void copy_boxes(const std::string& name, const BlockRef& copy, const PanelCopy& how);
  void swizzle(const BlockRef& copy, const std::string& before, const std::string& row,
               const std::string& column);
  void multiply();

  const GroupUnit group_;
  const std::optional<ChosenGroupTiles> chosen_;
  std::int64_t tile_columns_ = 64, ahead_ = 1;
  bool by_unit_ = false;  ///< copies both factors
};

}  // namespace ardea::rules
