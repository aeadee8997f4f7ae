#include "ardea/cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "ardea/support/error.h"

namespace ardea::cli {

void write_out(std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  require(written, "standard output cannot be written: {}; free some space or send it elsewhere",
          std::strerror(errno));
}

void write_note(const std::string& sentence) { std::fprintf(stderr, "ardea: note: %s\n", sentence.c_str()); }

}  // namespace ardea::cli
