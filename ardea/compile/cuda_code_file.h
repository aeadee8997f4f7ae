#pragma once

#include <filesystem>

#include "ardea/compile/cuda_program.h"

namespace ardea::compile {

/// A program for a GPU as one file, from the process that compiles it to the one that runs it: the kernels'
/// code, how each is launched, and the host's part. Without the kernels' source, which nobody runs.
void write_cuda_code(const std::filesystem::path& path, const CudaCode& code);

/// Error where the file is no such program.
CudaCode read_cuda_code(const std::filesystem::path& path);

}  // namespace ardea::compile
