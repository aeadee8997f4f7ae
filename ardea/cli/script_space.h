#pragma once

#include <string>

#include "ardea/rules/program_space.h"

namespace ardea::cli {

/// The choices of a script: the numbers that it samples, and what its cfg leaves open. Error where that is
/// nothing.
rules::ProgramSpace script_space(const Function& program, const target::Target& target,
                                 const std::string& file, const rules::SpaceOptions& options);

}  // namespace ardea::cli
