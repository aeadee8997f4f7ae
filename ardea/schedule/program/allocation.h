#pragma once

#include "ardea/schedule/outcome.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::schedule {

/// The block that allocates the memory, as the last of a path, and the buffer that it allocates.
struct Allocation {
  Path owner;
  Buffer buffer;
};
/// Refused as buffer_is_parameter where no block does.
Result<Allocation> allocation_of(const Function& f, const Buffer& buffer);

}  // namespace ardea::schedule
