#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>

namespace ardea {

/// What the user gave cannot be used: a sentence with the fact, the values and the way out. The command line
/// prints it and exits with 2.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A broken promise of Ardea's own code, never the user's fault.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

/// The user's input must make `condition` true.
template <class... Args>
void require(bool condition, fmt::format_string<Args...> format, Args&&... args) {
  if (!condition) [[unlikely]]
    throw Error(fmt::format(format, std::forward<Args>(args)...));
}

/// Ardea's own code must make `condition` true.
template <class... Args>
void ensure(bool condition, fmt::format_string<Args...> format, Args&&... args) {
  if (!condition) [[unlikely]]
    throw InternalError(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace ardea
