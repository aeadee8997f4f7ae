#pragma once

#include <string>

#include "ardea/rules/program_space.h"

namespace ardea::cli {

/// Writes what a point, "sketch=2,C_rows=4,C_steps=8", breaks and what is legal near it. Knobs that are left
/// out may have any value: then a solution with the values that are given, or why there is none. The exit
/// code.
int explain(const rules::ProgramSpace& space, const std::string& text);

}  // namespace ardea::cli
