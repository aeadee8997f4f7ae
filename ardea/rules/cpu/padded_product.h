#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ardea/rules/analysis/matrix_product.h"
#include "ardea/rules/derivation.h"

/// What products on tensor instructions share: operands copied into panels of whole instructions.

namespace ardea::rules {

/// A product, and what is computed of its sums element by element, where something is.
struct ConvertedProduct {
  BlockRef sums;
  MatrixProduct product;
  std::optional<BlockRef> converter = {};
};

/// The product that the stage is, or of whose sums it makes the result.
std::optional<ConvertedProduct> product_of_stage(const Function& program, const BlockRef& stage,
                                                 Lengths lengths = Lengths::known);

/// A product whose extents are whole multiples of what an instruction takes.
struct PaddedProduct {
  BlockRef sums;                   ///< in loops over m, n, k
  std::optional<BlockRef> a = {};  ///< that copies A, over m, k; absent where A is read in place
  BlockRef b;                      ///< that copies B, over k, n (n, k where B is transposed)
  /// That takes the sums to the result, converted and without the padding; absent where the sums are the
  /// result.
  std::optional<BlockRef> last = {};
  bool is_worth_threads = false;
};

enum class LeftOperand : std::uint8_t { copied, in_place };

/// Whether A is whole multiples as it is, so that it can be read in place: no copy has to pad it.
bool is_left_whole(const ConvertedProduct& given, const ProductSizes& multiples);

/// Pads what the sizes leave open, and copies B in any case, and A unless it is whole and read in place. Rows
/// are padded to whole tiles of them where their size is given.
PaddedProduct padded_product(Derivation& d, const ConvertedProduct& given, const ProductSizes& multiples,
                             const std::optional<Number>& tile_rows = std::nullopt,
                             LeftOperand left = LeftOperand::copied);

/// How many rows a tile has, of these, and whether what they leave over is padded to a whole one: a question
/// (sum_rest.h), for tiles that do not divide all rows.
struct TileRows {
  std::vector<std::int64_t> sizes;
  std::int64_t model = 1;
  bool is_padded = false;
};
TileRows choose_tile_rows(Derivation& d, const ConvertedProduct& given, std::int64_t rows, TileRows guarded);

/// The loop over rows as tiles, and as what the factors cut one into.
std::vector<LoopRef> in_row_tiles(Derivation& d, const LoopRef& loop, std::int64_t rows,
                                  const std::vector<Number>& factors, bool is_padded);

/// The copy of B goes through blocks of `k` by `n`, each by `group` values of k that lie side by side:
/// loops n, k, k in a block, n in a block, k in a group. Inside the loops that compute_at has put around it.
struct CopyOfB {
  std::int64_t k;
  Number n;
  std::int64_t group;
};
std::array<LoopRef, 5> tile_copy_of_b(schedule::Schedule& s, bool transposed, const BlockRef& b,
                                      const CopyOfB& tiles);

/// The last two of these loops as the lanes of one vector.
void vectorize_tiles(schedule::Schedule& s, const std::array<LoopRef, 5>& loops);

/// Tiles of rows on several threads, and before them the copy of B, by its loops, where there is work for
/// them.
void share_among_threads(Derivation& d, const PaddedProduct& product, const LoopRef& row_tiles,
                         const std::array<LoopRef, 5>& copy_of_b);

/// "lambda k, n: …" for B, or "lambda n, k: …" where it is transposed.
std::string layout_of_b(bool transposed, const std::string& places);

/// All but the last of the loops unrolled, the last as lanes.
void write_out(schedule::Schedule& s, const std::vector<LoopRef>& tile);

}  // namespace ardea::rules
