#pragma once

#include <string>

#include "ardea/space/system.h"

namespace ardea::space {

/// The text form, a statement a line, of which `parse` gives the same system again:
///
///   knob m in 1..64 because "rows of a tile"
///   define area in 1..4096 = m * n because "elements of a tile"
///   require fits: area <= 512 because "the scratchpad holds 512 elements"
///   require lanes: when n > 1: 4 divides n because "stores are of four lanes"
std::string print(const System& system);

/// One constraint's formula in that form, without its name and reason.
std::string print(const System& system, const Constraint& constraint);
std::string print(const System& system, const Condition& condition);

}  // namespace ardea::space
