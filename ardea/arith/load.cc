#include "ardea/arith/load.h"

#include "ardea/arith/regions.h"
#include "ardea/arith/verify.h"
#include "ardea/ir/parse.h"
#include "ardea/support/error.h"
#include "ardea/support/text_file.h"

namespace ardea::arith {

namespace {

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
  require(text.size() <= largest_text_bytes, "{}: the program is larger than 64 MiB; split it into modules",
          name);
  require_text(text, name);
  Module module = parse(text, name);
  require_form(module, name);  // regions are computed from well-formed programs only
  module = complete_regions(module);
  require_valid(module, name);
  return module;
}

Module load_file(const std::string& path) { return load_program(read_text_file(path), path); }

}  // namespace ardea::arith
