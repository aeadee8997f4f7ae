#include "ardea/rules/cpu/product_rest.h"

#include <algorithm>

#include "ardea/rules/analysis/stage.h"
#include "ardea/schedule/primitives/find/find.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/stage_mem.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Whether another block of the program reduces.
bool reduces_elsewhere(const Function& program, const BlockRef& sums) {
  const std::vector<Path> all = all_blocks(program);
  return std::any_of(all.begin(), all.end(), [&](const Path& path) {
    return path.block().id != sums.id && !is_spatial(path.block());
  });
}

/// A nest that was cut off: loops over tiles, where there are several, and the two in a tile.
struct RestNest {
  std::optional<LoopRef> row_tiles, column_tiles;
  LoopRef rows, columns, steps;
};

class CuttingOff {
 public:
  CuttingOff(Derivation& d, const ProductToCut& product)
      : s_(d.steps()),
        product_(product),
        root_(s_.get_block(path_to(s_.program(), product.sums)->block_around().block().name)) {}

  WholeTiles run(const LeftOver& left_over) {
    const bool cuts_rows = left_over.rows == Rest::cut, cuts_columns = left_over.columns == Rest::cut;
    const auto loops = own_loops(product_.sums);
    const LoopRef m = loops[0], n = loops[1];
    WholeTiles whole{{m}, {n}, loops[2]};
    std::vector<RestNest> nests;
    if (cuts_columns) {
      s_.apply(Reorder{{n, m}});
      const auto [columns, right] = cut(n, product_.tile_columns);
      whole.columns = columns;
      const auto its = own_loops(right);  // what is left of the columns, rows, steps
      if (cuts_rows) {
        s_.apply(Reorder{{its[1], its[0]}});
        const auto [rows, corner] = cut(its[1], product_.tile_rows);
        nests.push_back({rows[0], std::nullopt, rows[1], its[0], its[2]});
        const auto last = own_loops(corner);
        nests.push_back({std::nullopt, std::nullopt, last[0], last[1], last[2]});
      } else {
        const auto rows = s_.loops(Split{its[1], {std::nullopt, product_.tile_rows}});
        nests.push_back({rows[0], std::nullopt, rows[1], its[0], its[2]});
      }
    }
    if (cuts_rows) {
      if (cuts_columns) s_.apply(Reorder{{m, whole.columns[0], whole.columns[1]}});
      const auto [rows, bottom] = cut(m, product_.tile_rows);
      whole.rows = rows;
      const auto its = own_loops(bottom);  // what is left of the rows, columns or tiles of them, steps
      if (cuts_columns) {
        nests.push_back({std::nullopt, its[1], its[0], its[2], its[3]});
      } else {
        const auto columns = s_.loops(Split{its[1], {std::nullopt, product_.tile_columns}});
        nests.push_back({std::nullopt, columns[0], its[0], columns[1], its[2]});
      }
    }
    for (const RestNest& nest : nests) {
      sum_in_registers(nest);
      for (const auto& tiles : {nest.row_tiles, nest.column_tiles})
        if (tiles) whole.rests.push_back(*tiles);
    }
    return whole;
  }

 private:
  /// Around the block, without those over batches.
  std::vector<LoopRef> own_loops(const BlockRef& block) {
    auto loops = s_.get_loops(block);
    loops.erase(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(product_.batches));
    return loops;
  }

  /// The two loops over whole tiles, and the block of what is left.
  std::pair<std::vector<LoopRef>, BlockRef> cut(const LoopRef& loop, const Number& tile) {
    std::vector<BlockRef> known = s_.blocks(GetChildBlocks{root_});
    std::vector<LoopRef> parts =
        s_.loops(Split{.loop = loop, .factors = {std::nullopt, tile}, .tail = "cut_rest"});
    parts.pop_back();
    const std::vector<BlockRef> now = s_.blocks(GetChildBlocks{root_});
    const auto added = std::find_if(now.begin(), now.end(), [&](const BlockRef& block) {
      return std::find(known.begin(), known.end(), block) == known.end();
    });
    return {parts, *added};
  }

  void sum_in_registers(const RestNest& nest) {
    std::vector<LoopRef> order;
    for (const auto& tiles : {nest.column_tiles, nest.row_tiles})
      if (tiles) order.push_back(*tiles);
    order.insert(order.end(), {nest.steps, nest.rows, nest.columns});
    s_.apply(Reorder{order});
    const auto added = s_.blocks(StageMem{nest.steps, product_.out, "register", {}, /*accumulate=*/true});
    s_.apply(Unroll{nest.rows});
    s_.apply(Vectorize{nest.columns});
    for (const BlockRef& block : added) {
      const std::vector<LoopRef> loops = s_.get_loops(block);
      s_.apply(Vectorize{loops.back()});
      s_.apply(Unroll{loops[loops.size() - 2]});
    }
  }

  Schedule& s_;
  const ProductToCut& product_;
  BlockRef root_;
};

}  // namespace

LeftOver choose_left_over(Derivation& d, const BlockRef& sums, const std::string& name,
                          const LeftOverChoices& choices) {
  std::vector<std::string> answers = {"guarded"};
  std::vector<LeftOver> ways = {{}};
  const auto add = [&](bool rows, bool columns, Rest rest, const std::string& how) {
    const auto of = [&](bool is_meant) { return is_meant ? rest : Rest::guarded; };
    if (rows) answers.push_back("rows " + how), ways.push_back({of(true), of(false)});
    if (columns) answers.push_back("columns " + how), ways.push_back({of(false), of(true)});
    if (rows && columns) answers.push_back("both " + how), ways.push_back({of(true), of(true)});
  };
  add(choices.rows_padded, choices.columns_padded, Rest::padded, "padded");
  add(choices.rows_cut, choices.columns_cut, Rest::cut, "cut");
  const auto is_by_model = [](const Way& way) { return way.taken == way.model; };
  if (answers.size() == 1 || d.wishes().weights_ahead ||
      !std::all_of(d.ways().begin(), d.ways().end(), is_by_model) ||
      reduces_elsewhere(d.steps().program(), sums))
    return {};
  return ways[d.way(name + " left over", answers, 0)];
}

std::vector<std::int64_t> leaving_over(std::vector<std::int64_t> tiles, std::int64_t extent) {
  std::erase_if(tiles, [&](std::int64_t tile) { return extent % tile == 0; });
  return tiles;
}

std::int64_t model_leaving_over(const std::vector<std::int64_t>& tiles, std::int64_t model) {
  std::int64_t best = tiles.front();
  for (const std::int64_t tile : tiles)
    if (tile <= model) best = std::max(best, tile);
  return best;
}

WholeTiles cut_off(Derivation& d, const ProductToCut& product, const LeftOver& left_over) {
  return CuttingOff(d, product).run(left_over);
}

}  // namespace ardea::rules
