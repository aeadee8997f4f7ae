#include "ardea/schedule/primitives/memory/begun_reduction.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/schedule/program/touches.h"

namespace ardea::schedule {

namespace {

/// The init of a sum: one store of zero, at the element that the body then adds to.
bool sets_to_zero(const Block& block, const Buffer& buffer) {
  const auto* init = block.init.as<Store>();
  const auto* update = block.body.as<Store>();
  if (init == nullptr || update == nullptr || !(init->buffer == buffer) || !(update->buffer == buffer) ||
      init->predicate.defined())
    return false;
  return is_zero(init->value) &&
         std::equal(init->indices.begin(), init->indices.end(), update->indices.begin(),
                    update->indices.end(),
                    [](const Expr& a, const Expr& b) { return structurally_equal(a, b); });
}

/// The path to the block in the part that contains every touch of the buffer there.
std::optional<Path> only_block(const Function& f, const Path& path, const Buffer& buffer) {
  std::vector<Path> blocks = all_blocks(f);
  std::erase_if(blocks, [&](const Path& block) {
    return block.size() < path.size() || !(block[path.size() - 1] == path.back());
  });
  if (blocks.size() != 1) return std::nullopt;
  for (const Touch& touch : touches(path.block_around(), buffer)) {
    const auto is_in = [&](const Stmt& s) {
      return std::find(touch.path.begin(), touch.path.end(), s) != touch.path.end();
    };
    if (is_in(path.back()) && !is_in(blocks[0].back())) return std::nullopt;
  }
  return blocks[0];
}

/// The part with one iteration of each loop that reduces.
Stmt first_round(const Stmt& part, const ReductionNest& nest) {
  Rewriter rewriter;
  rewriter.stmt_after = [&](const Stmt& s) -> Stmt {
    const auto* loop = s.as<For>();
    if (loop == nullptr || !nest.feeds(*loop, IteratorKind::reduce)) return s;
    For first = *loop;
    first.extent = make_cast(loop->extent.type(), make_int(1));
    return first;
  };
  return rewrite(part, rewriter);
}

Stmt without_init(const Stmt& part, const Stmt& block) {
  Rewriter rewriter;
  rewriter.stmt = [&](const Stmt& s) -> std::optional<Stmt> {
    if (!(s == block)) return std::nullopt;
    Block update = *s.as<Block>();
    update.init = {};
    update.reads.reset();
    return update;
  };
  return rewrite(part, rewriter);
}

}  // namespace

std::variant<BegunReduction, std::string> begun_reduction(const Function& f, const Path& path,
                                                          const Buffer& buffer, Context& context) {
  const auto block = only_block(f, path, buffer);
  if (!block) return std::string("other blocks stand there with the one that it belongs to");
  if (!path.back().is<For>()) return std::string("it is no loop around the block that it belongs to");
  if (!sets_to_zero(block->block(), buffer))
    return fmt::format("block {} does not set to zero what it then adds to", block->block().name);
  const auto found = reduction_nest(f, *block, path.size() - 1, context, Share::part);
  if (const auto* refusal = std::get_if<Refusal>(&found)) return refusal->fact;
  const ReductionNest& nest = std::get<ReductionNest>(found);
  const Stmt summed = without_init(path.back(), block->back());
  return BegunReduction{summed, first_round(summed, nest), nest.begins};
}

}  // namespace ardea::schedule
