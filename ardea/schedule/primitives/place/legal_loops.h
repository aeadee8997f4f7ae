#pragma once

#include <string>

#include "ardea/ir/function.h"
#include "ardea/schedule/program/reference.h"

namespace ardea::schedule {

/// The loops at which compute_at would accept the block, outermost first.
std::vector<LoopRef> legal_loops(const Function& f, const BlockRef& block);

/// "legal loops for B: i, i_1", or that there are none: the way out of a refusal.
std::string legal_loops_text(const Function& f, const BlockRef& block);

}  // namespace ardea::schedule
