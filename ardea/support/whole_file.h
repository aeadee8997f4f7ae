#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace ardea {

/// Makes `path` a file of these parts one after another, or leaves it as it was: the parts go into a new file
/// in the same folder, which takes the name at the end. A link stays one, to the new file; a device or a pipe
/// is written to. An Error names the path and the system's reason, and
/// nothing is left behind.
void write_whole_file(const std::filesystem::path& path, const std::vector<std::string_view>& parts);

}  // namespace ardea
