#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ardea/compile/compile.h"

namespace ardea::compile {

/// What a program for a GPU must answer, as a program for the host: floats are float64, and of what it writes
/// there are bounds (measure::with_error_bounds).
struct HostReference {
  Function program;
  struct Place {
    std::size_t value = 0;                  ///< of an argument among the reference's
    std::optional<std::size_t> bound = {};  ///< of how far from it an answer may be
  };
  std::vector<Place> places;  ///< one an argument
};

/// CUDA C++ that nvcc builds alone: the kernels of f, what launches them, and a main function that calls it
/// on numbers of its own, compares the answers with naive loops on the host, and says how long a call takes.
/// It ends with 0 where all are right, 1 where not, 2 where CUDA fails. Error for programs whose sizes or
/// other numbers only a call knows, and for elements of less than a byte.
std::string cuda_file(const Function& f, const HostReference& reference, const target::Target& target,
                      const Options& options = {});

}  // namespace ardea::compile
