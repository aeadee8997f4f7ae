#include "ardea/rules/analysis/producers.h"

#include <algorithm>

#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

namespace {

bool mentions(const std::optional<std::vector<BufferRegion>>& regions, const Buffer& buffer) {
  return regions && std::any_of(regions->begin(), regions->end(),
                                [&](const BufferRegion& r) { return r.buffer == buffer; });
}

bool is_parameter(const Function& program, const Buffer& buffer) {
  return std::any_of(program.parameters.begin(), program.parameters.end(),
                     [&](const Parameter& p) { return p.buffer == buffer; });
}

}  // namespace

std::optional<schedule::BlockRef> elementwise_producer(const Function& program,
                                                       const schedule::BlockRef& reader,
                                                       const Buffer& buffer) {
  if (is_parameter(program, buffer)) return std::nullopt;
  std::optional<schedule::BlockRef> found;
  for (const schedule::Path& path : schedule::all_blocks(program)) {
    const Block& block = path.block();
    if (mentions(block.reads, buffer) && block.id != reader.id) return std::nullopt;
    if (!mentions(block.writes, buffer)) continue;
    const bool is_spatial =
        std::all_of(block.iterators.begin(), block.iterators.end(),
                    [](const BlockIterator& i) { return i.kind == IteratorKind::spatial; });
    if (found || !is_spatial) return std::nullopt;
    found = schedule::BlockRef{block.id};
  }
  return found;
}

}  // namespace ardea::rules
