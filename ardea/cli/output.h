#pragma once

#include <string_view>

namespace ardea::cli {

/// Writes to standard output; Error where that fails (a full disk, a closed pipe is the shell's business).
void write_out(std::string_view text);

}  // namespace ardea::cli
