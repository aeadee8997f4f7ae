#include "ardea/rules/analysis/producers.h"

#include "ardea/rules/analysis/stage.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

std::optional<schedule::BlockRef> elementwise_producer(const Function& program,
                                                       const schedule::BlockRef& reader,
                                                       const Buffer& buffer) {
  if (is_parameter(program, buffer)) return std::nullopt;
  std::optional<schedule::BlockRef> found;
  for (const schedule::Path& path : schedule::all_blocks(program)) {
    const Block& block = path.block();
    if (reads(block, buffer) && block.id != reader.id) return std::nullopt;
    if (!writes(block, buffer)) continue;
    if (found || !is_spatial(block)) return std::nullopt;
    found = schedule::BlockRef{block.id};
  }
  return found;
}

}  // namespace ardea::rules
