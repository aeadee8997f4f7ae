#pragma once

#include <vector>

#include "ardea/ir/function.h"

namespace ardea::intrin {

/// For each parameter of f whether a call may write its memory: by a store, through a view or a match, as an
/// operand that a tensor instruction writes, or by an address that it gives away. Scalars are never written.
std::vector<bool> written_parameters(const Function& f);

}  // namespace ardea::intrin
