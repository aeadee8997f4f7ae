#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ardea/runtime/function.h"

namespace ardea::runtime {

/// The functions that generated code and C++ find by name, one table a process. Every function here may be
/// called from any thread.

/// Makes `function` known as `name`. A name that is taken is an Error unless `replace` is asked for.
void register_function(const std::string& name, const Function& function, bool replace = false);

std::optional<Function> find_function(std::string_view name);

/// As find_function, but an unknown name is an Error with the nearest names.
Function get_function(std::string_view name);

std::vector<std::string> registered_names();  ///< sorted

}  // namespace ardea::runtime
