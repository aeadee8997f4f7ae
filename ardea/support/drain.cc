#include "ardea/support/drain.h"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace ardea {

bool drain(int descriptor, std::string& text, std::size_t most) {
  std::array<char, 65536> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  while (text.size() <= most) {
    const ssize_t count = read(descriptor, bytes.data(), bytes.size());
    if (count > 0) {
      text.append(bytes.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN;
    }
  }
  return true;
}

}  // namespace ardea
