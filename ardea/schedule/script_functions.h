#pragma once

#include <optional>
#include <vector>

#include "ardea/schedule/script_values.h"

namespace ardea::schedule::script {

/// What a script can call that is no step: len, range, zip, ….
/// One argument list a function; what it needs when it gets something else.
struct ScriptFunction {
  const char* name;
  const char* needs;
  std::optional<Argument> (*apply)(const Items& arguments);
};

const std::vector<ScriptFunction>& script_functions();

}  // namespace ardea::schedule::script
