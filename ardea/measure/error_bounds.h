#pragma once

#include <optional>
#include <vector>

#include "ardea/ir/function.h"

/// A running error analysis as a program transformation. Each floating value becomes a pair of float64: what
/// exact arithmetic would give (as near as float64 comes), and a bound on how far any correct evaluation of
/// the original program may be from it. The new program is an ordinary one: the interpreter runs it, and so
/// does compiled code where the interpreter would be too slow.

namespace ardea::measure {

/// Where a parameter of the original function went.
struct BoundedParameter {
  std::size_t value = 0;  ///< index among the new parameters; floats are float64 there
  std::optional<std::size_t>
      bound;  ///< its error bounds, float64, same shape; absent for what is only read or no float reaches
};

struct BoundedProgram {
  Function function;
  std::vector<BoundedParameter> parameters;
};

/// The bound holds for every order of a sum that a block declares as a reduction: a product sum of K terms
/// gets about (K + 4) · u_acc · Σ|a||b| + u_out · |result|. Elsewhere it follows the program's own order.
/// Error where a value cannot be bounded: floats that pass through a registered function, a reinterpretation
/// of their bits or an address.
BoundedProgram with_error_bounds(const Function& f);

}  // namespace ardea::measure
