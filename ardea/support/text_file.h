#pragma once

#include <cstddef>
#include <string>

namespace ardea {

/// No text that Ardea reads is larger.
inline constexpr std::size_t largest_text_bytes = std::size_t{64} << 20;

/// The contents of a file. Error where it is not there, is a folder, cannot be read, or is larger than 64
/// MiB.
std::string read_text_file(const std::string& path);

}  // namespace ardea
