#pragma once

#include "ardea/schedule/analysis/moved_block.h"

/// Whether what a block reads is still there when it runs at a later place.

namespace ardea::schedule {

/// Refused where something writes what the block reads, after it has read it and before the loop has run.
std::optional<Refusal> refuse_changes_after(const Function& f, const Places& places);

/// Refused where code beside the block, in the statement path[first], writes what the block reads after it
/// has read it, in the same iteration of its loops or in a later one.
std::optional<Refusal> refuse_changes_beside(const Function& f, const Path& path, std::size_t first);

/// The refusal: that code in the statements writes what the block reads.
Refusal input_changes(const Block& block, const std::vector<Stmt>& writers);

}  // namespace ardea::schedule
