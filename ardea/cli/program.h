#pragma once

#include <string>

#include "ardea/ir/function.h"

namespace ardea::cli {

/// The program that a command line names: the path of a text. Error where it cannot be read or is no valid
/// program.
Module load_program(const std::string& program);

}  // namespace ardea::cli
