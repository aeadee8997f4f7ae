#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ardea/interp/executor.h"

namespace ardea::interp {

/// The memory of a call's arrays, which lives as long as this does; nothing where an array is empty, so that
/// the call does nothing.
using BoundMemory = std::optional<std::vector<std::unique_ptr<Allocation>>>;

/// Gives the parameters of f their values in `executor`: scalars, the memory of the arrays, symbolic extents
/// and strides from the arrays' shapes, and the views. Error naming the argument, the dimension and the
/// values where they do not fit, and where an array is empty, but not one that f writes: nothing would be
/// computed for it, a sum over no terms not even begun.
BoundMemory bind_arguments(const Function& f, const std::vector<Argument>& arguments, const Options& options,
                           Executor& executor);

}  // namespace ardea::interp
