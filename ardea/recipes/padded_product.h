#pragma once

#include <array>
#include <optional>

#include "ardea/recipes/recipe.h"
#include "ardea/rules/model/product_sizes.h"

/// What products on tensor instructions share: operands copied into panels of whole instructions.

namespace ardea::recipes {

/// Of a gemm.
ProductSizes sizes_of(const ops::Workload& workload);

/// A product whose extents are whole multiples of what an instruction takes.
struct PaddedProduct {
  schedule::BlockRef sums;  ///< in loops over m, n, k
  schedule::BlockRef a, b;  ///< that copy the operands, over m, k and over k, n (n, k where B is transposed)
  /// That takes the sums to the result, converted and without the padding; absent where the sums are the
  /// result.
  std::optional<schedule::BlockRef> last = {};
};

/// Pads what the sizes leave open, and copies both operands in any case.
PaddedProduct padded_product(schedule::Schedule& s, const ops::Workload& workload,
                             const ProductSizes& multiples);

/// The copy of B goes through blocks of `k` by `n`, each by `group` values of k that lie side by side:
/// loops n, k, k in a block, n in a block, k in a group. Inside the loops that compute_at has put around it.
std::array<schedule::LoopRef, 5> tile_copy_of_b(schedule::Schedule& s, const ops::Workload& workload,
                                                const schedule::BlockRef& b, std::int64_t k, std::int64_t n,
                                                std::int64_t group);

/// The last two of these loops as the lanes of one vector.
void vectorize_tiles(schedule::Schedule& s, const std::array<schedule::LoopRef, 5>& loops);

/// Tiles of rows on several threads, and before them the copy of B, by its loops, where there is work for
/// them.
void share_among_threads(schedule::Schedule& s, const ops::Workload& workload, const target::Target& target,
                         const schedule::LoopRef& row_tiles,
                         const std::array<schedule::LoopRef, 5>& copy_of_b);

/// "lambda k, n: …" for B, or "lambda n, k: …" where it is transposed.
std::string layout_of_b(const ops::Workload& workload, const std::string& places);

/// The columns of a panel of B, of which `bytes` a column fit beside what streams past it: half of the second
/// cache. A multiple of `columns`; all of n where that fits.
std::int64_t panel_columns(const target::Target& target, std::int64_t n, std::int64_t column_bytes,
                           std::int64_t columns);

/// The size of equal parts, at most `most` each, that cover n with as many parts as parts of `most` would.
std::int64_t even_part(std::int64_t n, std::int64_t most);

}  // namespace ardea::recipes
