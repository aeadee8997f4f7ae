#include "ardea/rules/cpu/sum_rest.h"

#include <algorithm>

#include "ardea/ir/ceil_div.h"
#include "ardea/rules/analysis/stage.h"
#include "ardea/rules/model/candidates.h"
#include "ardea/schedule/primitives/find/find.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/stage_mem.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

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

class CuttingOff {
 public:
  CuttingOff(Derivation& d, const SumsToCut& sums)
      : d_(d),
        s_(d.steps()),
        sums_(sums),
        root_(s_.get_block(path_to(s_.program(), sums.sums)->block_around().block().name)) {}

  CutSums run(const LeftOver& left_over) {
    const bool cuts_rows = left_over.rows == Rest::cut, cuts_columns = left_over.columns == Rest::cut;
    const auto loops = own_loops(sums_.sums);
    const LoopRef& m = loops[0];
    const LoopRef& n = loops[1];
    CutSums all;
    all.whole = with_inner({{m}, {n}, {}, {}}, loops, 2);
    SumNest& whole = all.whole;
    if (cuts_columns) {
      s_.apply(Reorder{{n, m}});
      const auto [columns, right] = cut(n, sums_.tile_columns);
      whole.columns = columns;
      const auto its = own_loops(right);  // what is left of the columns, rows, others
      if (cuts_rows) {
        s_.apply(Reorder{{its[1], its[0]}});
        const auto [rows, corner] = cut(its[1], sums_.tile_rows);
        all.rests.push_back(with_inner({rows, {its[0]}, {}, {}}, its, 2));
        const auto last = own_loops(corner);
        all.rests.push_back(with_inner({{last[0]}, {last[1]}, {}, {}}, last, 2));
      } else {
        all.rests.push_back(with_inner({in_tiles(its[1], sums_.tile_rows), {its[0]}, {}, {}}, its, 2));
      }
    }
    if (cuts_rows) {
      if (cuts_columns) s_.apply(Reorder{{m, whole.columns[0], whole.columns[1]}});
      const auto [rows, bottom] = cut(m, sums_.tile_rows);
      whole.rows = rows;
      const auto its = own_loops(bottom);  // what is left of the rows, columns or tiles of them, others
      if (cuts_columns)
        all.rests.push_back(with_inner({{its[0]}, {its[1], its[2]}, {}, {}}, its, 3));
      else
        all.rests.push_back(with_inner({{its[0]}, in_tiles(its[1], sums_.tile_columns), {}, {}}, its, 2));
    }
    for (const SumNest& nest : all.rests) sum_in_registers(d_, sums_, nest);
    return all;
  }

 private:
  /// Around the block, without those around all nests.
  std::vector<LoopRef> own_loops(const BlockRef& block) {
    auto loops = s_.get_loops(block);
    loops.erase(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(sums_.around));
    return loops;
  }

  /// The nest with its other loops, which are those from `first` on.
  SumNest with_inner(SumNest nest, const std::vector<LoopRef>& loops, std::size_t first) const {
    const auto steps = loops.begin() + static_cast<std::ptrdiff_t>(first + sums_.others);
    nest.others.assign(loops.begin() + static_cast<std::ptrdiff_t>(first), steps);
    nest.steps.assign(steps, loops.end());
    return nest;
  }

  std::vector<LoopRef> in_tiles(const LoopRef& loop, const Number& tile) {
    return s_.loops(Split{loop, {std::nullopt, tile}});
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

  Derivation& d_;
  Schedule& s_;
  const SumsToCut& sums_;
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
  const auto model = std::find(ways.begin(), ways.end(), choices.model);
  return ways[d.way(name + " left over", answers, model == ways.end() ? 0 : model - ways.begin())];
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

std::vector<std::int64_t> TileAxis::sizes(Rest rest) const {
  if (rest == Rest::guarded) return tile_sizes_within(extent, most, multiple);
  // Padded, the tile of all that there is is whole multiples, too.
  const std::int64_t longest = rest == Rest::padded ? round_up(extent, multiple) : extent;
  std::vector<std::int64_t> tiles = leaving_over(tile_sizes(longest, most, multiple), extent);
  std::erase_if(tiles, [&](std::int64_t tile) { return tile % multiple != 0; });
  return tiles;
}

bool TileAxis::offers(Rest rest) const {
  const bool is_left =
      extent % std::min(model, extent) != 0 || (rest == Rest::padded && extent % multiple != 0);
  return is_left && !sizes(rest).empty();
}

Number TileAxis::number(Derivation& d, const std::string& name, Rest rest) const {
  const std::vector<std::int64_t> tiles = sizes(rest);
  const std::int64_t by_model =
      rest == Rest::guarded ? std::min(model, extent) : model_leaving_over(tiles, model);
  return d.number(name, tiles, by_model);
}

std::vector<LoopRef> split_into_tiles(Derivation& d, const LoopRef& loop, const Expr& extent,
                                      const Number& tile, Rest rest) {
  if (rest != Rest::padded) return d.steps().loops(Split{loop, {std::nullopt, tile}});
  const Number tiles = d.follows(ceil_div(extent, value_of(tile)));
  return d.steps().loops(Split{loop, {tiles, tile}, true, /*disable_predication=*/true});
}

CutSums cut_off(Derivation& d, const SumsToCut& sums, const LeftOver& left_over) {
  return CuttingOff(d, sums).run(left_over);
}

void sum_in_registers(Derivation& d, const SumsToCut& sums, const SumNest& nest) {
  Schedule& s = d.steps();
  std::vector<LoopRef> order;
  if (nest.columns.size() > 1) order.push_back(nest.columns[0]);
  order.insert(order.end(), nest.others.begin(), nest.others.end());
  if (nest.rows.size() > 1) order.push_back(nest.rows[0]);
  order.insert(order.end(), nest.steps.begin(), nest.steps.end());
  order.insert(order.end(), {nest.rows.back(), nest.columns.back()});
  s.apply(Reorder{order});
  const auto added = s.blocks(StageMem{nest.steps[0], sums.out, "register", {}, /*accumulate=*/true});
  s.apply(Unroll{nest.rows.back()});
  s.apply(Vectorize{nest.columns.back()});
  for (const BlockRef& block : added) {
    const std::vector<LoopRef> loops = s.get_loops(block);
    s.apply(Vectorize{loops[loops.size() - sums.result_columns]});
    s.apply(Unroll{loops[loops.size() - sums.result_rows]});
  }
}

}  // namespace ardea::rules
