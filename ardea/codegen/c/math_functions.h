#pragma once

#include <string>

namespace ardea::codegen::c {

/// Whether <math.h>, and CUDA after it, has the function by the intrinsic's own name, with an f behind it for
/// float32. (C has no exp10, which its helper expresses by pow.)
bool is_math_function(const std::string& intrinsic);

}  // namespace ardea::codegen::c
