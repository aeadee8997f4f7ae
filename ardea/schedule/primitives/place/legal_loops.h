#pragma once

#include <string>

#include "ardea/schedule/context.h"
#include "ardea/schedule/program/reference.h"

namespace ardea::schedule {

/// The loops at which compute_at would accept the block, outermost first.
std::vector<LoopRef> legal_loops(const Function& f, const BlockRef& block, const Context& context = ByHand());

/// "legal loops for B: i, i_1", or that there are none: the way out of a refusal.
std::string legal_loops_text(const Function& f, const BlockRef& block, const Context& context = ByHand());

}  // namespace ardea::schedule
