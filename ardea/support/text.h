#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ardea {

std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// The candidates closest to `word` by edit distance, nearest first, at most `count`, none further than a
/// third of its length plus one: what a message suggests after "unknown …".
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates,
                                 std::size_t count = 3);

/// "; did you mean a, b or c?", or nothing where no candidate is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// The text with quotes and control characters escaped, in double quotes. (Not called `quoted`: std::quoted
/// would be found by argument-dependent lookup.)
std::string in_quotes(std::string_view text);

}  // namespace ardea
