#pragma once

#include <map>
#include <string>

namespace ardea::target {

/// The text of each targets/<name>.json by name, put here by CMake.
const std::map<std::string, std::string>& named_records();

}  // namespace ardea::target
