#pragma once

#include <string>
#include <string_view>

#include "ardea/ir/function.h"

namespace ardea::arith {

/// Parses, completes regions and verifies: a program that is fit to run. Error with `name:line:column` or the
/// broken law.
Module load_program(std::string_view text, const std::string& name);

/// The same from a file; Error where it cannot be read, is not text, or is larger than 64 MiB.
Module load_file(const std::string& path);

}  // namespace ardea::arith
