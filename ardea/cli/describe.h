#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "ardea/ir/function.h"

namespace ardea::cli {

/// [{"name": "A", "type": "float32", "shape": [128, "n"], "role": "input"}, …]; scalars have no shape.
nlohmann::json parameters_json(const Function& f);

/// "input", "output", "in_place" for each parameter.
std::vector<std::string> role_names(const Function& f);

}  // namespace ardea::cli
