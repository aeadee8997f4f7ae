#include "ardea/schedule/primitives/memory/lift_alloc.h"

#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/analysis/moved_block.h"
#include "ardea/schedule/primitives/memory/added_blocks.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

Result<Buffer> find_allocation(const Block& block, const AllocationArgument& wanted) {
  std::vector<std::string> names;
  std::vector<Buffer> found;
  for (std::size_t i = 0; i < block.allocations.size(); ++i) {
    const Buffer& buffer = block.allocations[i];
    names.push_back(buffer->name);
    const auto* name = std::get_if<std::string>(&wanted);
    if (name != nullptr ? buffer->name == *name
                        : std::get<std::int64_t>(wanted) == static_cast<std::int64_t>(i))
      found.push_back(buffer);
  }
  if (found.size() == 1) return found[0];
  const std::string all = names.empty() ? "nothing" : join(names, ", ");
  if (const auto* name = std::get_if<std::string>(&wanted))
    return Refusal{"no_such_buffer",
                   found.empty()
                       ? fmt::format("block {} allocates no {}, but {}", block.name, *name, all)
                       : fmt::format("block {} allocates {} buffers that are called {}; say which by "
                                     "its number",
                                     block.name, found.size(), *name)};
  return Refusal{"no_such_buffer", fmt::format("block {} allocates {}, counted from 0, and {} is asked for",
                                               block.name, all, std::get<std::int64_t>(wanted))};
}

/// Whether different values of the spatial iterators touch different elements of the buffer.
bool told_apart(const Block& block, const Buffer& buffer, const arith::Analyzer& around) {
  const arith::Analyzer facts = arith::facts_inside(block, around);
  std::vector<arith::LoopRange> spatial;
  for (const BlockIterator& iterator : block.iterators)
    if (iterator.kind == IteratorKind::spatial &&
        !facts.proves(equals(arith::as_index(iterator.domain.extent), make_int(1))))
      spatial.emplace_back(iterator.var, iterator.domain);
  if (spatial.empty()) return true;
  const arith::Accesses touched = arith::accesses(block, around);
  for (const auto* boxes : {&touched.reads, &touched.writes})
    for (const arith::Touched& box : *boxes)
      if (box.region.buffer == buffer && !separating_dimensions(box.region.region, spatial, facts))
        return false;
  return true;
}

/// The block at the end of the path as one that uses the buffer without allocating it.
Function sharing(const Function& f, const BlockRef& reference, const Buffer& buffer) {
  const Path path = *path_to(f, reference);
  Block block = path.block();
  std::erase(block.allocations, buffer);
  block.reads.reset();
  block.writes.reset();
  if (!told_apart(block, buffer, facts_for_block(f, path)))
    for (BlockIterator& iterator : block.iterators)
      if (iterator.kind == IteratorKind::spatial) iterator.kind = IteratorKind::ordered;
  return with(f, path, block);
}

}  // namespace

Outcome apply(const Function& f, const LiftAlloc& step, Context& context) {
  const Path inner = ARDEA_TRY(refer(f, step.block));
  const Buffer buffer = ARDEA_TRY(find_allocation(inner.block(), step.buffer));
  Path path = inner;
  Function program = f;
  std::int64_t lifts = 0;
  for (; lifts < step.n_lifts && path.size() > 1; ++lifts) {
    program = sharing(program, BlockRef{path.block().id}, buffer);
    path = path.block_around();
  }
  if (lifts < step.n_lifts || step.n_lifts < 1)
    return Refusal{"no_block_around", fmt::format("{} blocks stand around block {}, and n_lifts is {}", lifts,
                                                  inner.block().name, step.n_lifts)};
  Path between;
  for (std::size_t i = path.size(); i < inner.size(); ++i) between.push_back(inner[i]);
  for (const Var& var : between.variables())
    for (const Expr& extent : buffer->shape)
      if (uses(extent, var))
        return Refusal{"shape_depends",
                       fmt::format("the extent {} of {} is known only inside, where {} is defined",
                                   print(extent), buffer->name, var.name())};
  program = arith::complete_regions(with_allocation(program, BlockRef{path.block().id}, buffer));
  ARDEA_TRY(context.judge(refuse_races_around(program, *path_to(program, step.block))));
  return Applied{program};
}

}  // namespace ardea::schedule
