#pragma once

#include <string>

#include "ardea/report/story.h"

namespace ardea::report {

/// One page of HTML that needs no other file and no network.
std::string page(const Report& report);

}  // namespace ardea::report
