#pragma once

#include <string>

#include "ardea/ir/function.h"

namespace ardea::codegen::c {

/// "/* gemm(A: float32[127, 93], …) */", read back from the checks of the packed arguments: what a caller
/// passes.
std::string signature_comment(const Function& f);

}  // namespace ardea::codegen::c
