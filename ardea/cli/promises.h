#pragma once

#include <string>
#include <vector>

#include "ardea/ir/function.h"

namespace ardea::cli {

/// What `--align` promises: "64" for all arrays, "A=64" for those called A, in every function that has one.
Module with_promises(Module module, const std::vector<std::string>& promises);

/// Those of them that are about an array of the module: a schedule may make others.
std::vector<std::string> known_promises(const Module& module, const std::vector<std::string>& promises);

}  // namespace ardea::cli
