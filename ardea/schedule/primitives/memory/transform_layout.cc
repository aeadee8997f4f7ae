#include "ardea/schedule/primitives/memory/transform_layout.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ardea/arith/coverage.h"
#include "ardea/arith/regions.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/row_swizzle.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/primitives/memory/added_blocks.h"
#include "ardea/schedule/primitives/memory/buffer_layout.h"
#include "ardea/schedule/primitives/memory/copy_block.h"
#include "ardea/schedule/program/memory_use.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/schedule/program/touches.h"
#include "ardea/support/error.h"
#include "ardea/support/format_type.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;

/// Of indices (…, i, j ^ (i % rows * unit)).
std::optional<RowSwizzle> swizzle_of(const IndexMap& map) {
  const std::size_t rank = map.from.size();
  if (rank < 2 || map.to.size() != rank) return std::nullopt;
  const auto is_index = [&](const Expr& e, std::size_t d) {
    return e.is<VarNode>() && Var(e) == map.from[d];
  };
  for (std::size_t d = 0; d + 1 < rank; ++d)
    if (!is_index(map.to[d], d)) return std::nullopt;
  const auto* exclusive = map.to.back().as<Binary>();
  if (exclusive == nullptr || exclusive->op != BinaryOp::bit_xor || !is_index(exclusive->left, rank - 1))
    return std::nullopt;
  RowSwizzle swizzle;
  Expr other = exclusive->right;
  if (const auto* product = other.as<Binary>(); product != nullptr && product->op == BinaryOp::mul) {
    swizzle.unit = constant_int(product->right).value_or(0);
    other = product->left;
  }
  const auto* remainder = other.as<Binary>();
  if (remainder == nullptr || remainder->op != BinaryOp::floor_mod || !is_index(remainder->left, rank - 2))
    return std::nullopt;
  swizzle.rows = constant_int(remainder->right).value_or(0);
  const auto is_power = [](std::int64_t n) {
    return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n));
  };
  return is_power(swizzle.rows) && is_power(swizzle.unit) ? std::optional(swizzle) : std::nullopt;
}

/// One buffer in its new layout: what moves, and the blocks that are added.
class Transforming {
 public:
  Transforming(const Function& f, const TransformLayout& step, Buffer buffer, Context& context)
      : f_(f), step_(step), context_(context), buffer_(std::move(buffer)), owner_(owner_of(f, buffer_)) {}

  Outcome run() {
    ARDEA_TRY(refuse_access());
    const std::optional<RowSwizzle> swizzle = ARDEA_TRY(asked_swizzle());
    if (swizzle) return with_swizzle(*swizzle);
    const Path scope = owner_.value_or(Path{f_.body});
    const Analyzer facts = arith::facts_inside(scope.block(), facts_for_block(f_, scope));
    BufferLayout found = ARDEA_TRY(buffer_layout(buffer_, step_.index_map, size_names(f_), facts, context_));
    layout_ = std::move(found);
    ARDEA_TRY(read_pad_value());
    if (!owner_) ARDEA_TRY(decide_copies(facts));
    return rewritten(BlockRef{scope.block().id}, facts);
  }

 private:
  std::optional<Refusal> refuse_access() const {
    const bool is_allocated = owner_ && contains(owner_->block().allocations, buffer_);
    const bool is_parameter =
        std::any_of(f_.parameters.begin(), f_.parameters.end(),
                    [&](const ardea::Parameter& parameter) { return parameter.buffer == buffer_; });
    bool plain = is_allocated || is_parameter;
    for (const Touch& touch : touches(owner_.value_or(Path{f_.body}), buffer_)) plain = plain && touch.plain;
    if (!plain)
      return Refusal{"buffer_is_viewed",
                     fmt::format("{} is used through a view, a matched part or an address", buffer_->name)};
    if (const auto access = vector_access(f_.body, buffer_))
      return Refusal{"vector_access",
                     fmt::format("{} is touched as a vector or under a mask: {}", buffer_->name, *access)};
    return std::nullopt;
  }

