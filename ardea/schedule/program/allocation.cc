#include "ardea/schedule/program/allocation.h"

#include <fmt/core.h>

#include "ardea/schedule/program/scope.h"

namespace ardea::schedule {

Result<Allocation> allocation_of(const Function& f, const Buffer& buffer) {
  if (const auto owner = owner_of(f, buffer))
    for (const Buffer& allocated : owner->block().allocations)
      if (allocated->data == buffer->data) return Allocation{*owner, allocated};
  return Refusal{"buffer_is_parameter",
                 fmt::format("{} is not allocated by a block: its memory is the caller's", buffer->name)};
}

}  // namespace ardea::schedule
