#pragma once

#include <string>

/// Lists in the text of inline PTX, for records of CUDA's instructions.

namespace ardea::intrin {

/// "%0, %1, %2"
std::string operands_from(int first, int count);

/// "\"r\"(A[0]), \"r\"(A[1])"
std::string registers(const std::string& kind, const std::string& name, int count);

}  // namespace ardea::intrin
