#include "ardea/schedule/program/scope.h"

#include <algorithm>

namespace ardea::schedule {

namespace {

/// Whether the two touch memory in common.
bool regions_meet(const std::optional<std::vector<BufferRegion>>& a,
                  const std::optional<std::vector<BufferRegion>>& b) {
  if (!a || !b) return false;
  return std::any_of(a->begin(), a->end(), [&](const BufferRegion& x) {
    return std::any_of(b->begin(), b->end(),
                       [&](const BufferRegion& y) { return x.buffer->data == y.buffer->data; });
  });
}

}  // namespace

std::vector<Path> scope_of(const Function& f, const Path& path) {
  const Path around = path.block_around();
  std::vector<Path> inside;
  for (const Path& other : all_blocks(f))
    if (other.block_around() == around) inside.push_back(other);
  return inside;
}

std::vector<Path> neighbours_of(const Function& f, const Path& path, DeclaredRegions theirs,
                                DeclaredRegions mine) {
  std::vector<Path> found;
  for (const Path& other : scope_of(f, path))
    if (other.block().id != path.block().id && regions_meet(other.block().*theirs, path.block().*mine))
      found.push_back(other);
  return found;
}

std::optional<Path> owner_of(const Function& f, const Buffer& buffer) {
  std::vector<Path> blocks = all_blocks(f);
  if (root_block(f) != nullptr) blocks.push_back({f.body});
  for (const Path& path : blocks)
    for (const Buffer& allocated : path.block().allocations)
      if (allocated->data == buffer->data) return path;
  return std::nullopt;
}

}  // namespace ardea::schedule
