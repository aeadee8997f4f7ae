#pragma once

#include "ardea/schedule/outcome.h"
#include "ardea/schedule/tree.h"

namespace ardea::schedule {

/// `outer` without the statement `gone` inside it, and without the loops, conditions and lets around it in
/// which nothing else stands; empty where nothing is left. `dropped` gets what references can no longer name.
Stmt without(const Stmt& outer, const Stmt& gone, std::vector<Forwarded>& dropped);

}  // namespace ardea::schedule
