#include "ardea/schedule/primitives/memory/buffer_layout.h"

#include <algorithm>

#include "ardea/arith/inside.h"
#include "ardea/arith/iter_map.h"
#include "ardea/arith/regions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/primitives/memory/copy_block.h"
#include "ardea/schedule/program/both_hold.h"
#include "ardea/support/error.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;
using arith::as_index;

/// Fills in `places`, `element` and `is_element` where the map has an inverse that is proved to be one.
void invert(BufferLayout& layout, const arith::IterMap& map, const std::vector<arith::LoopRange>& ranges,
            const Analyzer& facts) {
  Analyzer known = facts;
  std::vector<Var> places;
  std::vector<Expr> values;
  for (const Expr& extent : layout.shape) {
    places.emplace_back("p");
    values.push_back(places.back());
    known.bind(places.back(), {make_int(0), extent});
  }
  const auto inverted = arith::inverse(map, values, ranges, known);
  if (!inverted) return;
  std::vector<Expr> element;
  Expr is_element;
  Substitution at;
  for (std::size_t d = 0; d < inverted->size(); ++d) {
    const Expr& index = (*inverted)[d].second;
    element.push_back(index);
    at[layout.map.from[d]] = index;
    const Expr extent = as_index(layout.from->shape[d]);
    // Places before the first element: those of a map such as (i + 3) // 4, (i + 3) % 4.
    if (!known.proves(index >= make_int(0))) is_element = both_hold(is_element, index >= make_int(0));
    if (!known.proves(index < extent)) is_element = both_hold(is_element, index < extent);
  }
  if (is_element.defined()) known.assume(is_element);
  for (std::size_t d = 0; d < places.size(); ++d)
    if (!known.proves(equals(substitute(layout.map.to[d], at), values[d]))) return;
  layout.places = std::move(places);
  layout.element = std::move(element);
  layout.is_element = is_element;
}

/// The statement in the new layout, bottom up: regions of a block follow from those of the blocks inside.
class Rewriting {
 public:
  Rewriting(const BufferLayout& layout, const Buffer& to) : layout_(layout), to_(to) {}

  /// `shared` is what a block inside s may count on, `facts` also know the loops since the block around.
  Stmt visit(const Stmt& s, const Analyzer& facts, const Analyzer& shared) const {
    const auto* block = s.as<Block>();
    const Analyzer inner_shared = block != nullptr ? arith::facts_inside(*block, shared) : shared;
    const Analyzer inner = block != nullptr ? inner_shared : arith::inside(facts, s);
    const Stmt mapped =
        map_children(s, Mapper{.expr = [&](const Expr& e) { return moved(e, facts); },
                               .stmt = [&](const Stmt& part) { return visit(part, inner, inner_shared); }});
    if (const auto* store = mapped.as<Store>(); store != nullptr && store->buffer == layout_.from) {
      Store out = *store;
      out.buffer = to_;
      out.indices = layout_.place_of(store->indices, facts);
      return out;
    }
    return mapped.is<Block>() ? with_regions(*mapped.as<Block>(), mapped, shared) : mapped;
  }

 private:
  Expr moved(const Expr& e, const Analyzer& facts) const {
    Rewriter rewriter;
    rewriter.expr_after = [&](const Expr& part) {
      const auto* load = part.as<Load>();
      if (load == nullptr || !(load->buffer == layout_.from)) return part;
      return make_load(to_, layout_.place_of(load->indices, facts), load->predicate);
    };
    return rewrite(e, rewriter);
  }

  bool lists(const std::optional<std::vector<BufferRegion>>& regions) const {
    return regions && std::any_of(regions->begin(), regions->end(),
                                  [&](const BufferRegion& r) { return r.buffer == layout_.from; });
  }

  Stmt with_regions(const Block& block, const Stmt& same, const Analyzer& facts) const {
    if (!lists(block.reads) && !lists(block.writes)) return same;
    const arith::Accesses touched = arith::accesses(block, facts);
    Block out = block;
    replace(out.reads, touched.reads);
    replace(out.writes, touched.writes);
    return with_own_lets(std::move(out));
  }

  void replace(std::optional<std::vector<BufferRegion>>& declared,
               const std::vector<arith::Touched>& touched) const {
    if (!lists(declared)) return;
    const auto now = std::find_if(touched.begin(), touched.end(),
                                  [&](const arith::Touched& t) { return t.region.buffer == to_; });
    std::vector<BufferRegion> regions;
    for (const BufferRegion& region : *declared)
      if (!(region.buffer == layout_.from))
        regions.push_back(region);
      else if (now != touched.end() && std::none_of(regions.begin(), regions.end(),
                                                    [&](const BufferRegion& r) { return r.buffer == to_; }))
        regions.push_back(now->region);
    declared = std::move(regions);
  }

  const BufferLayout& layout_;
  const Buffer& to_;
};

}  // namespace

std::vector<Expr> BufferLayout::place_of(const std::vector<Expr>& indices, const Analyzer& facts) const {
  Substitution at;
  for (std::size_t d = 0; d < indices.size(); ++d) at[map.from[d]] = as_index(indices[d]);
  std::vector<Expr> place;
  for (const Expr& to : map.to) {
    const Expr value = substitute(to, at);
    // An index that only changes its dimension keeps its form.
    place.push_back(to.is<VarNode>() ? value : facts.simplify(value));
  }
  return place;
}

Result<BufferLayout> buffer_layout(const Buffer& buffer, const IndexText& index_map, const IndexNames& names,
                                   const Analyzer& facts, Context& context) {
  BufferLayout layout{buffer, {}, {}};
  try {
    layout.map = read_index_map(index_map, names);
  } catch (const Error& error) {
    return Refusal{"bad_index_map", error.what()};
  }
  if (layout.map.from.size() != buffer->shape.size())
    return Refusal{"rank_differs", fmt::format("the index map takes {} indices, and {} has {} dimensions",
                                               layout.map.from.size(), buffer->name, buffer->shape.size())};
  std::vector<arith::LoopRange> ranges;
  Analyzer inside = facts;
  for (std::size_t d = 0; d < buffer->shape.size(); ++d) {
    ranges.emplace_back(layout.map.from[d], Range{make_int(0), as_index(buffer->shape[d])});
    inside.bind(ranges.back().first, ranges.back().second);
  }
  const auto map = arith::iter_map(layout.map.to, ranges, {}, facts);
  if (!map || !map->injective)
    return Refusal{
        "not_injective",
        fmt::format("it is not proved that different elements of {} get different places", buffer->name)};
  for (std::size_t d = 0; d < layout.map.to.size(); ++d) {
    const arith::SymbolicBounds bounds = inside.bounds(layout.map.to[d], layout.map.from);
    const auto negative = [&] {
      return Refusal{"negative_place", fmt::format("index {} of the new layout may be less than 0", d + 1)};
    };
    if (!bounds.low.defined() || !bounds.high.defined()) return negative();
    ARDEA_TRY(context.require(facts, as_index(bounds.low) >= make_int(0), negative));
    layout.shape.push_back(facts.simplify(as_index(bounds.high) + 1));
  }
  invert(layout, *map, ranges, facts);
  return layout;
}

Stmt in_layout(const Stmt& s, const BufferLayout& layout, const Buffer& to, const Analyzer& facts) {
  return Rewriting(layout, to).visit(s, facts, facts);
}

}  // namespace ardea::schedule