  /// A map with `^`, which must be one of a swizzle.
  Result<std::optional<RowSwizzle>> asked_swizzle() const {
    IndexMap map;
    try {
      map = read_index_map(step_.index_map, size_names(f_));
    } catch (const Error& error) {
      return Refusal{"bad_index_map", error.what()};
    }
    const auto is_exclusive = [](const Expr& e) {
      return any_expr(e, [](const Expr& part) {
        const auto* binary = part.as<Binary>();
        return binary != nullptr && binary->op == BinaryOp::bit_xor;
      });
    };
    if (std::none_of(map.to.begin(), map.to.end(), is_exclusive)) return std::optional<RowSwizzle>();
    if (!owner_)
      return Refusal{"not_a_swizzle",
                     fmt::format("{} is a parameter, which keeps its layout; cache_read or cache_write gives "
                                 "memory whose rows can have another order",
                                 buffer_->name)};
    if (step_.pad_value)
      return Refusal{
          "not_a_swizzle",
          fmt::format("a swizzle leaves no places of {} to fill; leave pad_value out", buffer_->name)};
    auto found = swizzle_of(map);
    if (!found || map.from.size() != buffer_->shape.size())
      return Refusal{
          "not_a_swizzle",
          fmt::format("of the {} dimensions of {} only the last may have ^, as in (i, j ^ (i % 8 * 4)), "
                      "with the index before it and powers of two",
                      buffer_->shape.size(), buffer_->name)};
    return found;
  }

  Outcome with_swizzle(const RowSwizzle& swizzle) const {
    for (const Path& path : all_blocks(f_)) {
      Block block = path.block();
      const auto writes = [&](const BufferRegion& region) { return region.buffer == buffer_; };
      if (path.size() == 1 || !block.writes ||
          std::none_of(block.writes->begin(), block.writes->end(), writes))
        continue;
      block.annotations[row_swizzle_key] = attribute_of(swizzle);
      return Applied{with(f_, path, block)};
    }
    return Refusal{"not_a_swizzle", fmt::format("no block writes {}", buffer_->name)};
  }

  /// The constant that fills the padding.
  std::optional<Refusal> read_pad_value() {
    const double value = step_.pad_value.value_or(0);
    const DataType type = buffer_->type;
    const bool whole = value == std::floor(value) && std::abs(value) < 0x1p53;
    const auto bounds = [&] {
      const int bits = type.bits - (type.is_int() ? 1 : 0);
      return std::pair(type.is_int() ? -std::ldexp(1.0, bits) : 0.0, std::ldexp(1.0, bits) - 1);
    };
    const bool fits = type.is_bool()      ? value == 0 || value == 1
                      : type.is_integer() ? whole && value >= bounds().first && value <= bounds().second
                                          : type.is_float();
    if (!fits || type.lanes != 1)
      return Refusal{"pad_value_does_not_fit",
                     fmt::format("{} is no value of {}, which holds {}", value, buffer_->name, type)};
    pad_ = make_const(value, type);
    if (step_.pad_value && !layout_->is_invertible())
      return Refusal{
          "not_invertible",
          fmt::format("which places of the new layout hold no element of {} is not found", buffer_->name)};
    return std::nullopt;
  }

  /// For a parameter: whether its content is copied in, and out.
  std::optional<Refusal> decide_copies(const Analyzer& facts) {
    const Stmt& body = Path{f_.body}.block().body;
    const auto touches_all = [&](const std::vector<arith::Touched>& boxes) {
      return std::any_of(boxes.begin(), boxes.end(), [&](const arith::Touched& box) {
        return box.region.buffer == buffer_ && box.exact &&
               contains(box.region, whole_region(buffer_), facts) == arith::Proof::proved;
      });
    };
    for (const Touch& touch : touches({f_.body}, buffer_)) unpacks_ = unpacks_ || touch.writes;
    const arith::Accesses all = unpacks_ ? arith::accesses_of(buffer_, body, facts) : arith::Accesses{};
    packs_ = !unpacks_ || !touches_all(all.writes) || !arith::reads_only_own_writes(body, buffer_, {}, facts);
    if (unpacks_ && packs_ && !touches_all(all.reads))
      return context_.judge(Refusal{
          "writes_only_part",
          fmt::format("it is neither proved that all of {} is written before it is read, nor that all "
                      "of it is read, so that the rest would be copied without having a value",
                      buffer_->name)});
    return std::nullopt;
  }

