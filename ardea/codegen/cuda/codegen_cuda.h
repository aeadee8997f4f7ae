#pragma once

#include <span>
#include <string>

#include "ardea/codegen/options.h"
#include "ardea/ir/function.h"
#include "ardea/target/target.h"

/// Functions lowered for a GPU → CUDA C++ source, to read and to compile by nvcc or NVRTC.

namespace ardea::codegen {

/// Functions as lower::lower leaves them for a GPU → the text of one translation unit. Each launch becomes
///
///   extern "C" __global__ void <function>_kernel_<n>(arrays…, numbers…)
///
/// with its grid, block and dynamic shared memory in the comment before it; what the host does between
/// launches stands in the comment at the top. The text needs CUDA's own headers only, and of these only
/// cuda_fp16.h and cuda_bf16.h, where there are float16 and bfloat16 numbers.
///
/// Without options.contract the text asks for -fmad=false: the answers are then the interpreter's bits.
///
/// Error for a target that is no GPU, two functions of one name, a name that is no C identifier, and what a
/// GPU cannot do.
std::string cuda_source(std::span<const Function> functions, const target::Target& target,
                        const Options& options);

}  // namespace ardea::codegen
