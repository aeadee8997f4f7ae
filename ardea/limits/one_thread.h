#pragma once

#include <map>
#include <string>

#include "ardea/ir/function.h"

namespace ardea::limits {

/// The program with one loop for each axis of a block's threads, around all else, in place of the many that
/// are bound to it: what stands inside is what one thread does. `threads` says how many there are along each
/// axis. Only for questions about what a thread has for itself: memory that threads share is no longer theirs
/// together.
Function as_one_thread(const Function& f, const std::map<std::string, Expr>& threads);

}  // namespace ardea::limits
