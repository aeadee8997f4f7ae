#include "ardea/schedule/primitives/memory/storage_align.h"

#include <algorithm>

#include "ardea/ir/print.h"
#include "ardea/ir/storage_alignment.h"
#include "ardea/schedule/primitives/memory/copy_block.h"
#include "ardea/schedule/program/allocation.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/touches.h"

namespace ardea::schedule {

namespace {

/// The block that aligns that axis of the memory already; empty where none does.
std::string aligning_block(const Function& f, const Buffer& buffer, std::int64_t axis) {
  for (const Path& path : all_blocks(f)) {
    const Block& block = path.block();
    for (const StorageAlignment& known : storage_alignments(block.annotations))
      if (known.axis == axis && known.buffer >= 0 && known.buffer < std::ssize(*block.writes) &&
          (*block.writes)[static_cast<std::size_t>(known.buffer)].buffer == buffer)
        return block.name;
  }
  return {};
}

}  // namespace

Outcome apply(const Function& f, const StorageAlign& step, Context& context) {
  const Path path = ARDEA_TRY(refer(f, step.block));
  if (path.size() == 1) return Refusal{"root_block", "the root block writes nothing itself"};
  const Buffer buffer = ARDEA_TRY(buffer_at(path.block(), Side::write, step.buffer_index));
  Allocation allocation = ARDEA_TRY(allocation_of(f, buffer));
  const auto all = touches(allocation.owner, buffer);
  if (std::any_of(all.begin(), all.end(), [](const Touch& touch) { return !touch.plain; }))
    return Refusal{"buffer_is_viewed",
                   fmt::format("{} is also used through a view, a matched part or an address", buffer->name)};
  const std::int64_t rank = std::ssize(buffer->shape);
  const std::int64_t axis = step.axis < 0 ? step.axis + rank : step.axis;
  if (axis < 0 || axis >= rank)
    return Refusal{"no_such_axis",
                   fmt::format("axis is {}, must be from {} to {}", step.axis, -rank, rank - 1)};
  const arith::Analyzer facts = arith::facts_of(f);
  const Expr factor = value_of(step.factor, int64), offset = value_of(step.offset, int64);
  ARDEA_TRY(context.require(facts, factor > make_int(0), [&] {
    return Refusal{"factor_not_positive", fmt::format("factor is {}, must be positive", print(factor))};
  }));
  ARDEA_TRY(context.require(facts, logical_and(offset >= make_int(0), offset < factor), [&] {
    return Refusal{"offset_outside", fmt::format("offset is {}, must be from 0 to {}", print(offset),
                                                 print(facts.simplify(factor - 1)))};
  }));
  if (const std::string other = aligning_block(f, buffer, axis); !other.empty())
    return Refusal{"aligned_already",
                   fmt::format("block {} aligns axis {} of {} already", other, axis, buffer->name)};
  Block block = path.block();
  std::vector<StorageAlignment> alignments = storage_alignments(block.annotations);
  alignments.push_back({step.buffer_index, axis, factor, offset});
  block.annotations[storage_alignment_key] = attribute_of(alignments);
  return Applied{with(f, path, block)};
}

}  // namespace ardea::schedule
