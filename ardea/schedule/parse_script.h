#pragma once

#include "ardea/schedule/script.h"

namespace ardea::schedule {

/// The Python form of parse_steps.
Script parse_script(std::string_view text, const std::string& name);

}  // namespace ardea::schedule
