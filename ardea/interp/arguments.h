#pragma once

#include <memory>
#include <vector>

#include "ardea/interp/executor.h"

namespace ardea::interp {

/// Gives the parameters of f their values in `executor`: scalars, the memory of the arrays, symbolic extents
/// and strides from the arrays' shapes, and the views. Error naming the argument, the dimension and the
/// values where they do not fit. The memory lives as long as the result does.
std::vector<std::unique_ptr<Allocation>> bind_arguments(const Function& f,
                                                        const std::vector<Argument>& arguments,
                                                        const Options& options, Executor& executor);

/// Whether an array is empty, so that the call does nothing. Error where one that f writes is not: nothing
/// would be computed for it, a sum over no terms not even begun.
bool has_nothing_to_do(const Function& f, const std::vector<Argument>& arguments);

}  // namespace ardea::interp
