#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ardea/compile/roles.h"
#include "ardea/interp/interpreter.h"
#include "ardea/ir/function.h"
#include "ardea/runtime/array.h"

namespace ardea::measure {

using compile::argument_roles;
using compile::Role;

struct InputOptions {
  std::uint64_t seed = 0;
  std::map<std::string, std::int64_t> sizes = {};  ///< of symbolic extents and integer scalars, by name
};

/// Arguments for f: inputs from a generator seeded for each argument by itself, outputs poisoned with a value
/// that no computation is likely to leave. Floats are scaled by the longest reduction, and positive where the
/// program takes logarithms, roots or quotients, so that results stay finite; integers that index another
/// buffer stay inside it. Symbolic extents that `sizes` does not name get small odd sizes, strides a few
/// elements more than there must be.
std::vector<interp::Argument> make_arguments(const Function& f, const InputOptions& options);

/// A copy in which arrays have memory of their own.
std::vector<interp::Argument> copy_arguments(const std::vector<interp::Argument>& arguments);

/// The values of the symbolic extents for these arguments, by variable.
std::vector<std::pair<Var, std::int64_t>> extents_of(const Function& f,
                                                     const std::vector<interp::Argument>& arguments);

}  // namespace ardea::measure
