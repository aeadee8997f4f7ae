#pragma once

#include <string>

/// What every backend takes and keeps to.

namespace ardea::codegen {

struct Options {
  /// Let a*b+c become one rounding. Off gives the interpreter's bits.
  bool contract = true;
  int optimization_level = 3;  ///< 0 to 3; the C backend leaves it to the C compiler's flags
};

/// The symbol of the entry point: not the name itself, so that a program called "exp" does not replace the C
/// library's.
inline std::string entry_symbol(const std::string& function_name) { return "ardea_entry_" + function_name; }

}  // namespace ardea::codegen
