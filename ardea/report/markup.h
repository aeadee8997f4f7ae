#pragma once

#include <string>
#include <string_view>

namespace ardea::report {

/// The text as HTML and SVG write it: < > & and quotes by their names.
std::string in_markup(std::string_view text);

/// A program's text with its keywords, strings, numbers and remarks marked (class k, s, n, c).
std::string coloured_program(std::string_view text);

}  // namespace ardea::report
