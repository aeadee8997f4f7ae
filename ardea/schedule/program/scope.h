#pragma once

#include <vector>

#include "ardea/schedule/program/tree.h"

/// Blocks beside each other, and who makes what for whom. A scope is what the nearest block around holds.

namespace ardea::schedule {

/// The blocks of the scope that the path's last block stands in, itself included, in program order.
std::vector<Path> scope_of(const Function& f, const Path& path);

/// Block::reads or Block::writes.
using DeclaredRegions = std::optional<std::vector<BufferRegion>> Block::*;

/// The other blocks of the scope whose `theirs` share memory with `mine` of the path's last block.
std::vector<Path> neighbours_of(const Function& f, const Path& path, DeclaredRegions theirs,
                                DeclaredRegions mine);

/// Blocks of the scope that write what it reads; that read what it writes.
inline std::vector<Path> producers_of(const Function& f, const Path& path) {
  return neighbours_of(f, path, &Block::writes, &Block::reads);
}
inline std::vector<Path> consumers_of(const Function& f, const Path& path) {
  return neighbours_of(f, path, &Block::reads, &Block::writes);
}

/// The block that allocates the buffer, as the last of a path; nothing where it is a parameter's memory.
std::optional<Path> owner_of(const Function& f, const Buffer& buffer);

}  // namespace ardea::schedule
