#pragma once

#include <optional>

#include "ardea/ir/function.h"
#include "ardea/schedule/program/reference.h"

namespace ardea::rules {

/// The block that reads the buffer, where it is the only one, and computes one element of another of the same
/// element of this; nothing elsewhere, or where the buffer is a parameter.
std::optional<schedule::BlockRef> elementwise_consumer(const Function& program, const Buffer& buffer);

}  // namespace ardea::rules
