#pragma once

#include "ardea/ir/function.h"

namespace ardea::measure {

/// The same program in an order that compiled code runs quickly: the last spatial loop of a reduction
/// innermost, so that it becomes vectors, the first one on all threads. For references of sizes that a
/// program as written takes minutes for. What a schedule would refuse stays as it is.
Function in_quick_order(const Function& f);

}  // namespace ardea::measure
