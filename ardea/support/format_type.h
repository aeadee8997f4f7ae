#pragma once

#include <fmt/format.h>

#include "ardea/support/data_type.h"

/// Lets `require` and `ensure` take a type as it is: its name is then made only for a message that is
/// written.
template <>
struct fmt::formatter<ardea::DataType> : fmt::formatter<std::string> {
  template <class Context>
  auto format(ardea::DataType type, Context& context) const {
    return fmt::formatter<std::string>::format(ardea::to_string(type), context);
  }
};
