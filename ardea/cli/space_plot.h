#pragma once

#include <cstdint>
#include <string>

#include "ardea/rules/program_space.h"

namespace ardea::cli {

/// A picture of the space as SVG: of each sketch, how often a knob has each of its values in a solution, and
/// how many of all assignments each constraint rules out, alone or with others.
std::string plot(const rules::ProgramSpace& space, std::uint64_t seed);

}  // namespace ardea::cli
