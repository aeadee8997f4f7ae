#pragma once

#include <functional>
#include <span>
#include <string>

#include "ardea/runtime/array.h"

namespace ardea::runtime {

/// A C++ function of arrays that generated code calls: te::call_registered passes a stage's inputs, then its
/// outputs, as views of the program's own memory.
using TensorFunction = std::function<void(std::span<const Array>)>;

/// Makes it known as `name`. Generated code describes each tensor by its address, the name of its type, its
/// rank and its extents; anything else is an Error when it is called.
void register_tensor_function(const std::string& name, TensorFunction function, bool replace = false);

}  // namespace ardea::runtime
