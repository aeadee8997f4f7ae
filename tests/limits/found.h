#pragma once

#include <map>
#include <set>
#include <string>

#include "ardea/limits/limits.h"

/// What lowering does with a program, counted on what it leaves: the other side of every prediction.

namespace ardea::limits {

struct Found {
  bool varies = false;                               ///< some memory has another size in each iteration
  std::map<std::string, std::int64_t> live_bytes;    ///< before memory is shared
  std::map<std::string, std::int64_t> reused_bytes;  ///< after
  std::int64_t vector_registers = 0;
  std::set<std::int64_t> vector_extents;  ///< of loops of more than one iteration
  bool vectors_vary = false;              ///< one has another extent in each iteration around it
  std::set<std::int64_t> thread_extents;
  std::int64_t unrolled_iterations = 1;
  std::int64_t steps = 0;  ///< statements that are not tests of arguments
};

/// Lowers f until each is decided; `numbers` for its parameters.
Found found_by_lowering(const Function& f, const target::Target& target, const Numbers& numbers = {});

/// Where the prediction is not what was found, a sentence; empty where it is.
std::string difference(const Limits& predicted, const Found& found, const Numbers& numbers = {});

}  // namespace ardea::limits
