#include "ardea/support/text_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "ardea/support/error.h"

namespace ardea {

std::string read_text_file(const std::string& path) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  require(std::filesystem::exists(status), "{}: there is no such file; check the path", path);
  require(!std::filesystem::is_directory(status), "{}: this is a directory; name a file in it", path);
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), "{}: the file cannot be opened ({}); check its permissions", path,
          std::strerror(errno));
  // Read, not asked for: the size of a pipe or a device is not known before.
  std::string text;
  char chunk[1 << 16];
  while (file.read(chunk, sizeof chunk) || file.gcount() > 0) {
    text.append(chunk, static_cast<std::size_t>(file.gcount()));
    require(text.size() <= largest_text_bytes,
            "{}: the file is larger than 64 MiB; a program is text, split it into modules", path);
  }
  require(!file.bad(), "{}: the file cannot be read ({}); copy it to a readable place", path,
          std::strerror(errno));
  return text;
}

}  // namespace ardea
