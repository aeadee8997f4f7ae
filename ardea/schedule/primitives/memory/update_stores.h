#pragma once

#include "ardea/ir/stmt.h"

/// Stores that go on from what the element held.

namespace ardea::schedule {

/// Whether each store of the buffer in s reads the element that it overwrites: then what s reads of it first
/// was there before s.
bool writes_are_updates(const Stmt& s, const Buffer& buffer);

/// Whether s does nothing with the buffer but x = x + y.
bool only_adds(const Stmt& s, const Buffer& buffer);

}  // namespace ardea::schedule
