#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "ardea/space/system.h"

namespace ardea::space {

/// {"variables": [{"name", "domain", "reason"?}], "constraints": [{"name", "kind", …, "when"?, "reason"?,
/// "defines"?}]}. A domain is a list of numbers and of [low, high]; an operand is a number or a variable's
/// name. A constraint that `defines` a variable makes it a defined one; its result is that variable.
nlohmann::json to_json(const System& system);

/// The same system again. An Error names the field, what it holds and what was expected.
System from_json(const nlohmann::json& record, std::string_view where = "space");

/// {"m0": 4, …}: all variables, or (reading) all knobs, others where they agree.
nlohmann::json to_json(const System& system, const Point& point);
Point point_from_json(const System& system, const nlohmann::json& record, std::string_view where = "point");

}  // namespace ardea::space
