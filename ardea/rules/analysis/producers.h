#pragma once

#include <optional>

#include "ardea/ir/function.h"
#include "ardea/schedule/program/reference.h"

namespace ardea::rules {

/// The block that computes the buffer element by element for `reader` alone; nothing where the buffer is a
/// parameter, or made or read in another way.
std::optional<schedule::BlockRef> elementwise_producer(const Function& program,
                                                       const schedule::BlockRef& reader,
                                                       const Buffer& buffer);

}  // namespace ardea::rules
