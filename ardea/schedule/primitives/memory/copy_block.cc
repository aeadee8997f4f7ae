#include "ardea/schedule/primitives/memory/copy_block.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/inside.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/element_function.h"
#include "ardea/schedule/analysis/moved_block.h"
#include "ardea/schedule/analysis/placed_nest.h"
#include "ardea/schedule/primitives/memory/added_blocks.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

Result<Buffer> buffer_at(const Block& block, Side side, std::int64_t index) {
  const auto& regions = side == Side::read ? block.reads : block.writes;
  const std::int64_t count = regions ? std::ssize(*regions) : 0;
  if (index >= 0 && index < count) return (*regions)[static_cast<std::size_t>(index)].buffer;
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i)
    names.push_back(fmt::format("{} ({})", i, (*regions)[static_cast<std::size_t>(i)].buffer->name));
  return Refusal{"no_such_buffer", fmt::format("the index is {}, and block {} {} {}", index, block.name,
                                               side == Side::read ? "reads" : "writes",
                                               names.empty() ? "nothing" : join(names, ", "))};
}

std::optional<Refusal> refuse_unknown_scope(const std::string& scope) {
  if (scope_rank(scope)) return std::nullopt;
  return Refusal{"no_such_scope",
                 fmt::format("there is no scope {}, only {}", in_quotes(scope), known_scopes())};
}

Buffer cache_of(const Buffer& buffer, const std::string& scope) {
  std::string name = buffer->name + "_" + scope;
  std::replace(name.begin(), name.end(), '.', '_');
  return make_buffer(name, buffer->shape, buffer->type, scope);
}

Block copy_block(const std::string& name, const Buffer& from, const Buffer& to) {
  return block_over(name, from->shape,
                    [&](const std::vector<Expr>& at) { return make_store(to, at, make_load(from, at)); });
}

Expr chosen_value(const Expr& condition, const Expr& value, const Expr& otherwise) {
  const DataType type = value.type();
  if (!type.is_storage_only()) return make_call("if_then_else", {condition, value, otherwise});
  const DataType wide = type.is_float8() ? float32 : int32;
  return make_cast(
      type, make_call("if_then_else", {condition, make_cast(wide, value), make_cast(wide, otherwise)}));
}

Stmt copy_nest(const Function& f, const Block& block, const std::vector<Range>& box, const Path& place) {
  const arith::Analyzer facts = place.facts(f);
  IteratorValues values;
  for (const Range& range : box) values.push_back(bounds_of(range, facts));
  const Path around = place.upto(place.size() - 2);
  return placed_nest(block, {values, values, {}, true}, around.variables(), facts);
}

arith::Touched without_loaded_bounds(arith::Touched touched) {
  BufferRegion& region = touched.region;
  for (std::size_t d = 0; d < region.region.size(); ++d) {
    Range& range = region.region[d];
    if (!arith::reads_memory(range.min) && !arith::reads_memory(range.extent)) continue;
    range = {make_int(0), arith::as_index(region.buffer->shape[d])};
    touched.exact = false;
  }
  return touched;
}

Result<std::vector<Path>> blocks_inside(const Function& f, const Path& scope,
                                        const std::vector<BlockRef>& blocks) {
  std::vector<Path> paths;
  for (const BlockRef& block : blocks) {
    Path path = ARDEA_TRY(refer(f, block));
    paths.push_back(std::move(path));
    if (paths.back().size() <= scope.size() || !scope.holds(scope.size() - 1, paths.back()))
      return Refusal{"not_in_one_scope", fmt::format("block {} is not one of the blocks inside block {}",
                                                     paths.back().block().name, scope.block().name)};
  }
  return paths;
}

Function redirected(Function f, const BlockId& scope, const std::vector<BlockId>& blocks, const Buffer& old,
                    const Buffer& now) {
  for (const BlockId& id : blocks) {
    Path path = *path_to(f, BlockRef{id});
    const Block& before = path.block();
    Block block = *substitute_buffers(path.back(), {{old, now}}).as<Block>();
    // These are evaluated outside the block.
    block.iterators = before.iterators;
    block.predicate = before.predicate;
    f = with(f, path, with_own_lets(std::move(block)));
    for (std::size_t i = path.size() - 1; i-- > 0;) {
      const auto* around = path[i].as<Block>();
      if (around == nullptr) continue;
      if (around->id == scope) break;
      const Path outer = *path_to(f, BlockRef{around->id});
      Block open = outer.block();
      open.reads.reset();
      f = with(f, outer, open);
    }
  }
  return f;
}

Block with_own_lets(Block block) {
  const std::function<Stmt(const Stmt&)> own = [&](const Stmt& s) {
    return map_children(s, Mapper{.expr = [](const Expr& e) { return fresh_copy(e); }, .stmt = own});
  };
  if (block.init.defined()) block.init = own(block.init);
  block.body = own(block.body);
  return block;
}

bool is_declared_between(const Path& scope, const Path& path, const Buffer& buffer) {
  return std::any_of(path.begin() + static_cast<std::ptrdiff_t>(scope.size()), path.end(),
                     [&](const Stmt& s) {
                       const auto* declared = s.as<DeclareBuffer>();
                       return declared != nullptr && declared->buffer == buffer;
                     });
}

Refusal used_through_a_view(const Buffer& buffer, const Block& user) {
  return {"buffer_is_viewed", fmt::format("block {} uses {} through a view, a matched part or an address",
                                          user.name, buffer->name)};
}

}  // namespace ardea::schedule
