#pragma once

#include <string_view>

namespace ardea::report {

/// The page's style sheet.
std::string_view style();

}  // namespace ardea::report
