#include "ardea/arith/load.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "ardea/arith/regions.h"
#include "ardea/arith/verify.h"
#include "ardea/ir/parse.h"
#include "ardea/support/error.h"

namespace ardea::arith {

namespace {

constexpr std::uintmax_t largest_bytes = 64u << 20;

std::string read_text(const std::string& path) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  require(std::filesystem::exists(status), "{}: there is no such file; check the path", path);
  require(!std::filesystem::is_directory(status), "{}: this is a directory; name a program file in it", path);
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), "{}: the file cannot be opened ({}); check its permissions", path,
          std::strerror(errno));
  // Read, not asked for: the size of a pipe or a device is not known before.
  std::string text;
  char chunk[1 << 16];
  while (file.read(chunk, sizeof chunk) || file.gcount() > 0) {
    text.append(chunk, static_cast<std::size_t>(file.gcount()));
    require(text.size() <= largest_bytes,
            "{}: the file is larger than 64 MiB; a program is text, split it into modules", path);
  }
  require(!file.bad(), "{}: the file cannot be read ({}); copy it to a readable place", path,
          std::strerror(errno));
  return text;
}

/// Bytes that no text holds: control characters other than white space.
void require_text(std::string_view text, const std::string& name) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool is_text =
        byte >= 32 ? byte != 127 : byte == '\n' || byte == '\r' || byte == '\t' || byte == '\f';
    require(is_text,
            "{}: this is not a text file (byte {} is 0x{:02x}); give a program in the TVMScript dialect",
            name, at, byte);
  }
}

}  // namespace

Module load_program(std::string_view text, const std::string& name) {
  require(text.size() <= largest_bytes, "{}: the program is larger than 64 MiB; split it into modules", name);
  require_text(text, name);
  Module module = parse(text, name);
  require_form(module, name);  // regions are computed from well-formed programs only
  module = complete_regions(module);
  require_valid(module, name);
  return module;
}

Module load_file(const std::string& path) { return load_program(read_text(path), path); }

}  // namespace ardea::arith