  Outcome rewritten(const BlockRef& owner, const Analyzer& facts) {
    const Buffer to = make_buffer(owner_ ? buffer_->name : buffer_->name + "_packed", layout_->shape,
                                  buffer_->type, owner_ ? buffer_->scope : "global");
    const Path path = *path_to(f_, owner);
    Function program = with(f_, path, in_layout(path.back(), *layout_, to, facts_for_block(f_, path)));
    Stmt before, after;
    if (packs_)
      before = added("_pack", packing(to), facts);
    else if (step_.pad_value && layout_->is_element.defined())
      before = padding(to, facts);
    if (unpacks_) after = added("_unpack", unpacking(to, facts), facts);
    program = around_touches(program, owner, to->data, before, after);
    program = with_allocation(program, owner, to, owner_ ? buffer_ : Buffer());
    return Applied{arith::complete_regions(program), results_};
  }

  Stmt added(const char* suffix, Block block, const Analyzer& facts, const Expr& condition = {}) {
    block.name = free_block_name(f_, buffer_->name + suffix);
    results_.emplace_back(BlockRef{block.id});
    return whole_nest(block, facts, context_, condition);
  }

  /// to[place] = the element there, or the padding.
  Block packing(const Buffer& to) const {
    if (!layout_->is_invertible())  // then over the elements
      return block_over("", buffer_->shape, [&](const std::vector<Expr>& indices) {
        return make_store(to, layout_->place_of(indices, {}), make_load(buffer_, indices));
      });
    return block_over("", layout_->shape, [&](const std::vector<Expr>& place) {
      std::vector<Expr> element;
      for (const Expr& index : layout_->element) element.push_back(substitute(index, at(place)));
      Expr value = make_load(buffer_, element);
      if (layout_->is_element.defined())
        value = chosen_value(substitute(layout_->is_element, at(place)), value, pad_);
      return make_store(to, place, value);
    });
  }

  Block unpacking(const Buffer& to, const Analyzer& facts) const {
    return block_over("", buffer_->shape, [&](const std::vector<Expr>& indices) {
      Analyzer inside = facts;
      for (std::size_t d = 0; d < indices.size(); ++d)
        inside.bind(Var(indices[d]), {make_int(0), buffer_->shape[d]});
      return make_store(buffer_, indices, make_load(to, layout_->place_of(indices, inside)));
    });
  }

  Stmt padding(const Buffer& to, const Analyzer& facts) {
    std::vector<Expr> places;
    const Block block = block_over("", layout_->shape, [&](const std::vector<Expr>& place) {
      places = place;
      return make_store(to, place, pad_);
    });
    return added("_pad", block, facts, logical_not(substitute(layout_->is_element, at(places))));
  }

  Substitution at(const std::vector<Expr>& place) const {
    Substitution values;
    for (std::size_t d = 0; d < place.size(); ++d) values[layout_->places[d]] = place[d];
    return values;
  }

  const Function& f_;
  const TransformLayout& step_;
  Context& context_;
  const Buffer buffer_;
  const std::optional<Path> owner_;  ///< none where the buffer is a parameter's
  std::optional<BufferLayout> layout_;
  Expr pad_;
  bool packs_ = false, unpacks_ = false;
  std::vector<Reference> results_;
};

}  // namespace

Outcome apply(const Function& f, const TransformLayout& step, Context& context) {
  Path path = ARDEA_TRY(refer(f, step.block));
  const Block& block = path.block();
  Buffer buffer = ARDEA_TRY(find_buffer(step.buffer, *block.reads, *block.writes, "block " + block.name));
  return Transforming(f, step, std::move(buffer), context).run();
}

}  // namespace ardea::schedule
