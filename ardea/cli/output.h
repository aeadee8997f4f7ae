#pragma once

#include <string>
#include <string_view>

namespace ardea::cli {

/// Writes to standard output; Error where that fails (a full disk, a closed pipe is the shell's business).
void write_out(std::string_view text);

/// One line on the error stream: what is not as it was asked for, though the answers are right.
void write_note(const std::string& sentence);

}  // namespace ardea::cli
