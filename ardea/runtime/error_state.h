#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "ardea/runtime/abi.h"

namespace ardea::runtime {

/// The sentence last given to ardea_set_error on this thread, empty where there is none, and forgets it.
std::string take_error() noexcept;

/// Runs `action` on behalf of generated code: its answer, or 1 with the exception's sentence recorded.
template <class Action>
std::int32_t report_errors(Action&& action) noexcept {
  try {
    return action();
  } catch (const std::exception& error) {
    ardea_set_error(error.what());
  } catch (...) {
    ardea_set_error(
        "an exception that is no std::exception was thrown by a function called from generated code");
  }
  return 1;
}

}  // namespace ardea::runtime
