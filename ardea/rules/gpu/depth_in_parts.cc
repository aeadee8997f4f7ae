#include "ardea/rules/gpu/depth_in_parts.h"

#include <algorithm>

#include "ardea/rules/gpu/implicit_product.h"
#include "ardea/rules/gpu/phases.h"
#include "ardea/rules/gpu/tensor_product.h"
#include "ardea/rules/gpu/thread_product.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/iterate_by_loops.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/reduce/rfactor.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// That the question was asked of a stage.
struct AskedForParts {};

/// A block's tile as models take it, and the shortest part of the depth that is worth a launch more.
constexpr std::int64_t tile_rows = 64, tile_columns = 64, least_depth = 256;
/// Of few rows a tile is wider: each copies all of them anew.
constexpr std::int64_t flat_rows = 32, flat_columns = 128;

/// As many parts as give each multiprocessor a tile: a power of two that divides the depth. 1 where there are
/// enough, or parts would be short.
std::int64_t parts_for(const Contraction& c, const target::Target& target) {
  const std::int64_t rows = c.extent(c.rows), columns = c.extent(c.columns);
  const std::int64_t tiles =
      c.extent(c.batch) * (rows <= flat_rows ? ceil_div(columns, flat_columns)
                                             : ceil_div(rows, tile_rows) * ceil_div(columns, tile_columns));
  const std::int64_t depth = c.extent(c.depth);
  std::int64_t parts = 1;
  while (tiles * parts * 2 <= target.cores && depth % (parts * 2 * least_depth) == 0) parts *= 2;
  return parts;
}

std::optional<ConvertedContraction> contraction_to_split(const Derivation& d, const BlockRef& stage) {
  if (d.left<AskedForParts>(stage) != nullptr || d.left<SumsInPhases>(stage) != nullptr) return std::nullopt;
  auto found = contraction_in_tiles(d, stage);
  if (!found || parts_for(found->contraction, d.target()) == 1) return std::nullopt;
  return found;
}

/// The product of the parts; what adds them stays.
BlockRef in_parts(Derivation& d, const ConvertedContraction& given, std::int64_t parts) {
  Schedule& s = d.steps();
  const auto loops = s.get_loops(given.sums);
  std::vector<LoopRef> depth;
  for (const std::size_t i : given.contraction.depth) depth.push_back(loops[i]);
  LoopRef sum = depth[0];
  if (depth.size() > 1) {
    sum = s.loops(Fuse{depth})[0];
    s.apply(IterateByLoops{given.sums});
  }
  const LoopRef part = s.loops(Split{sum, {parts, std::nullopt}})[0];
  const BlockRef product = s.blocks(RFactor{part, 0})[0];
  s.apply(IterateByLoops{product});
  return product;
}

}  // namespace

Rule depth_in_parts() {
  return {.name = "depth in parts",
          .doc = "a long sum of products with few results is made in parts that are added behind",
          .applies = [](const Derivation& d,
                        const BlockRef& stage) { return contraction_to_split(d, stage).has_value(); },
          .apply =
              [](Derivation& d, const BlockRef& stage) {
                const ConvertedContraction found = *contraction_to_split(d, stage);
                d.leave(stage, AskedForParts{});
                const std::int64_t parts = parts_for(found.contraction, d.target());
                if (d.way("depth in parts", {"1", std::to_string(parts)}, 1) == 0) return;
                const BlockRef product = in_parts(d, found, parts);
                take_implicit_product(d, product);
                (tensor_product().applies(d, product) ? take_tensor_product : take_thread_product)(d,
                                                                                                   product);
              }};
}

}  // namespace ardea::rules
