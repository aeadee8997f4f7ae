#pragma once

#include <string>

namespace ardea {

/// Appends what can be read from a non-blocking descriptor now, until the text has more than `most` bytes;
/// false once the other side has closed.
bool drain(int descriptor, std::string& text, std::size_t most = std::string::npos);

}  // namespace ardea
