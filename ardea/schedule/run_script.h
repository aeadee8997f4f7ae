#pragma once

#include <functional>
#include <vector>

#include "ardea/schedule/script.h"

namespace ardea::schedule {

/// Takes a step of a script; its results.
using TakeStep = std::function<std::vector<Reference>(const Primitive&, std::vector<Argument>)>;

/// Makes a call of the script's cfg; what it gives.
using CallConfig = std::function<std::vector<Argument>(const Primitive&, std::vector<Argument>)>;

/// Runs the script, and with `draws` without the decisions that its sampling steps state. Error
/// name:line:column where a value is not what its place needs, Refused with the same in front where a step is
/// refused. A script always ends: there is a limit to the lines that it takes, to the size of its lists, and
/// to how much of lists it goes through.
void run_script(const Script& script, const TakeStep& take, const CallConfig& call_config, bool draws);

}  // namespace ardea::schedule
