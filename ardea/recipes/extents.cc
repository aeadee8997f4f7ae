#include "ardea/recipes/extents.h"

#include <algorithm>

#include "ardea/schedule/program/tree.h"
#include "ardea/support/error.h"

namespace ardea::recipes {

using namespace schedule;

std::int64_t extent_of(const Schedule& s, const LoopRef& loop) {
  const auto path = path_to(s.program(), loop);
  ensure(path.has_value(), "a recipe asks for a loop that is not in its program");
  const auto extent = constant_int(path->loop().extent);
  ensure(extent.has_value(), "a recipe works on a program whose sizes are numbers");
  return *extent;
}

bool reduces(const Schedule& s, const BlockRef& block) {
  const auto path = path_to(s.program(), block);
  ensure(path.has_value(), "a recipe asks for a block that is not in its program");
  const auto& iterators = path->block().iterators;
  return std::any_of(iterators.begin(), iterators.end(),
                     [](const BlockIterator& i) { return i.kind == IteratorKind::reduce; });
}

std::vector<std::string> block_names(const Schedule& s) {
  std::vector<std::string> names;
  for (const Path& path : all_blocks(s.program())) names.push_back(path.block().name);
  return names;
}

}  // namespace ardea::recipes
