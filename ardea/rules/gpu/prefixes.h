#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Sums of the prefixes of rows, in one launch: a row is cut into chunks, one a thread, which adds up its
/// own, finds what the chunks before it come to in shared memory, and goes on from there. Where there are
/// many chunks, these are prefixes of chunks again.
Rule prefixes_by_threads();

}  // namespace ardea::rules
