#include "ardea/codegen/c/math_functions.h"

#include <set>

namespace ardea::codegen::c {

bool is_math_function(const std::string& intrinsic) {
  static const std::set<std::string> names = {
      "exp",  "exp2", "exp10", "expm1", "log",   "log2",  "log10",     "log1p",    "tanh", "erf",
      "pow",  "sin",  "cos",   "tan",   "asin",  "acos",  "atan",      "sinh",     "cosh", "atan2",
      "fmod", "sqrt", "floor", "ceil",  "round", "trunc", "nearbyint", "copysign", "fma"};
  return names.contains(intrinsic);
}

}  // namespace ardea::codegen::c
