#pragma once

#include <string>

#include "ardea/ir/function.h"

namespace ardea {

/// Error where a part of f that must be there is an empty handle: its body, a loop's body or bounds, an
/// operand, … Makers refuse these; nodes that are written out by hand can hold them. `who` made f and begins
/// the sentence.
void require_complete(const Function& f, const std::string& who);

}  // namespace ardea
